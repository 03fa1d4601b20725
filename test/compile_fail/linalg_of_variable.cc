// SPDX-License-Identifier: Apache-2.0
// expect: linear algebra of a Variable would leave the tape
#include <mshadow/linalg.h>
#include <mshadow/grad.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tape* t, const Parameter<cpu, 2>& w) {
#ifdef FIXED
  (*t)(w + inv(w.value));
#else
  (*t)(w + inv(w));
#endif
}
