// SPDX-License-Identifier: Apache-2.0
// expect: another number of axes than the tensor it is assigned to; broadcast<axis>.v, shape.
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 1> v) {
#ifdef FIXED
  a = broadcast<0>(v, a.shape_);
#else
  a = v;
#endif
}
