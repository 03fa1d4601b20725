// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms, named and scaled as NumPy's: fft, ifft, rfft, irfft, and of several
// axes; fftshift, fftfreq, fftconvolve.
//
//   TensorContainer<cpu, 1, std::complex<float>> spectrum = rfft(signal);   // n / 2 + 1 numbers
//   y = irfft(spectrum * filter, n);
//
// Elements are float, double, or std::complex of them, on the CPU. See guide/fft.md.
#ifndef MSHADOW_FFT_H_
#define MSHADOW_FFT_H_

#include "core/letters_begin.inc"

#include "fft/convolve.h"
#include "fft/transform.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_FFT_H_
