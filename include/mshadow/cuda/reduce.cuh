// SPDX-License-Identifier: Apache-2.0
// The path of mshadow 2.x; the names that its kernels used.
#ifndef MSHADOW_CUDA_REDUCE_CUH_
#define MSHADOW_CUDA_REDUCE_CUH_

#include "../core/letters_begin.inc"

#include "../tensor.h"
#include "../backend/gpu/kernel_names.h"

#include "../core/letters_end.inc"
#endif  // MSHADOW_CUDA_REDUCE_CUH_
