// SPDX-License-Identifier: Apache-2.0
// expect: an expression that has axes is assigned to a tensor of rank 0
#include <mshadow/rank0.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> v) {
#ifdef FIXED
  TensorContainer<cpu, 0> s = max<kAllAxes>(v * 2.0f);
#else
  TensorContainer<cpu, 0> s = v * 2.0f;
#endif
}
