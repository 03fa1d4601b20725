// SPDX-License-Identifier: Apache-2.0
// Random numbers on a CUDA device: those of the host under the same seed.
#ifndef MSHADOW_BACKEND_GPU_RANDOM_H_
#define MSHADOW_BACKEND_GPU_RANDOM_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA

#include "../../extension/reshape.h"
#include "../../tensor/random_base.h"
#include "executor.h"
#include "random_body.h"

MSHADOW_NAMESPACE_BEGIN

#ifdef __CUDACC__

template <>
struct RandomFill<gpu> {
  template <typename DType, typename Variate>
  static void Fill(const rng::Rows<DType>& rows, const rng::Draw& draw, const Variate& variate,
                   Stream<gpu>* stream) {
    const cuda::FillBody<Variate, DType> body{variate, draw, rows};
    cuda::LaunchThreads(body, body.Blocks(), Stream<gpu>::GetStream(stream),
                        "the launch of a random fill");
  }
  template <typename DType, typename Sampler>
  static void FillEach(const rng::Rows<DType>& rows, const rng::Draw& draw, const Sampler& sampler,
                       Stream<gpu>* stream) {
    cuda::LaunchThreads(cuda::FillEachBody<Sampler, DType>{sampler, draw, rows}, rows.size,
                        Stream<gpu>::GetStream(stream), "the launch of a random fill");
  }
};

/// RandomBase on a CUDA device, asynchronous on the stream that set_stream gave; without one, on
/// that of the destination. uniform() and gaussian() know of none: they use the default stream.
template <typename DType>
class Random<gpu, DType> : public RandomBase<gpu, DType> {
 public:
  explicit Random(int seed) : RandomBase<gpu, DType>(seed) {}
  /// Starts over: the draws from here on are those of Random(seed).
  void Seed(int seed) { this->Restart(seed); }
  void set_stream(Stream<gpu>* stream) { this->RunOn(stream); }
};

#endif  // __CUDACC__

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_USE_CUDA
#endif  // MSHADOW_BACKEND_GPU_RANDOM_H_
