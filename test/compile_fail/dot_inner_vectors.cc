// SPDX-License-Identifier: Apache-2.0
// expect: the outer product of two vectors is dot.u.T.., v.
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 1> u) {
#ifdef FIXED
  a = dot(u.T(), u);
#else
  a = dot(u, u.T());
#endif
}
