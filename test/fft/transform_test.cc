// SPDX-License-Identifier: Apache-2.0
// Transforms beside sums of products in long double.
#include <mshadow/fft.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace fft_test {
namespace {

using namespace expr;  // NOLINT
using testing::ErrorOf;
using testing::Guarded;

using Numbers = std::vector<std::complex<long double>>;

/// sum_i x[i] exp(sign 2 pi i k / n), of each k.
Numbers Transform(const Numbers& x, int sign) {
  const std::size_t n = x.size();
  Numbers result(n), roots(n);
  for (std::size_t i = 0; i < n; ++i) {
    roots[i] = std::polar(
        1.0L, sign * 2 * M_PIl * static_cast<long double>(i) / static_cast<long double>(n));
  }
  for (std::size_t k = 0; k < n; ++k) {
    long double real = 0, imag = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto &a = x[i], &w = roots[i * k % n];
      real += a.real() * w.real() - a.imag() * w.imag();
      imag += a.real() * w.imag() + a.imag() * w.real();
    }
    result[k] = {real, imag};
  }
  return result;
}
template <typename T>
std::complex<long double> Wide(const std::complex<T>& z) {
  return {z.real(), z.imag()};
}
template <typename T>
TensorContainer<cpu, 1, std::complex<T>> Signal(index_t n) {
  TensorContainer<cpu, 1, std::complex<T>> x((Shape1(n)));
  for (index_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i);
    x.dptr_[i] = {static_cast<T>(std::sin(1.7 * t + 0.3)), static_cast<T>(std::cos(0.37 * t * t))};
  }
  return x;
}
/// The largest error, in units of the type's epsilon of the largest number.
template <typename Out>
double Error(const Out* values, const Numbers& right, std::size_t count) {
  using T = decltype(std::real(Out()));
  long double error = 0, size = 0;
  for (std::size_t k = 0; k < count; ++k) {
    error = std::fmax(error, std::abs(Wide(std::complex<T>(values[k])) - right[k]));
    size = std::fmax(size, std::abs(right[k]));
  }
  return static_cast<double>(error / (size * std::numeric_limits<T>::epsilon()));
}

template <typename T>
void AllLengths() {
  for (const index_t n : {1,  2,  3,  4,  5,  6,  7,   8,   9,   12,  16,  25,  29,
                          31, 36, 37, 60, 77, 97, 128, 210, 256, 341, 997, 1000}) {
    const auto x = Signal<T>(n);
    Numbers wide(n), reals(n);
    TensorContainer<cpu, 1, T> real((Shape1(n)));
    for (index_t i = 0; i < n; ++i) {
      wide[i] = Wide(x.dptr_[i]);
      real[i] = x.dptr_[i].real();
      reals[i] = real[i];
    }
    const auto forth = fft(x), back = ifft(x, 0, FftNorm::kForward);
    EXPECT_LT(Error(forth.dptr_, Transform(wide, -1), n), 8) << n;
    EXPECT_LT(Error(back.dptr_, Transform(wide, 1), n), 8) << n;
    EXPECT_LT(Error(ifft(forth).dptr_, wide, n), 12) << n;
    const auto half = rfft(real);
    ASSERT_EQ(half.shape_, Shape1(n / 2 + 1));
    EXPECT_LT(Error(half.dptr_, Transform(reals, -1), n / 2 + 1), 8) << n;
    EXPECT_LT(Error(fft(real).dptr_, Transform(reals, -1), n), 8) << n;
    EXPECT_LT(Error(irfft(half, static_cast<std::ptrdiff_t>(n)).dptr_, reals, n), 12) << n;
    // What is real in a spectrum of real numbers is taken as real.
    auto turned = half;
    turned[0] += std::complex<T>(0, 3);
    if (n % 2 == 0) turned[n / 2] += std::complex<T>(0, 5);
    EXPECT_LT(Error(irfft(turned, static_cast<std::ptrdiff_t>(n)).dptr_, reals, n), 12) << n;
  }
}
TEST(Fft, FloatsOfAllLengths) { AllLengths<float>(); }
TEST(Fft, DoublesOfAllLengths) { AllLengths<double>(); }

