// SPDX-License-Identifier: Apache-2.0
// expect: the operands of dot have different element types
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2, double> b) {
#ifdef FIXED
  static_cast<void>(b);
  a = dot(a, a);
#else
  a = dot(a, b);
#endif
}
