// SPDX-License-Identifier: Apache-2.0
// expect: live on different
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<gpu, 2> b) {
#ifdef FIXED
  static_cast<void>(b);
  a *= 2.0f;
#else
  a = b * 2.0f;
#endif
}
