// SPDX-License-Identifier: Apache-2.0
// The headers of CUDA's libraries that those of mshadow 2.x brought; base.h includes this where
// MSHADOW_2X is set. cuSOLVER and cuDNN come with MSHADOW_USE_CUSOLVER and MSHADOW_USE_CUDNN.
#ifndef MSHADOW_BACKEND_GPU_HEADERS_2X_H_
#define MSHADOW_BACKEND_GPU_HEADERS_2X_H_

#include "../../core/config.h"

#if MSHADOW_USE_CUDA

#include <cublas_v2.h>
#include <cuda.h>
#include <curand.h>

#include "handles.h"

#endif  // MSHADOW_USE_CUDA
#endif  // MSHADOW_BACKEND_GPU_HEADERS_2X_H_
