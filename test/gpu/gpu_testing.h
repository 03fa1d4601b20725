// SPDX-License-Identifier: Apache-2.0
// What the tests on a CUDA device share: copies to the device and back, comparison.
#ifndef MSHADOW_TEST_GPU_GPU_TESTING_H_
#define MSHADOW_TEST_GPU_GPU_TESTING_H_

#include <gtest/gtest.h>
#include <mshadow/random.h>
#include <mshadow/tensor.h>

#include <cmath>
#include <type_traits>

#include "../testing.h"

namespace mshadow {
namespace testing {

/// A tensor on the host, and one on the device that statements run on alike.
template <int dim, typename DType = float>
class Twin {
 public:
  explicit Twin(const Shape<dim>& shape, index_t pad = 0, index_t shift = 0)
      : host_(shape, pad, shift), shift_(shift) {
    bytes_ = (host_.Size() / shape[dim - 1] * host_->stride_ + shift) * sizeof(DType);
    Check(cudaMalloc(&memory_, bytes_ + 64));
    device_ = Tensor<gpu, dim, DType>(reinterpret_cast<DType*>(memory_) + shift, shape,
                                      host_->stride_, nullptr);
  }
  ~Twin() { static_cast<void>(cudaFree(memory_)); }
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;

  Guarded<dim, DType>& host() { return host_; }
  Tensor<cpu, dim, DType>& c() { return *host_; }
  Tensor<gpu, dim, DType>& g() { return device_; }

  /// Random numbers on both.
  void Fill(double low, double high, uint32_t seed = 1) {
    host_.FillRandom(low, high, seed);
    Upload();
  }
  void Upload() { Check(cudaMemcpy(memory_, host_->dptr_ - shift_, bytes_, cudaMemcpyDefault)); }

  /// The device's elements are the host's, to within `tolerance` relative to 1 and the element.
  void ExpectEqual(double tolerance = 0) {
    Guarded<dim, DType> got(host_->shape_, host_->stride_ - host_->shape_[dim - 1], shift_);
    Check(cudaMemcpy(got->dptr_ - shift_, memory_, bytes_, cudaMemcpyDefault));
    for (std::size_t i = 0; i < got.Size(); ++i) {
      const double a = static_cast<double>(static_cast<float>(got.At(i)));
      const double b = static_cast<double>(static_cast<float>(host_.At(i)));
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      ASSERT_LE(std::abs(a - b), tolerance * (1 + std::abs(b)))
          << "element " << i << " of " << LogText(host_->shape_) << ": device " << a << ", host "
          << b;
    }
  }

 private:
  static void Check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess); }
  Guarded<dim, DType> host_;
  index_t shift_;
  std::size_t bytes_ = 0;
  void* memory_ = nullptr;
  Tensor<gpu, dim, DType> device_;
};

/// An element as a double, and back: by way of float where it has no more digits.
template <typename DType>
double ValueOf(DType value) {
  if constexpr (std::is_same_v<DType, double>) return value;
  return static_cast<double>(static_cast<float>(value));
}
template <typename DType>
DType ElementOf(double value) {
  if constexpr (std::is_same_v<DType, double>) return value;
  return static_cast<DType>(static_cast<float>(value));
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_GPU_GPU_TESTING_H_
