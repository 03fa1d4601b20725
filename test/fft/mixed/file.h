// SPDX-License-Identifier: Apache-2.0
// What each file of the program offers under a name of its own.
#ifndef MSHADOW_TEST_FFT_MIXED_FILE_H_
#define MSHADOW_TEST_FFT_MIXED_FILE_H_

#include <complex>
#include <vector>

/// The transforms of 1009 numbers, as complex and as real ones. FFTW and the builtin transform take
/// other ways for a prime, and end in other last digits.
struct MixedResult {
  std::vector<std::complex<double>> numbers, of_real;
};
MixedResult WithFftw();
MixedResult WithoutFftw();

#endif  // MSHADOW_TEST_FFT_MIXED_FILE_H_
