// SPDX-License-Identifier: Apache-2.0
// expect: a complex expression of a Variable has no gradient here: take .value
#include <mshadow/complex.h>
#include <mshadow/grad.h>

using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tape* t, const Parameter<cpu, 2>& w, const Tensor<cpu, 2, Complex>& z) {
#ifdef FIXED
  (*t)(abs(z * tcast<Complex>(w.value)) * w);
#else
  (*t)(abs(z * tcast<Complex>(w)));
#endif
}
