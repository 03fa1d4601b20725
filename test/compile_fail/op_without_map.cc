// SPDX-License-Identifier: Apache-2.0
// expect: Op needs a static Map that takes one element of each operand
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

struct Half {
#ifdef FIXED
  MSHADOW_XINLINE static float Map(float a) { return a / 2; }
#else
  MSHADOW_XINLINE static float Apply(float a) { return a / 2; }
#endif
};

void Statement(Tensor<cpu, 2> a) { a = F<Half>(a); }
