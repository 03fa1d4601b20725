// SPDX-License-Identifier: Apache-2.0
// expect: dot and reductions to one axis cannot be part of a larger expression
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  a = dot(b, b);
  a += 1.0f;
#else
  a = 1.0f + dot(b, b);
#endif
}
