// SPDX-License-Identifier: Apache-2.0
// expect: softmax along an axis that the expression does not have
#include <mshadow/nn.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> y, Tensor<cpu, 2> x) {
#ifdef FIXED
  y = softmax<-1>(x);
#else
  y = softmax<2>(x);
#endif
}
