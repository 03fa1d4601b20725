// SPDX-License-Identifier: Apache-2.0
// expect: argsort, nonzero, unique and bincount take vectors
#include <mshadow/index.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> x) {
#ifdef FIXED
  argsort(reshape(x, Shape1(x.shape_.Size())));
#else
  argsort(x);
#endif
}
