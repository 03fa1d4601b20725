// SPDX-License-Identifier: Apache-2.0
// SaveBinary and LoadBinary, and utils::IStream. <mshadow/tensor.h> brings them too.
#ifndef MSHADOW_IO_H_
#define MSHADOW_IO_H_

#include "core/letters_begin.inc"

#include "tensor.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_IO_H_
