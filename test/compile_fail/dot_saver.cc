// SPDX-License-Identifier: Apache-2.0
// expect: a dot can be assigned with =, [+]= and -= only
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  a += dot(b, b);
#else
  a *= dot(b, b);
#endif
}
