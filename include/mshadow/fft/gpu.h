// SPDX-License-Identifier: Apache-2.0
// Transforms of Tensor<gpu> by cuFFT, where MSHADOW_USE_CUFFT is 1.
#ifndef MSHADOW_FFT_GPU_H_
#define MSHADOW_FFT_GPU_H_

#include "../backend/gpu/fft.h"

#if MSHADOW_USE_CUFFT

#include "device_lines.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::fft {

struct CuFft {
  template <typename T>
  static void Run(const Batch& batch, const void* in, void* out, Stream<gpu>* stream) {
    cuda::RunFft<T>(batch, in, out, stream);
  }
};
template <typename T>
using GpuLines = DeviceLines<CuFft, gpu, T>;

}  // namespace detail::fft
MSHADOW_NAMESPACE_END

#endif  // MSHADOW_USE_CUFFT
#endif  // MSHADOW_FFT_GPU_H_
