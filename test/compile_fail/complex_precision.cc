// SPDX-License-Identifier: Apache-2.0
// expect: the operands have different element types
#include <mshadow/complex.h>

using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 1, Complex> z, Tensor<cpu, 1, double> x) {
#ifdef FIXED
  z = z * tcast<float>(x);
#else
  z = z * x;
#endif
}
