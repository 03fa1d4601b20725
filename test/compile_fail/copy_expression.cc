// SPDX-License-Identifier: Apache-2.0
// expect: Copy.dst, src. copies from a tensor; dst = expression evaluates one
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a, TensorContainer<cpu, 2>& b, Tensor<cpu, 2, const float> c) {
#ifdef FIXED
  a = b * 2.0f;
  Copy(a, b);
  Copy(b, c);
#else
  static_cast<void>(c);
  Copy(a, b * 2.0f);
#endif
}
