// SPDX-License-Identifier: Apache-2.0
// expect: of one device, of the same number of axes
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 1> b) {
#ifdef FIXED
  Fuse(lazy(a) *= 2.0f, lazy(a) += repmat(b, a.size(0)));
#else
  Fuse(lazy(a) *= 2.0f, lazy(b) += 1.0f);
#endif
}
