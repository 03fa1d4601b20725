// SPDX-License-Identifier: Apache-2.0
// expect: left operand of comma operator has no effect|cannot convert|no viable conversion
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

float Element(Tensor<cpu, 2> a) {
#ifdef FIXED
  return a[0][1];
#else
  return a[0, 1];
#endif
}
