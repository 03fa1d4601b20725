// SPDX-License-Identifier: Apache-2.0
// expect: no matching .*TensorContainer<mshadow::cpu, 2>
// A constructor that says more would make a({2, 3}), which is a shape, ambiguous.
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement() {
#ifdef FIXED
  TensorContainer<cpu, 2> a(Shape2(2, 3)), b({2, 3});
#else
  TensorContainer<cpu, 2> a(2, 3);
#endif
}
