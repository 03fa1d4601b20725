// SPDX-License-Identifier: Apache-2.0
// expect: Op needs a static Map that takes one element of each operand
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

struct Half {
  MSHADOW_XINLINE static float Map(float a) { return a / 2; }
};

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  a = F<Half>(a + b);
#else
  a = F<Half>(a, b);
#endif
}
