// SPDX-License-Identifier: Apache-2.0
// expect: two operands of MSHADOW_EINSUM have more than 8 axes together
#include <mshadow/einsum.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> c, Tensor<cpu, 5> a, Tensor<cpu, 5> b) {
#ifdef FIXED
  c = MSHADOW_EINSUM("abcde,bcdef->af", a, b);
#else
  c = MSHADOW_EINSUM("abcde,efghi->ai", a, b);
#endif
}
