// SPDX-License-Identifier: Apache-2.0
// expect: the product of two operands of MSHADOW_EINSUM has more than 8 axes
#include <mshadow/einsum.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> c, Tensor<cpu, 5> a, Tensor<cpu, 5> b, Tensor<cpu, 8> d) {
#ifdef FIXED
  c = MSHADOW_EINSUM("abcde,acdefghi,fghij->j", a, d, b);
#else
  c = MSHADOW_EINSUM("abcde,fghij,acdefghi->j", a, b, d);
#endif
}
