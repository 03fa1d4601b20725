// SPDX-License-Identifier: Apache-2.0
// expect: a Shape has at least one axis
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a) {
#ifdef FIXED
  Shape<1> shape;
  static_cast<void>(shape);
  a = 1.0f;
#else
  Shape<0> shape;
  static_cast<void>(shape);
  a = 1.0f;
#endif
}
