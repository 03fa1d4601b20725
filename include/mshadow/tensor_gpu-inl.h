// SPDX-License-Identifier: Apache-2.0
// The path of mshadow 2.x.
#ifndef MSHADOW_TENSOR_GPU_INL_H_
#define MSHADOW_TENSOR_GPU_INL_H_

#include "core/letters_begin.inc"

#include "tensor.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_TENSOR_GPU_INL_H_
