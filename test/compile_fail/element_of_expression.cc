// SPDX-License-Identifier: Apache-2.0
// expect: an expression has no elements, e.i., before it is evaluated
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

float Element(Tensor<cpu, 2> a) {
#ifdef FIXED
  return eval(a + 1.0f)[0][1];
#else
  return (a + 1.0f)[0][1];
#endif
}
