// SPDX-License-Identifier: Apache-2.0
// The element type mshadow::half::half2_t.
#ifndef MSHADOW_HALF2_H_
#define MSHADOW_HALF2_H_

#include "core/half.h"

#endif  // MSHADOW_HALF2_H_
