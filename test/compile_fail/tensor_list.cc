// SPDX-License-Identifier: Apache-2.0
// expect: a Tensor is a view and takes no list of elements
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 1> a, float* data) {
#ifdef FIXED
  a = TensorContainer<cpu, 1>({1, 2, 3}) * 1.0f;
  a = {data, Shape1(3)};
  a = {};
#else
  static_cast<void>(data);
  a = {1, 2, 3};
#endif
}
