// SPDX-License-Identifier: Apache-2.0
// Every node that is no extension: scalars, element-wise maps, casts, transposes, dot.
#ifndef MSHADOW_EXPRESSION_H_
#define MSHADOW_EXPRESSION_H_

#include "core/letters_begin.inc"

#include "expr/call.h"
#include "expr/dot.h"
#include "expr/dot_engine.h"
#include "expr/engine.h"
#include "expr/functions.h"
#include "expr/fuse.h"
#include "expr/make_tensor.h"
#include "expr/map.h"
#include "expr/operators.h"
#include "expr/transpose.h"
#include "expr/typecast.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_EXPRESSION_H_
