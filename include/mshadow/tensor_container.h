// SPDX-License-Identifier: Apache-2.0
// TensorContainer, the tensor that owns its memory. <mshadow/tensor.h> brings it too.
#ifndef MSHADOW_TENSOR_CONTAINER_FACADE_H_
#define MSHADOW_TENSOR_CONTAINER_FACADE_H_

#include "core/letters_begin.inc"

#include "tensor.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_TENSOR_CONTAINER_FACADE_H_
