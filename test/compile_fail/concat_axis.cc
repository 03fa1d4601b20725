// SPDX-License-Identifier: Apache-2.0
// expect: concat<axis>.a, b.: the axis must be one of the operands
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  a = concat<1>(b, b);
#else
  a = concat(b, b);
#endif
}
