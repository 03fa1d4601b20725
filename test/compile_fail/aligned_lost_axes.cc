// SPDX-License-Identifier: Apache-2.0
// expect: two operands of one rank came from reductions of different axes
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> x, Tensor<cpu, 1> v) {
#ifdef FIXED
  v = sum<0>(x) + max<0>(x) * 2.0f;
#else
  v = sum<0>(x) + sum<1>(x);
#endif
}
