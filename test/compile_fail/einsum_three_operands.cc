// SPDX-License-Identifier: Apache-2.0
// expect: MSHADOW_EINSUM takes two operands
#include <mshadow/einsum.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> d, Tensor<cpu, 2> a, Tensor<cpu, 2> b, Tensor<cpu, 2> c) {
#ifdef FIXED
  d = MSHADOW_EINSUM("ij,jk->ik", a, eval(MSHADOW_EINSUM("ij,jk->ik", b, c)));
#else
  d = MSHADOW_EINSUM("ij,jk,kl->il", a, b, c);
#endif
}
