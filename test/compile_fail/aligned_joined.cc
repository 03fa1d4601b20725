// SPDX-License-Identifier: Apache-2.0
// expect: a tensor v and a reduction r were joined
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> d, Tensor<cpu, 2> q, Tensor<cpu, 2> x, Tensor<cpu, 1> x2) {
#ifdef FIXED
  d = sum<1>(q * q) - 2 * dot(q, x.T()) + x2;
  d -= sum<1>(q * q) * broadcast<0>(x2, d.shape_);
  x2 = sum<1>(q * q) + x2;
#else
  d = sum<1>(q * q) + x2 - 2 * dot(q, x.T());
#endif
}
