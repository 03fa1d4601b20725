// SPDX-License-Identifier: Apache-2.0
// expect: slice, concat, flip and Column of an expression or of const elements cannot be assigned
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2, const float> b, Tensor<cpu, 1> c) {
#ifdef FIXED
  Column(a, 0) = Column(b, 0) + Column(a * 2.0f, 1) + c;
#else
  static_cast<void>(a);
  Column(b, 0) = c;
#endif
}
