// SPDX-License-Identifier: Apache-2.0
// expect: dot takes vectors and matrices; batch_dot multiplies batches
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 3> a, Tensor<cpu, 3> b) {
#ifdef FIXED
  a = batch_dot<false, true>(b, b);
#else
  a = dot(b, b);
#endif
}
