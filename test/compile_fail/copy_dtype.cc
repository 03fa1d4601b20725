// SPDX-License-Identifier: Apache-2.0
// expect: Copy.dst, src.: src has another element type than dst
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2, double> b) {
#ifdef FIXED
  a = tcast<float>(b);
#else
  Copy(a, b);
#endif
}
