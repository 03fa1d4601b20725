// SPDX-License-Identifier: Apache-2.0
// Random numbers on the host.
#ifndef MSHADOW_BACKEND_CPU_RANDOM_H_
#define MSHADOW_BACKEND_CPU_RANDOM_H_

#include "../../extension/reshape.h"
#include "../../tensor/random_base.h"
#include "device.h"
#include "random_fill.h"

MSHADOW_NAMESPACE_BEGIN

/// RandomBase on the host, with a sequential engine beside it for samplers of the standard library.
template <typename DType>
class Random<cpu, DType> : public RandomBase<cpu, DType> {
  using Base = RandomBase<cpu, DType>;

 public:
  explicit Random(int seed) : Base(seed) { engine_.seed(this->GetSeed()); }

  /// Starts over: the draws from here on are those of Random(seed).
  void Seed(int seed) {
    Base::Restart(seed);
    engine_.seed(this->GetSeed());
  }
  /// Nothing to do on the host.
  void set_stream(Stream<cpu>*) {}

  /// A generator of its own (the draws do not come from it): see core/host_engine.h.
  HostEngine& GetRndEngine() { return engine_; }
  using Base::GetRandInt;
  /// The engine's next number, 32 random bits.
  unsigned GetRandInt() { return static_cast<unsigned>(engine_()); }

  /// dst[i] = sampler(), called once an element in row-major order.
  template <int dim, typename Sampler>
  void SampleDistribution(Tensor<cpu, dim, DType>* dst, Sampler sampler) {
    const rng::Rows<DType> rows = Base::RowsOf(*dst);
    for (std::ptrdiff_t first = 0; first < rows.size; first += rows.cols) {
      DType* const row = rows.dptr + first / rows.cols * rows.stride;
      for (std::ptrdiff_t x = 0; x < rows.cols; ++x) row[x] = static_cast<DType>(sampler());
    }
  }

 private:
  HostEngine engine_;
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_RANDOM_H_
