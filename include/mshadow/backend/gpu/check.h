// SPDX-License-Identifier: Apache-2.0
// Check: every call of the CUDA runtime goes through it.
#ifndef MSHADOW_BACKEND_GPU_CHECK_H_
#define MSHADOW_BACKEND_GPU_CHECK_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA

#include <cuda_runtime_api.h>

#include <string>

#include "../../core/logging.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

[[noreturn]] MSHADOW_COLD inline void ThrowError(cudaError_t status, const char* call) {
  static_cast<void>(cudaGetLastError());  // the next call is not to report this error again
  std::string text = std::string("CUDA: ") + call + " failed";
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess) {
    text += " on device " + std::to_string(device);
  } else {
    static_cast<void>(cudaGetLastError());
  }
  text += std::string(": ") + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")";
  if (status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice) {
    text += "; Tensor<gpu> needs an NVIDIA GPU and its driver, Tensor<cpu> works without";
  }
  throw Error(text);
}

/// Throws Error with the call, the device and CUDA's text where `status` is not success.
inline void Check(cudaError_t status, const char* call) {
  if (!MSHADOW_LIKELY(status == cudaSuccess)) ThrowError(status, call);
}

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_USE_CUDA
#endif  // MSHADOW_BACKEND_GPU_CHECK_H_
