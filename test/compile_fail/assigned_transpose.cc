// SPDX-License-Identifier: Apache-2.0
// expect: deleted
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, Tensor<cpu, 2> b) {
#ifdef FIXED
  a = b.T().T() + 0.0f;
#else
  a.T() = b.T();
#endif
}
