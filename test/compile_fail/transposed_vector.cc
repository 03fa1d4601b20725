// SPDX-License-Identifier: Apache-2.0
// expect: is defined for matrices
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 3> a, Tensor<cpu, 3> b) {
#ifdef FIXED
  a[0] = b[0].T();
#else
  a = b.T();
#endif
}
