// SPDX-License-Identifier: Apache-2.0
// expect: a reduction over an axis that the expression does not have
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> v, Tensor<cpu, 2> a) {
#ifdef FIXED
  v = sum<-2>(a * 2);
#else
  v = sum<2>(a * 2);
#endif
}
