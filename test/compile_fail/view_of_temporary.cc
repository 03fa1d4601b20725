// SPDX-License-Identifier: Apache-2.0
// expect: would rebind the view y to a temporary container
#include <mshadow/tensor.h>

using namespace mshadow;

TensorContainer<cpu, 2> Make();
void Fill(Tensor<cpu, 2> view);

void Statement(Tensor<cpu, 2> y, Tensor<cpu, 2> x) {
#ifdef FIXED
  y = x * 2;
  y.Slice(0, 2) = Make();
  y = Make() * 1;
  TensorContainer<cpu, 2> z = Make();
  z = Make();
  y = z;
  Copy(y, Make());
  Fill(Make());
#else
  y = eval(x * 2);
#endif
}
