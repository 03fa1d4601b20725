// SPDX-License-Identifier: Apache-2.0
// expect: a complex scalar with real elements
#include <mshadow/complex.h>

using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 1, Complex> y, Tensor<cpu, 1, int> x) {
#ifdef FIXED
  y = tcast<Complex>(x) * Complex(0, 1);
#else
  y = x * Complex(0, 1);
#endif
}
