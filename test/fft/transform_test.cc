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

/// What each norm multiplies a transform of `count` numbers by.
double Forth(FftNorm norm, double count) {
  return norm == FftNorm::kForward ? 1 / count : norm == FftNorm::kOrtho ? 1 / std::sqrt(count) : 1;
}
TEST(Fft, EachFunctionAlongEachAxisByEachNorm) {
  Guarded<3, double> x(Shape3(4, 7, 9), 3, 1);
  x.FillRandom(-1, 1);
  const Shape<3> shape = x->shape_;
  const auto all = fftn(*x), two = fft2(*x);
  for (const FftNorm norm : {FftNorm::kBackward, FftNorm::kOrtho, FftNorm::kForward}) {
    for (int axis = -3; axis < 3; ++axis) {
      const int at = axis < 0 ? axis + 3 : axis;
      const auto n = static_cast<std::ptrdiff_t>(shape[at]);
      const auto plain = fft(*x, at), whole = fft(*x, axis, norm), half = rfft(*x, axis, norm),
                 back = ifft(whole, axis, norm);
      const auto real = irfft(half, n, axis, norm);
      ASSERT_EQ(real.shape_, shape);
      for (index_t i = 0; i < shape[0]; ++i) {
        for (index_t j = 0; j < shape[1]; ++j) {
          for (index_t k = 0; k < shape[2]; ++k) {
            const double value = (*x)[i][j][k], scale = Forth(norm, static_cast<double>(n));
            const auto number = whole[i][j][k];
            EXPECT_LT(std::abs(number - plain[i][j][k] * scale), 1e-14);
            EXPECT_LT(std::abs(back[i][j][k] - value), 1e-14);
            EXPECT_NEAR(real[i][j][k], value, 1e-14);
            if ((at == 0 ? i : at == 1 ? j : k) <= shape[at] / 2) {
              EXPECT_LT(std::abs(half[i][j][k] - number), 1e-14);
            }
          }
        }
      }
    }
    const auto of_all = fftn(*x, norm), of_two = fft2(*x, norm), of_real = rfftn(*x, norm);
    const auto back = ifftn(of_all, norm), plane = ifft2(of_two, norm);
    const auto real = irfftn(of_real, 9, norm);
    for (index_t i = 0; i < shape[0]; ++i) {
      for (index_t j = 0; j < shape[1]; ++j) {
        for (index_t k = 0; k < shape[2]; ++k) {
          const double value = (*x)[i][j][k];
          EXPECT_LT(std::abs(of_all[i][j][k] - all[i][j][k] * Forth(norm, 4 * 7 * 9)), 1e-13);
          EXPECT_LT(std::abs(of_two[i][j][k] - two[i][j][k] * Forth(norm, 7 * 9)), 1e-13);
          EXPECT_LT(std::abs(back[i][j][k] - value), 1e-14);
          EXPECT_LT(std::abs(plane[i][j][k] - value), 1e-14);
          EXPECT_NEAR(real[i][j][k], value, 1e-14);
          if (k < 5) {
            EXPECT_LT(std::abs(of_real[i][j][k] - of_all[i][j][k]), 1e-13);
          }
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
  for (const index_t n : {1, 3, 4, 7, 9, 12}) {
    const auto length = static_cast<std::ptrdiff_t>(n);
    const auto rows = irfft(half, length), columns = irfft(half.T(), length, 0);
    ASSERT_EQ(rows.shape_, Shape2(2, n));
    ASSERT_EQ(columns.shape_, Shape2(n, 2));
    for (index_t i = 0; i < n; ++i) {
      long double sum = half[1][0].real();
      for (index_t k = 1; k < 5 && k <= n / 2; ++k) {
        sum += (2 * k == n ? 1 : 2) *
               (Wide(half[1][k]) * std::polar(1.0L, 2 * M_PIl * static_cast<long double>(i * k) /
                                                        static_cast<long double>(n)))
                   .real();
      }
      EXPECT_NEAR(rows[1][i], static_cast<double>(sum / static_cast<long double>(n)), 4e-14) << n;
      EXPECT_NEAR(columns[i][1], rows[1][i], 4e-14) << n;
    }
  }
}

/// x of another length along an axis, 0 after its end.
TensorContainer<cpu, 3, double> Sized(const Tensor<cpu, 3, double>& x, int axis, index_t n) {
  Shape<3> shape = x.shape_;
  shape[axis] = n;
  TensorContainer<cpu, 3, double> result(shape, 0.0);
  for (index_t i = 0; i < shape[0] && i < x.shape_[0]; ++i) {
    for (index_t j = 0; j < shape[1] && j < x.shape_[1]; ++j) {
      for (index_t k = 0; k < shape[2] && k < x.shape_[2]; ++k) result[i][j][k] = x[i][j][k];
    }
  }
  return result;
}
template <int dim, typename T>
double Distance(const TensorContainer<cpu, dim, T>& a, const TensorContainer<cpu, dim, T>& b) {
  EXPECT_EQ(a.shape_, b.shape_);
  double most = 0;
  if (a.shape_ != b.shape_) return 1e9;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.shape_.Size()); ++i) {
    most = std::fmax(most, std::abs(a.dptr_[i] - b.dptr_[i]));
  }
  return most;
}

TEST(Fft, LengthsOfLines) {
  Guarded<3, double> x(Shape3(4, 7, 9), 3, 1);
  x.FillRandom(-1, 1);
  for (int axis = 0; axis < 3; ++axis) {
    for (const index_t n : {1, 3, 8, 11, 16}) {
      const auto length = static_cast<std::ptrdiff_t>(n);
      const auto sized = Sized(*x, axis, n);
      EXPECT_LT(Distance(fft(*x, length, axis), fft(sized, axis)), 1e-14) << axis << " " << n;
      EXPECT_LT(Distance(ifft(*x, length, axis - 3), ifft(sized, axis)), 1e-14) << axis << " " << n;
      EXPECT_LT(
          Distance(rfft(*x, length, axis, FftNorm::kOrtho), rfft(sized, axis, FftNorm::kOrtho)),
          1e-14)
          << axis << " " << n;
      EXPECT_LT(Distance(fft(fft(*x, 0), length, axis), fft(fft(*x, 0), length, axis)), 1e-14);
    }
  }
  TensorContainer<cpu, 2, std::complex<float>> none(Shape2(2, 0));
  const auto zeros = fft(none, 3, 1);
  ASSERT_EQ(zeros.shape_, Shape2(2, 3));
  EXPECT_EQ(zeros[1][2], std::complex<float>(0, 0));
}

TEST(Fft, AxesAndLengthsAsNumpy) {
  Guarded<3, double> x(Shape3(4, 6, 9), 3, 1);
  x.FillRandom(-1, 1);
  EXPECT_LT(Distance(fftn(*x, {}, {0, 2}), fft(fft(*x, 2), 0)), 1e-13);
  EXPECT_LT(Distance(fftn(*x, {}, {-1, 0, 1}), fftn(*x)), 1e-13);
  EXPECT_LT(Distance(ifftn(*x, {}, {2, 0}), ifft(ifft(*x, 2), 0)), 1e-14);
  // s alone is of the last axes.
  EXPECT_LT(Distance(fftn(*x, {8, 5}), fft(fft(*x, 5, 2), 8, 1)), 1e-13);
  EXPECT_LT(Distance(fft2(*x, {8, 5}, {0, 2}), fft(fft(*x, 5, 2), 8, 0)), 1e-13);
  EXPECT_LT(Distance(ifft2(*x, {-1, 5}), ifft(ifft(*x, 5, 2), 1)), 1e-14);
  EXPECT_LT(Distance(fft2(*x), fftn(*x, {}, {1, 2})), 1e-13);
  const auto half = rfft2(*x, {}, {2, 1}, FftNorm::kForward);
  ASSERT_EQ(half.shape_, Shape3(4, 4, 9));
  EXPECT_LT(Distance(half, fft(rfft(*x, 1, FftNorm::kForward), 2, FftNorm::kForward)), 1e-14);
  EXPECT_LT(Distance(irfft2(half, {9, 6}, {2, 1}, FftNorm::kForward), Sized(*x, 0, 4)), 1e-14);
  EXPECT_LT(Distance(rfftn(*x, {3, 10}), fft(rfft(*x, 10, 2), 3, 1)), 1e-13);
  EXPECT_LT(Distance(irfftn(rfftn(*x), {4, 6, 9}), Sized(*x, 0, 4)), 1e-14);
  EXPECT_LT(Distance(irfftn(rfftn(*x), 9), Sized(*x, 0, 4)), 1e-14);
  EXPECT_LT(Distance(irfft2(rfft2(*x), {6, 9}), Sized(*x, 0, 4)), 1e-14);
  EXPECT_EQ(irfft2(rfft2(*x)).shape_, Shape3(4, 6, 8));
  EXPECT_LT(Distance(irfft2(*x, {}, {0, 1}), irfft(ifft(*x, 0), 0, 1)), 1e-14);  // of real numbers
}

TEST(Fft, HermitianSignals) {
  for (const std::ptrdiff_t n : {7, 8}) {
    TensorContainer<cpu, 2, double> x(Shape2(3, static_cast<index_t>(n)));
    for (index_t i = 0; i < x.shape_.Size(); ++i) x.dptr_[i] = std::sin(1.3 * i * i);
    for (const FftNorm norm : {FftNorm::kBackward, FftNorm::kOrtho, FftNorm::kForward}) {
      const auto half = ihfft(x, 1, norm);
      EXPECT_LT(Distance(hfft(half, n, 1, norm), x), 1e-14) << n;
      // ihfft is the first half of ifft; hfft is fft of the whole.
      const auto whole = ifft(x, 1, norm);
      for (index_t k = 0; k <= n / 2; ++k) EXPECT_LT(std::abs(half[2][k] - whole[2][k]), 1e-14);
      EXPECT_LT(std::abs(fft(whole, 1, norm)[1][3] - x[1][3]), 1e-14);
    }
    EXPECT_EQ(ihfft(x, 4, 1).shape_, Shape2(3, 3));
    EXPECT_EQ(hfft(x).shape_, Shape2(3, static_cast<index_t>(2 * n - 2)));
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
    TensorContainer<cpu, 2, double> rows(Shape2(n, 3)), columns(Shape2(n, 3));
    rows = fftshift(broadcast<0>(f, rows.shape_), 0);
    columns = ifftshift(rows, -2);
    for (index_t i = 0; i < n; ++i) {
      EXPECT_EQ(rows[i][2], shifted[i]);
      EXPECT_EQ(columns[i][1], f[i]);
    }
    // Without an axis all of them are shifted, as by NumPy.
    TensorContainer<cpu, 2, double> square(Shape2(n, 3)), both(square.shape_), again(square.shape_);
    square = reshape(range<double>(0, n * 3), square.shape_);
    both = fftshift(square) - fftshift(fftshift(square, 0), 1);
    again = fftshift(square, {1, 0}) - fftshift(square);
    EXPECT_EQ(max(abs(both)) + max(abs(again)), 0);
    again = ifftshift(fftshift(square));
    EXPECT_EQ(max(abs(again - square)), 0);
    again = ifftshift(fftshift(square, {1, -1}), 1) - square;
    EXPECT_EQ(max(abs(again)), 0);
    TensorContainer<cpu, 1, double> r(Shape1(n / 2 + 1));
    r = rfftfreq<double>(n, 0.5);
    EXPECT_DOUBLE_EQ(r[n / 2], static_cast<double>(n / 2) / (0.5 * n));
  }
}

// auto y = fftshift(fft(x)): a formula that owns the temporary.
TEST(Fft, ShiftsOwnTemporaries) {
  using Container = TensorContainer<cpu, 2>;
  const auto make = [] { return Container({{1, 2}, {3, 4}}); };
  const auto all = fftshift(make());
  const auto one = ifftshift(make(), 1);
  const auto listed = fftshift(make(), {0, 1});
  const Container other(Shape2(2, 2), 7.0f);
  const Container a = all, b = one, c = listed;
  EXPECT_TRUE(a(0, 0) == 4 && a(1, 1) == 1 && b(0, 0) == 2 && c(0, 1) == 3) << other(0, 0);
  Container named;
  static_assert(!std::is_same_v<decltype(fftshift(make())), decltype(fftshift(named))>);
  static_assert(!std::is_same_v<decltype(listed), const decltype(fftshift(named, {0, 1}))>);
}

TEST(Fft, Errors) {
  TensorContainer<cpu, 2> none(Shape2(3, 0)), x(Shape2(3, 4), 1.0f);
  EXPECT_NE(ErrorOf([&] { fft(none); }).find("fft: axis 1 of (3,0)"), std::string::npos);
  EXPECT_EQ(fft(none, 0).shape_, Shape2(3, 0));
  EXPECT_NE(ErrorOf([&] { fft(x, 2); }).find("fft: axis = 2"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { rfft(x[0], 64); }).find("is followed by its axis, rfft(x, n, axis)"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { fftconvolve(x[0], x[0].Slice(0, 0)); }).find("(4,) and (0,)"),
            std::string::npos);
  for (const auto& message : {ErrorOf([&] { ifft(x, -3); }), ErrorOf([&] { rfft(x, -3); }),
                              ErrorOf([&] { irfft(x, 0, -3); }), ErrorOf([&] { fftshift(x, -3); }),
                              ErrorOf([&] { ifftshift(x, -3); })}) {
    EXPECT_NE(message.find("fft"), std::string::npos) << message;
    EXPECT_NE(message.find("axis = -3"), std::string::npos) << message;
  }
  EXPECT_NE(ErrorOf([&] { irfft(x, -2); }).find("irfft: n = -2 is negative"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { irfft(rfft(x[0].Slice(0, 1))); }).find("irfft: axis 0 of (1,)"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { fft(x, 0, 1); }).find("fft: axis 1 of (3,4) is transformed as 0 numbers"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { rfft(x, -1, 0); }).find("rfft: axis 0 of (3,4) is transformed as -1"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] {
              fftn(x, {2, 2, 2});
            }).find("fftn: 3 lengths for 2 axes"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { fft2(x, {2}); }).find("fft2: as many lengths"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { ifftn(x, {2, 0}); }).find("ifftn: a length is 0"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { rfftn(x, {}, {2}); }).find("rfftn: axis = 2"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { irfftn(rfftn(x), -3); }).find("irfftn: n = -3"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { hfft(x, -3); }).find("hfft: n = -3"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { fftshift(x, {0, 2}); }).find("fftshift: axis = 2"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { fftfreq(-1); }).find("fftfreq: n = -1"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { rfftfreq(-1); }).find("rfftfreq: n = -1"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { ifftn(none); }).find("ifftn: axis 1 of (3,0)"), std::string::npos);
  EXPECT_EQ(fftn(TensorContainer<cpu, 2>(Shape2(0, 3))).shape_, Shape2(0, 3));
  const auto kept = rfft(TensorContainer<cpu, 2>(Shape2(2, 6), 2.0f));
  EXPECT_EQ(kept[1][0], std::complex<float>(12, 0));
}

}  // namespace
}  // namespace fft_test
}  // namespace mshadow
