// SPDX-License-Identifier: Apache-2.0
// expect: concat<axis>.a, b.: the operands differ in the number of axes
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2> b, Tensor<cpu, 1> c) {
#ifdef FIXED
  a = concat<0>(b, reshape(c, Shape2(1, c.size(0))));
#else
  a = concat<0>(b, c);
#endif
}
