// SPDX-License-Identifier: Apache-2.0
// expect: give a tensor of one axis and can only be assigned to one
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> v, Tensor<cpu, 2> a) {
#ifdef FIXED
  v = sum_rows(a);
#else
  static_cast<void>(v);
  a = sum_rows(a);
#endif
}
