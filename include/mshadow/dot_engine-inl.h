// SPDX-License-Identifier: Apache-2.0
// The 2.x name of the header of dot; expr::BLASEngine and expr::DotEngine.
#ifndef MSHADOW_DOT_ENGINE_INL_H_
#define MSHADOW_DOT_ENGINE_INL_H_

#include "expr/dot_engine.h"

#endif  // MSHADOW_DOT_ENGINE_INL_H_
