// SPDX-License-Identifier: Apache-2.0
// expect: broadcast<axis>.v, shape.: the axis must be one of the shape
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 1> v) {
#ifdef FIXED
  a = broadcast<1>(v, a.shape_);
#else
  a = broadcast(v, a.shape_);
#endif
}
