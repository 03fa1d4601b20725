// SPDX-License-Identifier: Apache-2.0
// convolve, correlate and fftconvolve beside sums of products in double.
#include <mshadow/fft.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace convolve_test {
namespace {

using namespace expr;  // NOLINT
using testing::ErrorOf;

using Numbers = std::vector<std::complex<double>>;

/// sum_i a[i] b[k - i] of each k.
Numbers Convolution(const Numbers& a, const Numbers& b) {
  Numbers result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
  }
  return result;
}
double Value(const std::complex<double>& z, double) { return z.real(); }
float Value(const std::complex<double>& z, float) { return static_cast<float>(z.real()); }
template <typename T>
std::complex<T> Value(const std::complex<double>& z, std::complex<T>) {
  return {static_cast<T>(z.real()), static_cast<T>(z.imag())};
}
template <typename T>
TensorContainer<cpu, 1, T> Signal(index_t n, double seed, Numbers* wide) {
  TensorContainer<cpu, 1, T> x((Shape1(n)));
  for (index_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i);
    x[i] = Value({std::sin(1.7 * t * t + seed), std::cos(0.37 * t * t)}, T());
    wide->push_back(x[i]);
  }
  return x;
}
template <typename T>
void ExpectNear(const TensorContainer<cpu, 1, T>& values, const Numbers& right, std::size_t first,
                std::size_t count, double tolerance) {
  ASSERT_EQ(values.shape_, Shape1(static_cast<index_t>(count)));
  for (std::size_t k = 0; k < count; ++k) {
    ASSERT_LT(std::abs(std::complex<double>(values[static_cast<index_t>(k)]) - right[first + k]),
              tolerance)
        << k << " of " << count;
  }
}

std::vector<double> Values(const TensorContainer<cpu, 1, double>& x) {
  std::vector<double> values;
  for (index_t i = 0; i < x.shape_[0]; ++i) values.push_back(x[i]);
  return values;
}

template <typename T>
void Check() {
  const double epsilon = std::numeric_limits<decltype(std::real(T()))>::epsilon();
  // Both sides of the crossing, of blocks of sums, and of rows of a transform.
  const index_t sizes[][2] = {{1, 1},      {5, 2},      {2, 5},      {7, 7},
                              {37, 12},    {12, 37},    {1, 40},     {130, 9},
                              {127, 127},  {128, 128},  {129, 1300}, {3000, 17},
                              {300, 9000}, {9001, 131}, {700, 321},  {2500, 100}};
  for (const auto& size : sizes) {
    Numbers wide_a, wide_b;
    const index_t n = size[0], m = size[1];
    const auto a = Signal<T>(n, 0.3, &wide_a), b = Signal<T>(m, 1.1, &wide_b);
    const std::size_t all = n + m - 1, least = n < m ? n : m, most = n < m ? m : n;
    const double tolerance = epsilon * 4 * static_cast<double>(least + 1);
    SCOPED_TRACE(::testing::Message() << n << " and " << m);
    const Numbers right = Convolution(wide_a, wide_b);
    ExpectNear(convolve(a, b), right, 0, all, tolerance);
    ExpectNear(fftconvolve(a, b), right, 0, all, tolerance);
    ExpectNear(convolve(a, b, ConvolveMode::kSame), right, (least - 1) / 2, most, tolerance);
    ExpectNear(convolve(a, b, ConvolveMode::kValid), right, least - 1, most - least + 1, tolerance);
    ExpectNear(fftconvolve(a, b, ConvolveMode::kSame), right, (m - 1) / 2, n, tolerance);
    // c[k] = sum_i a[i + k] conj(b[i]), first of k = 1 - m.
    Numbers turned(wide_b.rbegin(), wide_b.rend());
    for (auto& z : turned) z = std::conj(z);
    const Numbers correlation = Convolution(wide_a, turned);
    ExpectNear(correlate(a, b), correlation, least - 1, most - least + 1, tolerance);
    ExpectNear(correlate(a, b, ConvolveMode::kFull), correlation, 0, all, tolerance);
    ExpectNear(correlate(a, b, ConvolveMode::kSame), correlation,
               n < m ? least / 2 : (least - 1) / 2, most, tolerance);
  }
}
TEST(Convolve, Floats) { Check<float>(); }
TEST(Convolve, Doubles) { Check<double>(); }
TEST(Convolve, ComplexNumbers) {
  Check<std::complex<float>>();
  Check<std::complex<double>>();
}

// Printed by NumPy 1.24: which end of an even filter counts differs between the two functions.
TEST(Convolve, RealBesideComplexNumbers) {
  using C = std::complex<float>;
  for (const index_t m : {index_t{3}, index_t{300}}) {
    Numbers a, b, b_reversed;
    const auto x = Signal<float>(401, 0, &a);
    const auto z = Signal<C>(m, 1, &b);
    for (auto i = b.rbegin(); i != b.rend(); ++i) b_reversed.push_back(std::conj(*i));
    const Numbers right = Convolution(a, b);
    ExpectNear(convolve(x, z), right, 0, right.size(), 1e-3);
    ExpectNear(convolve(z, x), right, 0, right.size(), 1e-3);
    ExpectNear(fftconvolve(x, z), right, 0, right.size(), 1e-3);
    ExpectNear(correlate(x, z, ConvolveMode::kFull), Convolution(a, b_reversed), 0, right.size(),
               1e-3);
    const TensorContainer<cpu, 2, C> product =
        fftconvolve(reshape(x, Shape2(1, 401)), reshape(z, Shape2(m, 1)));
    ASSERT_EQ(product.shape_, Shape2(m, 401));
    for (index_t i = 0; i < m; ++i) {
      for (index_t j = 0; j < 401; ++j) ASSERT_LT(std::abs(product(i, j) - z[i] * x[j]), 1e-3);
    }
  }
}

