// SPDX-License-Identifier: Apache-2.0
// expect: the operands of dot are tensors, or t.T
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  a = 2.0f * dot(b, b);
#else
  a = dot(b * 2.0f, b);
#endif
}
