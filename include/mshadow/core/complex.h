// SPDX-License-Identifier: Apache-2.0
// std::complex<float> and std::complex<double> as element types.
#ifndef MSHADOW_CORE_COMPLEX_H_
#define MSHADOW_CORE_COMPLEX_H_

#include <complex>

#include "config.h"
#include "dtype.h"

MSHADOW_NAMESPACE_BEGIN
template <>
struct DataType<std::complex<float>> {
  static constexpr int kFlag = kComplex64;
  static constexpr int kLanes = 1;
  using ScaleType = std::complex<float>;
#if MSHADOW_USE_CUDA
  static constexpr cudaDataType_t kCudaFlag = CUDA_C_32F;
#endif
};
template <>
struct DataType<std::complex<double>> {
  static constexpr int kFlag = kComplex128;
  static constexpr int kLanes = 1;
  using ScaleType = std::complex<double>;
#if MSHADOW_USE_CUDA
  static constexpr cudaDataType_t kCudaFlag = CUDA_C_64F;
#endif
};
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_COMPLEX_H_
