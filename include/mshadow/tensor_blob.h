// SPDX-License-Identifier: Apache-2.0
// TBlob and TShape: tensors whose rank, device and element type are known at run time.
#ifndef MSHADOW_TENSOR_BLOB_FACADE_H_
#define MSHADOW_TENSOR_BLOB_FACADE_H_

#include "core/letters_begin.inc"

#include "tensor.h"
#include "tensor/blob.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_TENSOR_BLOB_FACADE_H_
