// SPDX-License-Identifier: Apache-2.0
// expect: not in complex numbers
#include <mshadow/complex.h>
#include <mshadow/linalg.h>
using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 2, Complex> z) {
#ifdef FIXED
  inv(abs(z));
#else
  inv(z);
#endif
}
