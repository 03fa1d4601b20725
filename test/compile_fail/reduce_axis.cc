// SPDX-License-Identifier: Apache-2.0
// expect: dimkeep must be an axis of the expression
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> v, Tensor<cpu, 3> a) {
#ifdef FIXED
  v = sumall_except_dim<2>(a);
#else
  v = sumall_except_dim<3>(a);
#endif
}
