// SPDX-License-Identifier: Apache-2.0
// expect: where.mask, a, b. chooses by a mask
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> out, Tensor<cpu, 1> a, Tensor<cpu, 1, bool> mask) {
#ifdef FIXED
  out = where(mask, a, 0.0f);
#else
  out = a[mask];
#endif
}
