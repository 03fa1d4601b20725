// SPDX-License-Identifier: Apache-2.0
// expect in a note: const float>
#include <mshadow/tensor.h>

using namespace mshadow;

void Fill(Tensor<cpu, 2> a);
void Statement(Tensor<cpu, 2, const float> a) {
#ifdef FIXED
  TensorContainer<cpu, 2> copy = a;
  Fill(copy);
#else
  Fill(a);
#endif
}
