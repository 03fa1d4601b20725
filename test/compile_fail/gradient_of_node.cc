// SPDX-License-Identifier: Apache-2.0
// expect: holds a Variable and has no gradient: take .value, or specialise Gradient<Node>
#include <mshadow/grad.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tape* t, const Parameter<cpu, 2>& w, const Parameter<cpu, 2>& v) {
#ifdef FIXED
  (*t)(implicit_dot(w.value, w.value) + v);
#else
  (*t)(implicit_dot(w, w) + v);
#endif
}
