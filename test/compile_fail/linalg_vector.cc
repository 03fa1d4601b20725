// SPDX-License-Identifier: Apache-2.0
// expect: linear algebra needs matrices: an operand of 2 axes or more
#include <mshadow/linalg.h>

using namespace mshadow;
using namespace mshadow::expr;

float Statement(Tensor<cpu, 1> v) {
#ifdef FIXED
  return det(dot(v.T(), v));
#else
  return det(v);
#endif
}
