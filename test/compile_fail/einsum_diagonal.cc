// SPDX-License-Identifier: Apache-2.0
// expect: the result of MSHADOW_EINSUM names an axis twice
#include <mshadow/einsum.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> c, Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  c = MSHADOW_EINSUM("ii,ij->ij", a, b);
#else
  c = MSHADOW_EINSUM("ij,ij->ii", a, b);
#endif
}
