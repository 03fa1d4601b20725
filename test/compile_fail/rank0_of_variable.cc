// SPDX-License-Identifier: Apache-2.0
// expect: a reduction of a Variable to rank 0 would leave the tape
#include <mshadow/grad.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tape& tape, Variable<cpu, 2, float> x) {
#ifdef FIXED
  static_cast<void>(tape(sum_all(x)));
#else
  static_cast<void>(tape(sum<kAllAxes>(x)));
#endif
}
