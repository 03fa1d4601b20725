// SPDX-License-Identifier: Apache-2.0
// expect: an expression is no condition
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

bool Equal(Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  if (a.shape_ == b.shape_) return true;
#else
  if (a == b) return true;
#endif
  return false;
}
