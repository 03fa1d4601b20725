// SPDX-License-Identifier: Apache-2.0
// expect: an element of a tensor is t.i..j., not t.i, j.
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

float Element(Tensor<cpu, 2> a) {
#ifdef FIXED
  return a[0][1];
#else
  return a(0, 1);
#endif
}
