// SPDX-License-Identifier: Apache-2.0
// expect: a reduction is assigned to a tensor of another number of axes
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> v, Tensor<cpu, 2> m, Tensor<cpu, 2> a) {
#ifdef FIXED
  v = var<1>(a) + m[0];
#else
  static_cast<void>(v);
  m = var<1>(a);
#endif
}
