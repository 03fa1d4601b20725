// SPDX-License-Identifier: Apache-2.0
// expect: reshape.t, shape. takes one Shape
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> b, Tensor<cpu, 2> a) {
#ifdef FIXED
  b = reshape(a, Shape2(3, 2));
#else
  b = reshape(a, 3, 2);
#endif
}
