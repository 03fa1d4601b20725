// SPDX-License-Identifier: Apache-2.0
// expect: this argument is a vector; reshape.x, Shape1.x.shape_.Size.... is one of all elements
#include <mshadow/index.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2, int> x) {
#ifdef FIXED
  bincount(reshape(x, Shape1(x.shape_.Size())));
#else
  bincount(x);
#endif
}
