// SPDX-License-Identifier: Apache-2.0
// expect: Tensor<Device, 0, DType>, of no axes, is in <mshadow/rank0.h>
#include <mshadow/tensor.h>
#ifdef FIXED
#include <mshadow/rank0.h>
#endif

using namespace mshadow;

void Statement(float* memory) {
  Tensor<cpu, 0> s(memory);
  s = 2.0f;
}
