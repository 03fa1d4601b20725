// SPDX-License-Identifier: Apache-2.0
// expect: a reduction of a Variable to a number would leave the tape
#include <mshadow/grad.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tape* t, const Parameter<cpu, 1>& w) {
#ifdef FIXED
  (*t)(w / mean<0>(w.value));
#else
  (*t)(w / mean(w));
#endif
}
