// SPDX-License-Identifier: Apache-2.0
// expect: give fractions; convert integers with tcast
#include <mshadow/nn.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> y, Tensor<cpu, 2, int> x) {
#ifdef FIXED
  y = softmax<1>(tcast<float>(x));
#else
  y = softmax<1>(x);
#endif
}
