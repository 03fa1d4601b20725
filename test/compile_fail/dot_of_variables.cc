// SPDX-License-Identifier: Apache-2.0
// expect: dot of two vectors, a number, would leave the tape
#include <mshadow/grad.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tape* t, const Parameter<cpu, 1>& w, Tensor<cpu, 1> x) {
#ifdef FIXED
  (*t)(sum_all(w * x));
#else
  (*t)(dot(w, x) * sum_all(w));
#endif
}
