// SPDX-License-Identifier: Apache-2.0
// expect: does not return a number
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a) {
#ifdef FIXED
  a = F([](float x) { return x + 1; }, a);
#else
  a = F([](float x) { static_cast<void>(x + 1); }, a);
#endif
}
