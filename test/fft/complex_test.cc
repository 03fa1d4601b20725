// SPDX-License-Identifier: Apache-2.0
// What reads and gives complex tensors above tensor.h: transforms, einsum, names of NumPy.
#include <mshadow/einsum.h>
#include <mshadow/fft.h>
#include <mshadow/index.h>
#include <mshadow/linalg.h>
#include <mshadow/numpy.h>
#include <mshadow/view.h>

#include <cmath>
#include <complex>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace {

using namespace expr;

template <typename C>
TensorContainer<cpu, 2, C> Some(index_t m, index_t n) {
  using T = typename C::value_type;
  TensorContainer<cpu, 2, C> z(Shape2(m, n));
  for (index_t i = 0; i < m; ++i) {
    for (index_t j = 0; j < n; ++j) {
      z[i][j] = C(static_cast<T>((i * 7 + j * 3) % 11) - 5, static_cast<T>((i + j * 5) % 7) - 2);
    }
  }
  return z;
}
template <typename C>
void ExpectNear(const C& value, const C& expected) {
  EXPECT_LT(std::abs(value - expected), 2e-4 * (1 + std::abs(expected)))
      << value << " is not " << expected;
}

template <typename C>
void CheckTransforms() {
  using T = typename C::value_type;
  const auto z = Some<C>(3, 12);
  TensorContainer<cpu, 2, C> y(z.shape_), back(z.shape_);
  y = fft(z) * C(0, 2) + conj(fft(z));
  for (index_t i = 0; i < 3; ++i) {
    for (index_t k = 0; k < 12; ++k) {
      C sum = 0;
      for (index_t j = 0; j < 12; ++j) {
        sum += z[i][j] * std::polar(T(1), T(-2 * 3.14159265358979 / 12) * static_cast<T>(j * k));
      }
      ExpectNear(y[i][k], C(sum * C(0, 2) + std::conj(sum)));
    }
  }
  back = ifft(fft(z * 2)) - z;
  EXPECT_LT(max(abs(back - z)), 1e-5);
  back = fftshift(fft(z), 1) - roll(fft(z), 6, 1);
  EXPECT_EQ(max(abs(back)), 0);
  TensorContainer<cpu, 2, T> x(z.shape_), power(Shape2(3, 7)), again(z.shape_);
  x = real(z);
  power = square(abs(rfft(x)));
  const T energy = sum(square(x)), sums = sum(power) * 2 - sum(power[0].Slice(0, 1)) -
                                          sum(power[1].Slice(0, 1)) - sum(power[2].Slice(0, 1)) -
                                          sum(slice<1>(power, 6, 7));
  EXPECT_NEAR(sums / 12 / energy, 1, 1e-5);  // Parseval
  again = irfft(rfft(x) * T(0.5), 12);
  EXPECT_LT(max(abs(again * 2 - x)), 1e-5);
}
TEST(ComplexTensors, Transforms) {
  CheckTransforms<std::complex<float>>();
  CheckTransforms<std::complex<double>>();
}

template <typename C>
void CheckFormulas() {
  const auto a = Some<C>(4, 5), b = Some<C>(5, 4);
  TensorContainer<cpu, 2, C> y(Shape2(4, 4));
  y = MSHADOW_EINSUM("ij,jk->ik", a, b);
  TensorContainer<cpu, 2, C> product(Shape2(4, 4));
  product = dot(a, b);
  EXPECT_LT(max(abs(y - product)), 1e-4);
  y = MSHADOW_EINSUM("ji,jk->ik", conj(b), b);
  product = dot(conj(b).T(), b);
  EXPECT_LT(max(abs(y - product)), 1e-4);
  C trace = 0, total = 0;
  for (index_t i = 0; i < 4; ++i) trace += y[i][i];
  ExpectNear<C>(MSHADOW_EINSUM("ii->", y), trace);
  C inner = 0;
  for (index_t i = 0; i < 4; ++i) {
    for (index_t j = 0; j < 5; ++j) {
      inner += std::conj(a[i][j]) * a[i][j];
      total += a[i][j];
    }
  }
  ExpectNear<C>(vdot(a, a), inner);
  EXPECT_NEAR(std::abs(norm(a) * norm(a) - inner), 0, 1e-2);
  TensorContainer<cpu, 2, C> sums(a.shape_);
  sums = cumsum(a, 1);
  C first = 0;
  for (index_t j = 0; j < 5; ++j) ExpectNear(sums[0][j], first += a[0][j]);
  sums = tril(a);
  EXPECT_EQ(sums[0][1], C(0));
  EXPECT_EQ(sums[3][2], a[3][2]);
}
template <typename C>
void CheckViews() {
  const auto a = Some<C>(4, 6);
  const View<cpu, 2, C> odd(a.dptr_ + 1, Shape2(4, 3), {6, 2});
  TensorContainer<cpu, 2, C> y(Shape2(4, 3)), rows(Shape2(2, 6));
  y = odd * C(0, 1);
  for (index_t i = 0; i < 4; ++i) {
    for (index_t j = 0; j < 3; ++j) EXPECT_EQ(y[i][j], a[i][2 * j + 1] * C(0, 1));
  }
  TensorContainer<cpu, 1, int64_t> index(Shape1(2));
  index[0] = 3;
  index[1] = 0;
  rows = take(index, a, 0);
  EXPECT_TRUE(all(rows[0] == a[3]));
  EXPECT_TRUE(all(rows[1] == a[0]));
}
TEST(ComplexTensors, FormulasAndViews) {
  CheckFormulas<std::complex<float>>();
  CheckFormulas<std::complex<double>>();
  CheckViews<std::complex<float>>();
  CheckViews<std::complex<double>>();
}

}  // namespace
}  // namespace mshadow
