// SPDX-License-Identifier: Apache-2.0
// The 2.x name of the header of dot; expr::BLASEngine and expr::DotEngine.
#ifndef MSHADOW_DOT_ENGINE_INL_H_
#define MSHADOW_DOT_ENGINE_INL_H_

#include "core/letters_begin.inc"

#include "expr/dot_engine.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_DOT_ENGINE_INL_H_