TEST(Convolve, PlacesOfNumpy) {
  TensorContainer<cpu, 1, double> a(Shape1(5)), b(Shape1(4)), five(Shape1(5)), two(Shape1(2));
  a = range<double>(1, 6);
  b = {1, 0, 0, 2};
  five = convolve(a, b, ConvolveMode::kSame);
  EXPECT_EQ(Values(five), (std::vector<double>{2, 3, 6, 9, 6}));
  five = convolve(b, a, ConvolveMode::kSame);
  EXPECT_EQ(Values(five), (std::vector<double>{2, 3, 6, 9, 6}));
  five = correlate(a, b, ConvolveMode::kSame);
  EXPECT_EQ(Values(five), (std::vector<double>{4, 6, 9, 12, 3}));
  five = correlate(b, a, ConvolveMode::kSame);
  EXPECT_EQ(Values(five), (std::vector<double>{3, 12, 9, 6, 4}));
  two = correlate(a, b);
  EXPECT_EQ(Values(two), (std::vector<double>{9, 12}));
  two = correlate(b, a);
  EXPECT_EQ(Values(two), (std::vector<double>{12, 9}));
}

template <typename T>
void Pictures() {
  const Shape<2> shapes[][2] = {
      {Shape2(9, 14), Shape2(3, 4)}, {Shape2(3, 4), Shape2(9, 14)}, {Shape2(5, 8), Shape2(7, 2)}};
  for (const auto& s : shapes) {
    Numbers wide_a, wide_b;
    const auto n = s[0], m = s[1];
    TensorContainer<cpu, 2, T> a(n), b(m);
    a = reshape(Signal<T>(n.Size(), 0.3, &wide_a), n);
    b = reshape(Signal<T>(m.Size(), 0.9, &wide_b), m);
    const auto all = fftconvolve(a, b), same = fftconvolve(a, b, ConvolveMode::kSame);
    ASSERT_EQ(all.shape_, Shape2(n[0] + m[0] - 1, n[1] + m[1] - 1));
    ASSERT_EQ(same.shape_, n);
    const bool has_valid = (n[0] >= m[0]) == (n[1] >= m[1]);
    TensorContainer<cpu, 2, T> valid;
    if (has_valid) {
      valid = fftconvolve(a, b, ConvolveMode::kValid);
      EXPECT_EQ(valid.shape_, Shape2(7, 11));
    } else {
      EXPECT_NE(ErrorOf([&] {
                  fftconvolve(a, b, ConvolveMode::kValid);
                }).find("fftconvolve: of (5,8) and (7,2)"),
                std::string::npos);
    }
    for (index_t y = 0; y < all.shape_[0]; ++y) {
      for (index_t x = 0; x < all.shape_[1]; ++x) {
        std::complex<double> sum = 0;
        for (index_t i = 0; i < n[0]; ++i) {
          for (index_t j = 0; j < n[1]; ++j) {
            if (y >= i && x >= j && y - i < m[0] && x - j < m[1]) {
              sum += wide_a[i * n[1] + j] * wide_b[(y - i) * m[1] + x - j];
            }
          }
        }
        ASSERT_LT(std::abs(std::complex<double>(all[y][x]) - sum), 2e-5) << y << " " << x;
        const index_t top = (m[0] - 1) / 2, left = (m[1] - 1) / 2;
        if (y >= top && x >= left && y - top < n[0] && x - left < n[1]) {
          ASSERT_EQ(same[y - top][x - left], all[y][x]);
        }
        const index_t first_y = (n[0] < m[0] ? n[0] : m[0]) - 1;
        const index_t first_x = (n[1] < m[1] ? n[1] : m[1]) - 1;
        if (has_valid && y >= first_y && x >= first_x && y - first_y < 7 && x - first_x < 11) {
          ASSERT_EQ(valid[y - first_y][x - first_x], all[y][x]);
        }
      }
    }
  }
}
TEST(Convolve, Pictures) {
  Pictures<float>();
  Pictures<std::complex<double>>();
}

TEST(Convolve, ExpressionsAndThreads) {
  Numbers wide_a, wide_b;
  const auto a = Signal<double>(70000, 0.2, &wide_a), b = Signal<double>(60, 0.1, &wide_b);
  const auto c = convolve(a * 2.0, b + 1.0);
  for (const std::size_t k : {0, 59, 1024, 40000, 70058}) {
    double sum = 0;
    for (std::size_t j = 0; j < 60; ++j) {
      if (k >= j && k - j < 70000) sum += 2 * wide_a[k - j].real() * (wide_b[j].real() + 1);
    }
    EXPECT_NEAR(c[static_cast<index_t>(k)], sum, 1e-12) << k;
  }
  EXPECT_EQ(c.shape_, Shape1(70059));
}

TEST(Convolve, Errors) {
  TensorContainer<cpu, 2> rows(Shape2(2, 3), 1.0f), no_rows(Shape2(0, 3));
  EXPECT_NE(
      ErrorOf([&] { fftconvolve(rows, no_rows); }).find("fftconvolve: tensors of (2,3) and (0,3)"),
      std::string::npos);
  TensorContainer<cpu, 1> a(Shape1(4), 1.0f), none(Shape1(0));
  EXPECT_NE(ErrorOf([&] { convolve(a, none); }).find("convolve: vectors of (4,) and (0,)"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { correlate(none, a); }).find("correlate: vectors of (0,) and (4,)"),
            std::string::npos);
}

}  // namespace
}  // namespace convolve_test
}  // namespace mshadow
