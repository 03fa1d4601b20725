// SPDX-License-Identifier: Apache-2.0
// expect: the operands have different element types; convert one with tcast<T>
#include <mshadow/index.h>

using namespace mshadow;
using namespace mshadow::expr;

TensorContainer<cpu, 1, int64_t> Statement(Tensor<cpu, 1> sorted, Tensor<cpu, 1, double> x) {
#ifdef FIXED
  return searchsorted(tcast<double>(sorted), x);
#else
  return searchsorted(sorted, x);
#endif
}
