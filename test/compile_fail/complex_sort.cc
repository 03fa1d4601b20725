// SPDX-License-Identifier: Apache-2.0
// expect: not complex ones
#include <mshadow/complex.h>
#include <mshadow/index.h>
using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 1, Complex> z) {
#ifdef FIXED
  sort(abs(z));
#else
  sort(z);
#endif
}
