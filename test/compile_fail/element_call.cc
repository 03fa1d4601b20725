// SPDX-License-Identifier: Apache-2.0
// expect: t.i, j, ... takes as many indices as the tensor has axes
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

float Element(Tensor<cpu, 2> a) {
#ifdef FIXED
  return a(0, 1);
#else
  return a(1);
#endif
}
