// SPDX-License-Identifier: Apache-2.0
// expect: Slice.begin, end. is a member of Tensor alone
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> v, Tensor<cpu, 2> a) {
#ifdef FIXED
  v = Column(a.Slice(0, 2), 0);
  v = slice<0>(Column(a, 0), 0, 2);
#else
  v = Column(a, 0).Slice(0, 2);
#endif
}
