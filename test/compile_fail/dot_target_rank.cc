// SPDX-License-Identifier: Apache-2.0
// expect: no dot for tensors of these ranks
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> v, Tensor<cpu, 2> a) {
#ifdef FIXED
  v = dot(v, a);
#else
  v = dot(a, a);
#endif
}
