// SPDX-License-Identifier: Apache-2.0
// TBlob and TShape, as <mshadow/tensor_blob.h>.
#ifndef MSHADOW_TBLOB_H_
#define MSHADOW_TBLOB_H_

#include "tensor_blob.h"

#endif  // MSHADOW_TBLOB_H_
