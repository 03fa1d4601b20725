// SPDX-License-Identifier: Apache-2.0
// The 2.x name of the expression engine's header.
#ifndef MSHADOW_EXPR_ENGINE_INL_H_
#define MSHADOW_EXPR_ENGINE_INL_H_

#include "core/letters_begin.inc"

#include "expression.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_EXPR_ENGINE_INL_H_
