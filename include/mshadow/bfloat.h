// SPDX-License-Identifier: Apache-2.0
// The element type mshadow::bfloat::bf16_t.
#ifndef MSHADOW_BFLOAT_H_
#define MSHADOW_BFLOAT_H_

#include "core/bfloat.h"

#endif  // MSHADOW_BFLOAT_H_
