// SPDX-License-Identifier: Apache-2.0
// expect: F<Op>: .*a lambda is an argument, F.lambda, operand.
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> a) {
#ifdef FIXED
  a = F([](float x) { return x + 1; }, a);
#else
  const auto increment = [](float x) { return x + 1; };
  a = F<decltype(increment)>(a);
#endif
}
