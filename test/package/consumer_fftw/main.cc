// SPDX-License-Identifier: Apache-2.0
#include <mshadow/fft.h>

#include <cmath>

int main() {
  mshadow::TensorContainer<mshadow::cpu, 1, double> x(mshadow::Shape1(8), 1.0);
  const auto y = fft(x);
  return MSHADOW_USE_FFTW && y[0] == 8.0 && std::abs(y[3]) < 1e-15 ? 0 : 1;
}
