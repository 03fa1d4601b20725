// SPDX-License-Identifier: Apache-2.0
// expect: becomes a real one by real
#include <mshadow/complex.h>

using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 1> x, Tensor<cpu, 1, Complex> z) {
#ifdef FIXED
  x = real(z);
#else
  x = tcast<float>(z);
#endif
}
