// SPDX-License-Identifier: Apache-2.0
// expect: Copy.dst, src.: src has another number of axes than dst
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> a, TensorContainer<cpu, 2>& b) {
#ifdef FIXED
  Copy(a, b[0]);
#else
  Copy(a, b);
#endif
}
