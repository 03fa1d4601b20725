// SPDX-License-Identifier: Apache-2.0
// expect: real\(z\), imag\(z\) and abs\(z\) are real
#include <mshadow/complex.h>

using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 1> x, Tensor<cpu, 1, Complex> z) {
#ifdef FIXED
  x = abs(z * x);
#else
  x = z * x;
#endif
}