template <typename T>
void LongOnes() {
  for (const index_t n : {32768, 65536, 98280, 32771, 40000}) {
    const auto x = Signal<T>(n), forth = fft(x), back = ifft(forth);
    double worst = 0;
    for (index_t i = 0; i < n; ++i) {
      worst = std::fmax(worst, static_cast<double>(std::abs(back.dptr_[i] - x.dptr_[i])));
    }
    EXPECT_LT(worst, 20 * std::numeric_limits<T>::epsilon()) << n;
    const auto count = static_cast<std::size_t>(n);
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{777}, count - 1}) {
      long double real = 0, imag = 0, size = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const auto z = Wide(x.dptr_[i]) *
                       std::polar(1.0L, -2 * M_PIl * static_cast<long double>(i * k % count) /
                                            static_cast<long double>(n));
        real += z.real();
        imag += z.imag();
        size += std::norm(z);
      }
      const auto value = Wide(forth.dptr_[k]);
      EXPECT_LT(std::hypot(value.real() - real, value.imag() - imag),
                8 * std::numeric_limits<T>::epsilon() * std::sqrt(size))
          << n << " " << k;
    }
  }
}
TEST(Fft, LongOnes) {
  LongOnes<float>();
  LongOnes<double>();
}

TEST(Fft, EveryInstructionSet) {
  testing::ForEachIsa([] {
    const auto x = Signal<float>(480);
    EXPECT_LT(Error(
                  ifft(fft(x)).dptr_,
                  [&] {
                    Numbers wide(480);
                    for (std::size_t i = 0; i < 480; ++i) wide[i] = Wide(x.dptr_[i]);
                    return wide;
                  }(),
                  480),
              12);
  });
}

TEST(Fft, AxesOfPaddedTensors) {
  Guarded<3, double> x(Shape3(6, 35, 9), 4, 1);
  x.FillRandom(-1, 1);
  for (int axis = -1; axis < 3; ++axis) {
    const int at = axis < 0 ? 2 : axis;
    const auto result = fft(*x, axis);
    const auto shape = x->shape_;
    for (index_t i = 0; i < 6; ++i) {
      for (index_t j = 0; j < 35; ++j) {
        for (index_t k = 0; k < 9; ++k) {
          index_t from[3] = {i, j, k};
          if (from[at] != 0) continue;
          Numbers line(shape[at]);
          for (index_t n = 0; n < shape[at]; ++n) {
            from[at] = n;
            line[n] = (*x)[from[0]][from[1]][from[2]];
          }
          const Numbers right = Transform(line, -1);
          for (index_t n = 0; n < shape[at]; ++n) {
            from[at] = n;
            const auto value = Wide(result[from[0]][from[1]][from[2]]);
            ASSERT_LT(std::abs(value - right[n]), 2e-14) << axis << " " << n;
          }
        }
      }
    }
  }
  EXPECT_TRUE(x.Intact());
}

TEST(Fft, SeveralAxes) {
  Guarded<3, double> x(Shape3(3, 4, 10), 2);
  x.FillRandom(-1, 1);
  const auto all = fftn(*x), steps = fft(fft(fft(*x, 2), 0), 1), two = fft2(*x),
             last = fft(fft(*x, 2), 1);
  const auto half = rfftn(*x);
  ASSERT_EQ(half.shape_, Shape3(3, 4, 6));
  const auto back = ifftn(all), plane = ifft2(two);
  const auto real = irfftn(half, 10);
  for (index_t i = 0; i < 3; ++i) {
    for (index_t j = 0; j < 4; ++j) {
      for (index_t k = 0; k < 10; ++k) {
        EXPECT_LT(std::abs(all[i][j][k] - steps[i][j][k]), 1e-13);
        EXPECT_LT(std::abs(two[i][j][k] - last[i][j][k]), 1e-13);
        EXPECT_LT(std::abs(back[i][j][k] - (*x)[i][j][k]), 1e-14);
        EXPECT_LT(std::abs(plane[i][j][k] - (*x)[i][j][k]), 1e-14);
        EXPECT_NEAR(real[i][j][k], (*x)[i][j][k], 1e-14);
        if (k < 6) {
          EXPECT_LT(std::abs(half[i][j][k] - all[i][j][k]), 1e-13);
        }
      }
    }
  }
}

