// SPDX-License-Identifier: Apache-2.0
// Everyday names of NumPy that tensor.h leaves out, most of them formulas of its expressions:
// linspace, indices, meshgrid, expand_dims, stack, repeat, split, diff, gradient, cumprod, nansum,
// allclose, hypot, bitwise_and, ...; and reductions over axes known at run time.
//
//   y = sum(x, axis) / hypot(linspace(0, 1, n), 2);
//
// guide/cheatsheet.md lists them beside NumPy's.
#ifndef MSHADOW_NUMPY_H_
#define MSHADOW_NUMPY_H_

#include "core/letters_begin.inc"

#include "numpy/creation.h"
#include "numpy/elementwise.h"
#include "numpy/shapes.h"
#include "numpy/statistics.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_NUMPY_H_
