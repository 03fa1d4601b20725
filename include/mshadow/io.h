// SPDX-License-Identifier: Apache-2.0
// SaveBinary and LoadBinary, and utils::IStream. <mshadow/tensor.h> brings them too.
#ifndef MSHADOW_IO_H_
#define MSHADOW_IO_H_

#include "tensor.h"

#endif  // MSHADOW_IO_H_
