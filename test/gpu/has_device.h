// SPDX-License-Identifier: Apache-2.0
// Whether there is a CUDA device that tests can run on.
#ifndef MSHADOW_TEST_GPU_HAS_DEVICE_H_
#define MSHADOW_TEST_GPU_HAS_DEVICE_H_

#include <cuda_runtime_api.h>

namespace mshadow {
namespace testing {

inline bool HasDevice() {
  int count = 0;
  const bool has = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  static_cast<void>(cudaGetLastError());
  return has;
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_GPU_HAS_DEVICE_H_
