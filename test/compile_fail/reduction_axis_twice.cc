// SPDX-License-Identifier: Apache-2.0
// expect: a reduction names an axis twice
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> v, Tensor<cpu, 3> a) {
#ifdef FIXED
  v = max<1, -1>(a);
#else
  v = max<2, -1>(a);
#endif
}
