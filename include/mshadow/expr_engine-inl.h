// SPDX-License-Identifier: Apache-2.0
// The 2.x name of the expression engine's header.
#ifndef MSHADOW_EXPR_ENGINE_INL_H_
#define MSHADOW_EXPR_ENGINE_INL_H_

#include "expression.h"

#endif  // MSHADOW_EXPR_ENGINE_INL_H_
