// SPDX-License-Identifier: Apache-2.0
// expect: the quantile of a vector is a number
#include <mshadow/index.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> x) {
#ifdef FIXED
  median(x);
#else
  median(x, 0);
#endif
}
