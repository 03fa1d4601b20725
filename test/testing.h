// SPDX-License-Identifier: Apache-2.0
// What the tests share: every instruction set in turn, and tensors with awkward memory.
//
// The tests of statements are compiled for several devices. MSHADOW_TEST_DEVICE names the header
// that defines one, the default is the CPU:
//   TestDevice           the device of the tests' tensors
//   TestMemory<DType>    a vector of its memory, which the host reaches too
//   WaitForDevice()      returns when all statements have run
#ifndef MSHADOW_TEST_TESTING_H_
#define MSHADOW_TEST_TESTING_H_

#include <gtest/gtest.h>
#include <mshadow/tensor.h>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#ifdef MSHADOW_TEST_DEVICE
#include MSHADOW_TEST_DEVICE
#else
namespace mshadow {
namespace testing {
using TestDevice = cpu;
template <typename DType>
using TestMemory = std::vector<DType>;
inline void WaitForDevice() {}
}  // namespace testing
}  // namespace mshadow
#endif

namespace mshadow {
namespace testing {

/// Calls f() once with each instruction set that this machine has, named in failure messages; on
/// another device just once.
template <typename F>
void ForEachIsa(const F& f) {
  if constexpr (!std::is_same_v<TestDevice, cpu>) return f();
  const simd::Isa best = simd::ActiveIsa();
  for (simd::Isa isa : {simd::Isa::kBaseline, simd::Isa::kAvx2, simd::Isa::kAvx512}) {
    if (!simd::ForceIsa(isa)) continue;
    SCOPED_TRACE(simd::IsaName(isa));
    f();
  }
  simd::ForceIsa(best);
}

/// A tensor of its own memory whose rows are `pad` elements longer than their contents and whose
/// first element lies `shift` elements behind an aligned address. What surrounds the contents holds
/// a guard value; Intact() says whether it still does.
template <int dim, typename DType = float>
class Guarded {
 public:
  explicit Guarded(const Shape<dim>& shape, index_t pad = 0, index_t shift = 0) {
    const index_t stride = shape[dim - 1] + (dim == 1 ? 0 : pad);
    const std::size_t rows = static_cast<std::size_t>(shape.ProdShape(0, dim - 1));
    memory_.assign(rows * stride + shift + kMargin, Guard());
    tensor_ = Tensor<TestDevice, dim, DType>(memory_.data() + shift, shape, stride, nullptr);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  Tensor<TestDevice, dim, DType>& operator*() {
    WaitForDevice();
    return tensor_;
  }
  Tensor<TestDevice, dim, DType>* operator->() { return &**this; }

  /// Element i in row-major order.
  DType& At(std::size_t i) {
    WaitForDevice();
    const std::size_t cols = tensor_.shape_[dim - 1];
    return tensor_.dptr_[i / cols * tensor_.stride_ + i % cols];
  }
  std::size_t Size() const { return tensor_.shape_.Size(); }

  /// Elements in [low, high), the same ones for the same seed.
  void FillRandom(double low, double high, uint32_t seed = 1) {
    uint32_t state = seed * 2654435761u + 12345u;
    for (std::size_t i = 0; i < Size(); ++i) {
      state = state * 1664525u + 1013904223u;
      At(i) = static_cast<DType>(
          static_cast<float>(low + (high - low) * ((state >> 8) / 16777216.0)));
    }
  }
  /// 0, 1, 2, ... in row-major order.
  void FillIota() {
    for (std::size_t i = 0; i < Size(); ++i) At(i) = static_cast<DType>(static_cast<float>(i));
  }
  /// True while nothing outside the tensor's elements was written.
  bool Intact() {
    WaitForDevice();
    std::vector<bool> inside(memory_.size(), false);
    for (std::size_t i = 0; i < Size(); ++i) inside[&At(i) - memory_.data()] = true;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (!inside[i] && !(memory_[i] == Guard())) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kMargin = 64;
  static DType Guard() { return static_cast<DType>(77.0f); }
  TestMemory<DType> memory_;
  Tensor<TestDevice, dim, DType> tensor_;
};

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_TESTING_H_
