// SPDX-License-Identifier: Apache-2.0
// expect: MSHADOW_EINSUM has a term for each operand
#include <mshadow/einsum.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> c, Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  c = MSHADOW_EINSUM("ij,jk,kl->il", a, b, a);
#else
  c = MSHADOW_EINSUM("ij,jk,kl->il", a, b);
#endif
}
