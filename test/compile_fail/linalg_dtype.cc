// SPDX-License-Identifier: Apache-2.0
// expect: the operands have different element types; tcast<T>.x. converts one
#include <mshadow/linalg.h>

using namespace mshadow;
using namespace mshadow::expr;

TensorContainer<cpu, 1> Statement(Tensor<cpu, 2> a, Tensor<cpu, 1, double> b) {
#ifdef FIXED
  return solve(a, tcast<float>(b));
#else
  return solve(a, b);
#endif
}
