// SPDX-License-Identifier: Apache-2.0
// Gradients of statements, in reverse mode.
//
//   Parameter<cpu, 2> w(Shape2(784, 10));      // a value and its gradient
//   Parameter<cpu, 1> b(Shape1(10));
//   Tape t;
//   auto h = t(relu(dot(x, w) + b));           // a statement: computed, and remembered
//   auto loss = t(mean_all(cross_entropy(h, labels)));
//   t.Backward(loss);                          // adds to w.grad() and b.grad()
//
// A tensor is a constant, a Variable is not: h.value is h as a constant. Within a statement all
// types are known: its gradients are expressions of the library, and those of one map share a
// loop (Fuse). From statement to statement there is a virtual call.
//
// See guide/gradients.md.
#ifndef MSHADOW_GRAD_H_
#define MSHADOW_GRAD_H_

#include "core/letters_begin.inc"

#include "grad/derivative.h"
#include "grad/dual.h"
#include "grad/forward.h"
#include "grad/products.h"
#include "grad/reductions.h"
#include "grad/rows.h"
#include "grad/tape.h"
#include "grad/variable.h"
#include "grad/views.h"
#include "grad/windows.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_GRAD_H_
