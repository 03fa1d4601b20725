// SPDX-License-Identifier: Apache-2.0
// expect: Fuse takes statements that have not run
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  Fuse(lazy(a) = b * 2.0f, lazy(b) += a);
#else
  Fuse(a = b * 2.0f, b += a);
#endif
}
