// SPDX-License-Identifier: Apache-2.0
// expect: the expression has another element type than the tensor
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2, double> b) {
#ifdef FIXED
  Fuse(lazy(a) = tcast<float>(b * 2.0));
#else
  Fuse(lazy(a) = b * 2.0);
#endif
}
