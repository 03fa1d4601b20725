// SPDX-License-Identifier: Apache-2.0
// Names that kernels written for mshadow 2.x use: checks of calls, launch constants, and reductions
// of a block's shared memory. The library itself does without.
#ifndef MSHADOW_BACKEND_GPU_KERNEL_NAMES_H_
#define MSHADOW_BACKEND_GPU_KERNEL_NAMES_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA

#include <cuda_runtime_api.h>

#include "check.h"

/// Throws Error with the call and CUDA's text where `call` does not return cudaSuccess. A block, as
/// in 2.x: it needs no semicolon.
#define MSHADOW_CUDA_CALL(call) \
  { ::mshadow::cuda::Check((call), #call); }
/// Throws Error where the launch of the kernel `name` failed; the error is taken back.
#define MSHADOW_CUDA_POST_KERNEL_CHECK(name)                                            \
  do {                                                                                  \
    ::mshadow::cuda::Check(::cudaPeekAtLastError(), "the launch of the kernel " #name); \
  } while (0)

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

const int kMemUnitBits = 5;
const int kMemUnit = 1 << kMemUnitBits;
const int kMemUnitMask = kMemUnit - 1;
const int kMaxThreadsPerBlock = 1024;
const int kBaseThreadBits = 8;
const int kBaseThreadNum = 1 << kBaseThreadBits;
const int kMaxGridNum = 65535;
const int kMaxGridDim = 65535;
const int kBaseGridNum = 1024;

/// xsize rounded up to a multiple of kMemUnit, where rows are so long that padding pays.
inline index_t GetAlignStride(index_t xsize) {
  if (xsize < static_cast<index_t>(MSHADOW_MIN_PAD_RATIO * kMemUnit)) return xsize;
  return (xsize + kMemUnitMask) / kMemUnit * kMemUnit;
}

/// Throws Error where a launch of `grid` blocks of `block` threads exceeds what 2.x allowed.
inline void CheckLaunchParam(dim3 grid, dim3 block, const char* estr = "") {
  const unsigned long long threads =  // NOLINT: 64 bits on every system
      1ULL * block.x * block.y * block.z;
  constexpr unsigned kMax = static_cast<unsigned>(kMaxGridDim);
  MSHADOW_CHECK(threads <= static_cast<unsigned>(kMaxThreadsPerBlock) && grid.x <= kMax &&
                grid.y <= kMax)
      << "too large launch parameter: " << estr << "[" << grid.x << "," << grid.y << "], ["
      << block.x << "," << block.y << "," << block.z << "]";
}

#ifdef __CUDACC__

/// Reduces buf[0 .. xsize) to buf[0], in the same order in every run; called by all threads of a
/// block whose threads along x are 2^xmax_bits, at least xsize.
template <typename Reducer, int xmax_bits, typename DType>
inline __device__ void Reduce1DNotAlign(volatile DType* buf, int xsize) {
  __syncthreads();
  for (int half = 1 << xmax_bits >> 1; half > 0; half /= 2) {
    const int other = static_cast<int>(threadIdx.x) + half;
    if (static_cast<int>(threadIdx.x) < half && other < xsize) {
      const DType value = buf[other];
      Reducer::Reduce(buf[threadIdx.x], value);
    }
    __syncthreads();
  }
}

/// The same for buf[0 .. 2^x_bits).
template <typename Reducer, int x_bits, typename DType>
inline __device__ void Reduce1D(volatile DType* buf) {
  Reduce1DNotAlign<Reducer, x_bits>(buf, 1 << x_bits);
}

#endif  // __CUDACC__

}  // namespace cuda
MSHADOW_NAMESPACE_END

#endif  // MSHADOW_USE_CUDA
#endif  // MSHADOW_BACKEND_GPU_KERNEL_NAMES_H_
