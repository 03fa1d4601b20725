// SPDX-License-Identifier: Apache-2.0
// expect: sum<axis>.t. reduces one tensor: its axes are template arguments
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> v, Tensor<cpu, 2> a) {
#ifdef FIXED
  v = sum<0>(a);
#else
  v = sum(a, 0);
#endif
}
