// SPDX-License-Identifier: Apache-2.0
// Let: a value that the statements of one Fuse share, and which is computed once.
//
//   Let<cpu, 2> t(a.shape_);
//   Fuse(let(t) = tanh(a * b + c), lazy(y) = t * d, lazy(z) = 1 - t * t);
#ifndef MSHADOW_LET_H_
#define MSHADOW_LET_H_

#include "core/letters_begin.inc"

#include "tensor.h"
#include "tensor/let.h"
#include "backend/cpu/run_fused.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_LET_H_
