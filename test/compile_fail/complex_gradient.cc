// SPDX-License-Identifier: Apache-2.0
// expect: complex numbers none here
#include <mshadow/complex.h>
#include <mshadow/grad.h>
using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 1, Complex> z) {
#ifdef FIXED
  Variable<cpu, 1> v;
  (void)v;
  (void)z;
#else
  Variable<cpu, 1, Complex> v(z, z);
#endif
}
