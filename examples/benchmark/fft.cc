// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of complex floats and doubles: microseconds, GFLOP/s (5 n log2 n operations),
// and the time beside that of a copy of the numbers in the same run; rfft and irfft of n real ones.
//   benchmark_fft
// benchmark_fftw is the same with MSHADOW_USE_FFTW; it also prints the time of FFTW alone, of plans
// by FFTW_ESTIMATE and by FFTW_MEASURE, into memory that is there. MSHADOW_FFTW=builtin in its
// environment has the builtin transforms beside these.
#include <mshadow/fft.h>

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>

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

#if MSHADOW_USE_FFTW
template <typename T>
double Fftw(index_t lines, index_t n, unsigned flags, const std::complex<T>* x) {
  using A = mshadow_fftw::Api<T>;
  using Complex = typename A::Complex;
  const std::size_t bytes = sizeof(Complex) * lines * n;
  Complex *const in = static_cast<Complex*>(A::Malloc(bytes)), *const out = static_cast<Complex*>(
                                                                   A::Malloc(bytes));
  const typename A::Dimension line{n, 1, 1}, side{lines, n, n};
  const auto plan = A::ToComplex(1, &line, 1, &side, in, out, FFTW_FORWARD, flags);
  std::memcpy(static_cast<void*>(in), x, bytes);
  const double time = Microseconds([&] { A::Run(plan, in, out); });
  A::Destroy(plan);
  A::Free(in);
  A::Free(out);
  return time;
}
#endif

template <typename T>
void Row(index_t lines, index_t n) {
  using namespace mshadow;  // NOLINT
  TensorContainer<cpu, 2, std::complex<T>> x(Shape2(lines, n)), copy(Shape2(lines, n));
  for (index_t l = 0; l < lines; ++l) {
    for (index_t i = 0; i < n; ++i) {
      x[l][i] =
          std::complex<T>(static_cast<T>(std::sin(1.7 * i)), static_cast<T>(std::cos(0.3 * i)));
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
  std::printf("| %s | %u | %u | %.2f | %.1f | %.1f | %.1f | %.1f |",
              sizeof(T) == 4 ? "float" : "double", static_cast<unsigned>(lines),
              static_cast<unsigned>(n), time, operations / time * 1e-3, time / copied, forth, back);
#if MSHADOW_USE_FFTW
  const double estimated = Fftw(lines, n, FFTW_ESTIMATE, x.dptr_),
               measured = Fftw(lines, n, FFTW_MEASURE, x.dptr_);
  std::printf(" %.2f | %.2f | %.2f |", estimated, measured, time / estimated);
#endif
  std::printf("\n");
}

template <typename T>
void Rows() {
  for (const index_t n : {16u, 64u, 256u, 1024u, 1000u, 1009u, 4096u, 16384u, 65536u, 131072u,
                          262144u, 1000000u, 1048576u}) {
    Row<T>(1, n);
  }
  for (const index_t n : {16u, 256u, 1000u, 1024u}) Row<T>(1024, n);
}

}  // namespace

int main() {
  const bool fftw = MSHADOW_USE_FFTW;
  std::printf(
      "| type | lines | n | fft, us | GFLOP/s | by a copy | rfft, us | irfft, us |%s\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|%s\n",
      fftw ? " FFTW, us | measured, us | fft by FFTW |" : "", fftw ? "--:|--:|--:|" : "");
  Rows<float>();
  Rows<double>();
}
