// SPDX-License-Identifier: Apache-2.0
// expect: broadcast<axis>.v, shape. takes a vector; broadcast_with_axis.t, axis, size.
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 3> a, Tensor<cpu, 2> m) {
#ifdef FIXED
  a = broadcast_with_axis(m, -1, a.size(0));
#else
  a = broadcast<0>(m, a.shape_);
#endif
}
