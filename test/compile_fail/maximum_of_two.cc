// SPDX-License-Identifier: Apache-2.0
// expect: max<axis>.t. reduces one tensor: .*maximum.a, b.
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a) {
#ifdef FIXED
  a = maximum(a, 0.0f);
#else
  a = max(a, 0.0f);
#endif
}
