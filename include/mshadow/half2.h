// SPDX-License-Identifier: Apache-2.0
// The element type mshadow::half::half2_t.
#ifndef MSHADOW_HALF2_H_
#define MSHADOW_HALF2_H_

#include "core/letters_begin.inc"

#include "core/half.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_HALF2_H_
