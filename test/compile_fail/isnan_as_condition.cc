// SPDX-License-Identifier: Apache-2.0
// expect: an expression is no condition
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

bool HasNan(Tensor<cpu, 2> a) {
#ifdef FIXED
  if (any(isnan(a))) return true;
#else
  if (isnan(a)) return true;
#endif
  return false;
}
