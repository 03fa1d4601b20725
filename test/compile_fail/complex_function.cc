// SPDX-License-Identifier: Apache-2.0
// expect: takes no complex numbers
#include <mshadow/complex.h>

using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 1, Complex> y, Tensor<cpu, 1, Complex> z) {
#ifdef FIXED
  y = exp(z);
#else
  y = floor(z);
#endif
}
