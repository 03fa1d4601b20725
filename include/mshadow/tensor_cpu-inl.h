// SPDX-License-Identifier: Apache-2.0
// The 2.x name of the header of the CPU back end.
#ifndef MSHADOW_TENSOR_CPU_INL_H_
#define MSHADOW_TENSOR_CPU_INL_H_

#include "core/letters_begin.inc"

#include "tensor.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_TENSOR_CPU_INL_H_
