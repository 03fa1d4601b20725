// SPDX-License-Identifier: Apache-2.0
// expect: Tensor<Device, dim, DType>: the device, cpu or gpu, comes first
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(float* data) {
#ifdef FIXED
  Tensor<cpu, 1, float> a(data, Shape1(3));
  a = 1.0f;
#else
  Tensor<float, 1> a(data, Shape1(3));
  a = 1.0f;
#endif
}
