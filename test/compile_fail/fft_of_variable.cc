// SPDX-License-Identifier: Apache-2.0
// expect: a Fourier transform of a Variable would leave the tape
#include <mshadow/fft.h>
#include <mshadow/grad.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tape* t, const Parameter<cpu, 2>& w) {
#ifdef FIXED
  (*t)(w + abs(fft(w.value)));
#else
  (*t)(w + abs(fft(w)));
#endif
}
