// SPDX-License-Identifier: Apache-2.0
// expect: complex numbers have no order: max
#include <mshadow/complex.h>

using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 1> y, Tensor<cpu, 2, Complex> z) {
#ifdef FIXED
  y = max<0>(abs(z));
#else
  y = max<0>(z);
#endif
}
