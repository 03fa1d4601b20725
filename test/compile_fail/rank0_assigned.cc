// SPDX-License-Identifier: Apache-2.0
// expect: an expression that has axes is assigned to a tensor of rank 0
#include <mshadow/rank0.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 0> s, Tensor<cpu, 2> a) {
#ifdef FIXED
  s = sum<kAllAxes>(a * 2.0f);
#else
  s = a * 2.0f;
#endif
}
