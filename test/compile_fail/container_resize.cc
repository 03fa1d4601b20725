// SPDX-License-Identifier: Apache-2.0
// expect: Resize takes a Shape
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(TensorContainer<cpu, 2>& a) {
#ifdef FIXED
  a.Resize(Shape2(2, 3));
#else
  a.Resize(2, 3);
#endif
}
