// SPDX-License-Identifier: Apache-2.0
// expect: the expression has another number of axes than the container made of it
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a) {
#ifdef FIXED
  TensorContainer<cpu, 2> b = a * 2.0f;
#else
  TensorContainer<cpu, 3> b = a * 2.0f;
#endif
}
