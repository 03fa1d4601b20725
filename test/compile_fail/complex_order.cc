// SPDX-License-Identifier: Apache-2.0
// expect: complex numbers have no order: compare abs
#include <mshadow/complex.h>

using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 1, Complex> y, Tensor<cpu, 1, Complex> z) {
#ifdef FIXED
  y = where(abs(z) < abs(y), z, y);
#else
  y = where(z < y, z, y);
#endif
}
