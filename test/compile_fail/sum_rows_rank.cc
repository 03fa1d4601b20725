// SPDX-License-Identifier: Apache-2.0
// expect: sum_rows takes a matrix
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> v, Tensor<cpu, 3> a) {
#ifdef FIXED
  v = sumall_except_dim<2>(a);
#else
  v = sum_rows(a);
#endif
}
