// SPDX-License-Identifier: Apache-2.0
// The body of with_fftw.cc and without_fftw.cc: both call the same templates.
#ifndef MSHADOW_TEST_FFT_MIXED_BODY_H_
#define MSHADOW_TEST_FFT_MIXED_BODY_H_

#include <mshadow/fft.h>

#include <cmath>

#include "file.h"

namespace {

MixedResult Computed() {
  using namespace mshadow;        // NOLINT
  using namespace mshadow::expr;  // NOLINT
  TensorContainer<cpu, 1, std::complex<double>> x(Shape1(1009));
  for (index_t i = 0; i < 1009; ++i) x[i] = std::sin(i * i * 0.37);
  const auto transformed = fft(x);
  const auto half = rfft(real(x));
  MixedResult result;
  result.numbers.assign(transformed.dptr_, transformed.dptr_ + 505);
  result.of_real.assign(half.dptr_, half.dptr_ + 505);
  return result;
}

}  // namespace

#endif  // MSHADOW_TEST_FFT_MIXED_BODY_H_
