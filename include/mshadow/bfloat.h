// SPDX-License-Identifier: Apache-2.0
// The element type mshadow::bfloat::bf16_t.
#ifndef MSHADOW_BFLOAT_H_
#define MSHADOW_BFLOAT_H_

#include "core/letters_begin.inc"

#include "core/bfloat.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_BFLOAT_H_
