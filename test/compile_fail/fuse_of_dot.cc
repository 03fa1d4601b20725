// SPDX-License-Identifier: Apache-2.0
// expect: the expression cannot be evaluated element by element
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  Fuse(lazy(a) *= b, lazy(b) += a);
#else
  Fuse(lazy(a) = dot(a, b), lazy(b) += a);
#endif
}
