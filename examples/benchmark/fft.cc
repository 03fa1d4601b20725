// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of complex floats and doubles: microseconds, GFLOP/s (5 n log2 n operations),
// and the time beside that of a copy of the numbers in the same run; rfft and irfft of n real ones.
//   benchmark_fft
#include <mshadow/fft.h>

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>

namespace {

using mshadow::index_t;

/// The least time of f(), in microseconds.
template <typename F>
double Microseconds(const F& f) {
  using Clock = std::chrono::steady_clock;
  double least = 1e30;
  const auto begin = Clock::now();
  for (int run = 0; run < 5 || Clock::now() - begin < std::chrono::milliseconds(200); ++run) {
    const auto start = Clock::now();
    f();
    const std::chrono::duration<double, std::micro> time = Clock::now() - start;
    if (time.count() < least) least = time.count();
  }
  return least;
}

template <typename T>
void Row(index_t lines, index_t n) {
  using namespace mshadow;  // NOLINT
  TensorContainer<cpu, 2, std::complex<T>> x(Shape2(lines, n)), copy(Shape2(lines, n));
  for (index_t l = 0; l < lines; ++l) {
    for (index_t i = 0; i < n; ++i) {
      x[l][i] = std::complex<T>(static_cast<T>(std::sin(1.7 * i)), static_cast<T>(std::cos(0.3 * i)));
    }
  }
  auto result = fft(x);
  const double time = Microseconds([&] { result = fft(x); });
  const double copied = Microseconds([&] { Copy(copy, x); });
  const double operations = 5.0 * lines * n * std::log2(static_cast<double>(n));
  TensorContainer<cpu, 2, T> real(Shape2(lines, n));
  for (index_t l = 0; l < lines; ++l) {
    for (index_t i = 0; i < n; ++i) real[l][i] = x[l][i].real();
  }
  auto half = rfft(real);
  const double forth = Microseconds([&] { half = rfft(real); });
  const double back = Microseconds([&] { real = irfft(half, static_cast<std::ptrdiff_t>(n)); });
  std::printf("| %s | %u | %u | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
              sizeof(T) == 4 ? "float" : "double", static_cast<unsigned>(lines),
              static_cast<unsigned>(n), time, operations / time * 1e-3, time / copied, forth, back);
}

template <typename T>
void Rows() {
  for (const index_t n : {64u, 1024u, 1000u, 1009u, 65536u, 1048576u}) Row<T>(1, n);
  for (const index_t n : {16u, 256u, 1024u}) Row<T>(1024, n);
}

}  // namespace

int main() {
  std::printf("| type | lines | n | fft, us | GFLOP/s | by a copy | rfft, us | irfft, us |\n"
              "|---|--:|--:|--:|--:|--:|--:|--:|\n");
  Rows<float>();
  Rows<double>();
}