TEST(Fft, Norms) {
  const auto x = Signal<double>(12);
  const auto plain = fft(x), ortho = fft(x, 0, FftNorm::kOrtho),
             divided = fft(x, 0, FftNorm::kForward);
  EXPECT_LT(std::abs(ortho[3] * std::sqrt(12.0) - plain[3]), 1e-14);
  EXPECT_LT(std::abs(divided[3] * 12.0 - plain[3]), 1e-14);
  EXPECT_LT(std::abs(ifft(ortho, 0, FftNorm::kOrtho)[5] - x.dptr_[5]), 1e-15);
  EXPECT_LT(std::abs(ifft(divided, 0, FftNorm::kForward)[5] - x.dptr_[5]), 1e-15);
}

TEST(Fft, OtherLengthsOfResults) {
  TensorContainer<cpu, 2, double> x(Shape2(2, 8));
  x = reshape(range<double>(0, 16), x.shape_);
  const auto half = rfft(x);
  EXPECT_EQ(irfft(half).shape_, Shape2(2, 8));
  if (sizeof(index_t) == 4) {
    EXPECT_NE(ErrorOf([&] { irfft(half, std::ptrdiff_t{1} << 33); }).find("no extent holds"),
              std::string::npos);
  }
  // As NumPy's irfft: surplus numbers are cut off, missing ones are 0.
  const auto shorter = irfft(half, 4), longer = irfft(half, 12);
  ASSERT_EQ(shorter.shape_, Shape2(2, 4));
  ASSERT_EQ(longer.shape_, Shape2(2, 12));
  const auto spectrum = half;
  for (index_t i = 0; i < 12; ++i) {
    long double sum = spectrum[1][0].real();
    for (index_t k = 1; k < 5; ++k) {
      sum += 2 * (Wide(spectrum[1][k]) *
                  std::polar(1.0L, 2 * M_PIl * static_cast<long double>(i * k) / 12))
                     .real();
    }
    EXPECT_NEAR(longer[1][i], static_cast<double>(sum / 12), 1e-14);
  }
}

TEST(Fft, ShiftsAndFrequencies) {
  for (const index_t n : {1, 4, 5}) {
    TensorContainer<cpu, 1, double> f(Shape1(n)), shifted(Shape1(n)), back(Shape1(n));
    f = fftfreq<double>(n, 0.5);
    shifted = fftshift(f);
    back = ifftshift(shifted);
    for (index_t i = 0; i < n; ++i) {
      const double signed_i = static_cast<double>(i) - (2 * i < n ? 0.0 : static_cast<double>(n));
      EXPECT_DOUBLE_EQ(f[i], signed_i / (0.5 * n));
      EXPECT_EQ(back[i], f[i]);
      if (i > 0) {
        EXPECT_GT(shifted[i], shifted[i - 1]);
      }
    }
    TensorContainer<cpu, 1, double> r(Shape1(n / 2 + 1));
    r = rfftfreq<double>(n, 0.5);
    EXPECT_DOUBLE_EQ(r[n / 2], static_cast<double>(n / 2) / (0.5 * n));
  }
}

TEST(Fft, Convolution) {
  Guarded<1, double> a(Shape1(37)), b(Shape1(12));
  a.FillRandom(-1, 1);
  b.FillRandom(-1, 1, 2);
  const auto c = fftconvolve(*a, *b * 2.0);
  ASSERT_EQ(c.shape_, Shape1(48));
  for (index_t k = 0; k < 48; ++k) {
    double sum = 0;
    for (index_t i = 0; i < 37; ++i) {
      if (k >= i && k - i < 12) sum += a.At(i) * b.At(k - i) * 2;
    }
    EXPECT_NEAR(c[k], sum, 1e-14);
  }
}

TEST(Fft, Errors) {
  TensorContainer<cpu, 2> none(Shape2(3, 0)), x(Shape2(3, 4), 1.0f);
  EXPECT_NE(ErrorOf([&] { fft(none); }).find("fft: axis 1 of (3,0)"), std::string::npos);
  EXPECT_EQ(fft(none, 0).shape_, Shape2(3, 0));
  EXPECT_NE(ErrorOf([&] { fft(x, 2); }).find("fft: axis = 2"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { fftconvolve(x[0], x[0].Slice(0, 0)); }).find("(4,) and (0,)"),
            std::string::npos);
  const auto kept = rfft(TensorContainer<cpu, 2>(Shape2(2, 6), 2.0f));
  EXPECT_EQ(kept[1][0], std::complex<float>(12, 0));
}

}  // namespace
}  // namespace fft_test
}  // namespace mshadow
