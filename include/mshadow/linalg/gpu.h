// SPDX-License-Identifier: Apache-2.0
// Linear algebra of Tensor<gpu>, by cuSOLVER and cuBLAS: linalg.h includes this under nvcc where
// MSHADOW_USE_CUSOLVER is 1.
#ifndef MSHADOW_LINALG_GPU_H_
#define MSHADOW_LINALG_GPU_H_

#include "on_device_functions.h"

#if MSHADOW_USE_CUDA && MSHADOW_USE_CUSOLVER

#include "../backend/gpu/solver.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::linalg {
template <>
struct SolverOf<gpu> {
  using Type = cuda::Solver;
};
}  // namespace detail::linalg
MSHADOW_NAMESPACE_END

#endif  // MSHADOW_USE_CUDA && MSHADOW_USE_CUSOLVER
#endif  // MSHADOW_LINALG_GPU_H_
