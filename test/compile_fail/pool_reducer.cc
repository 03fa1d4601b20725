// SPDX-License-Identifier: Apache-2.0
// expect: pool<Reducer>.x, .... and pool3d need to know how a window is reduced
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 4> b, Tensor<cpu, 4> a) {
#ifdef FIXED
  b = pool<red::maximum>(a, 2, 2, 2);
#else
  b = pool(a, 2, 2, 2);
#endif
}
