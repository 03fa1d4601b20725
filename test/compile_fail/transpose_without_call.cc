// SPDX-License-Identifier: Apache-2.0
// expect: invalid use of non-static member function|reference to non-static member function must be called
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a) {
#ifdef FIXED
  a = dot(a, a.T());
#else
  a = dot(a, a.T);
#endif
}
