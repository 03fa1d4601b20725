// SPDX-License-Identifier: Apache-2.0
// TBlob and TShape, as <mshadow/tensor_blob.h>.
#ifndef MSHADOW_TBLOB_H_
#define MSHADOW_TBLOB_H_

#include "core/letters_begin.inc"

#include "tensor_blob.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_TBLOB_H_
