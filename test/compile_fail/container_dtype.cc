// SPDX-License-Identifier: Apache-2.0
// expect: the expression has another element type than the container made of it
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2, double> a) {
#ifdef FIXED
  TensorContainer<cpu, 2> b = tcast<float>(a * 2.0);
#else
  TensorContainer<cpu, 2> b = a * 2.0;
#endif
}
