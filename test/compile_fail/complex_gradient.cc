// SPDX-License-Identifier: Apache-2.0
// expect: starts at a real loss
#include <mshadow/complex.h>
#include <mshadow/grad.h>
using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tape* t, const Parameter<cpu, 1, Complex>& z) {
#ifdef FIXED
  t->Backward((*t)(sum_all(abs(z * z))));
#else
  t->Backward((*t)(sum_all(z * z)));
#endif
}
