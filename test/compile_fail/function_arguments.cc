// SPDX-License-Identifier: Apache-2.0
// expect: cannot be called with one element of each operand
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  a = F([](float x, float y) { return x + 2 * y; }, a, b);
#else
  a = F([](float x) { return 2 * x; }, a, b);
#endif
}
