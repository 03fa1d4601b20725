// SPDX-License-Identifier: Apache-2.0
// expect: this function of complex Variables has no gradient here: take .value
#include <mshadow/complex.h>
#include <mshadow/grad.h>

using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tape* t, const Parameter<cpu, 2>& w, const Parameter<cpu, 2, Complex>& z) {
#ifdef FIXED
  (*t)(abs(sign(z.value) * w));
#else
  (*t)(abs(sign(z) * w));
#endif
}
