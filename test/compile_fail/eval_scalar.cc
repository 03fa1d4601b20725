// SPDX-License-Identifier: Apache-2.0
// expect: the shape of the expression is not known without a target
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a) {
#ifdef FIXED
  auto b = eval(a * scalar(2.0f));
#else
  static_cast<void>(a);
  auto b = eval(scalar(2.0f));
#endif
}
