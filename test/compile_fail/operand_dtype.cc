// SPDX-License-Identifier: Apache-2.0
// expect: the operands have different element types; convert one with
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2, double> b) {
#ifdef FIXED
  a = a + tcast<float>(b);
#else
  a = a + b;
#endif
}
