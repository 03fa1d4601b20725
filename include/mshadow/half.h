// SPDX-License-Identifier: Apache-2.0
// The element type mshadow::half::half_t.
#ifndef MSHADOW_HALF_H_
#define MSHADOW_HALF_H_

#include "core/half.h"

#endif  // MSHADOW_HALF_H_
