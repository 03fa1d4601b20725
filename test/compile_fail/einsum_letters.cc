// SPDX-License-Identifier: Apache-2.0
// expect: MSHADOW_EINSUM takes a term of letters for each operand
#include <mshadow/einsum.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> c, Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  c = MSHADOW_EINSUM("ij,jk->ik", a, b);
#else
  c = MSHADOW_EINSUM("ij,jk", a, b);
#endif
}
