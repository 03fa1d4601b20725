// SPDX-License-Identifier: Apache-2.0
// Linear algebra of complex matrices.
#include "matrices.h"

namespace mshadow {
namespace {

using namespace testing;  // NOLINT

using Wide = std::complex<double>;
using Complex = Dense<Wide>;
constexpr int kSizes[] = {1, 2, 3, 5, 8, 9, 17, 40};

template <typename T>
class ComplexLinalg : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexLinalg, Elements);

Complex Make(int m, int n, uint32_t seed = 1) {
  const Matrix re = testing::Make(Kind::kRandom, m, n, seed);
  const Matrix im = testing::Make(Kind::kRandom, m, n, seed + 100);
  Complex a(m, n);
  for (std::size_t i = 0; i < a.at.size(); ++i) a.at[i] = {re.at[i], im.at[i]};
  return a;
}
Complex Adjoint(const Complex& a) {
  Complex b = Transposed(a);
  for (Wide& x : b.at) x = std::conj(x);
  return b;
}
Complex Unit(int n) {
  Complex a(n, n);
  for (int i = 0; i < n; ++i) a(i, i) = 1;
  return a;
}
/// M M^H + I
Complex Definite(int n) {
  Complex a = Make(n, n) * Adjoint(Make(n, n));
  for (int i = 0; i < n; ++i) a(i, i) = a(i, i).real() + 1;
  return a;
}
template <typename T>
TensorContainer<cpu, 2, std::complex<T>> Of(const Complex& a) {
  TensorContainer<cpu, 2, std::complex<T>> t(Shape2(a.rows, a.cols));
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < a.cols; ++j) t(i, j) = std::complex<T>(a(i, j));
  }
  return t;
}
double FromUnitary(const Complex& q) { return Size(Adjoint(q) * q - Unit(q.cols)); }
template <typename R>
Complex Scaled(Complex a, const Tensor<cpu, 1, R>& by) {
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < a.cols; ++j) a(i, j) *= Wide(by[j]);
  }
  return a;
}
/// With NaN in the last row, in an imaginary part where it is off the diagonal.
template <typename T>
TensorContainer<cpu, 2, std::complex<T>> Spoiled(int m, int n) {
  auto a = Of<T>(Make(m, n));
  const T nan = std::numeric_limits<T>::quiet_NaN();
  a(m - 1, 0) = m == 1 ? std::complex<T>(nan, T(1)) : std::complex<T>(T(1), nan);
  return a;
}

TYPED_TEST(ComplexLinalg, Systems) {
  using T = TypeParam;
  for (int n : kSizes) {
    SCOPED_TRACE(n);
    const auto a = Of<T>(Make(n, n)), b = Of<T>(Make(n, 3, 2));
    const auto dense = In(a);
    for (const auto& x : {In(solve(a, b)), In(lu(a).solve(b)), In(qr(a).solve(b))}) {
      EXPECT_LE(Size(dense * x - In(b)), Bound<T>(n, Size(dense) * Size(x)));
    }
    const auto inverse = In(inv(a));
    EXPECT_LE(Size(dense * inverse - Unit(n)), Bound<T>(n, Size(dense) * Size(inverse)));
    TensorContainer<cpu, 1, std::complex<T>> v(Shape1(n)), x;
    for (int i = 0; i < n; ++i) v[i] = b(i, 1);
    x = solve(a, v);
    const auto all = solve(a, b);
    for (int i = 0; i < n; ++i) {
      EXPECT_LE(std::abs(x[i] - all(i, 1)),
                Bound<T>(n, Size(inverse) * Size(dense) * Size(In(all))));
    }
    for (const Triangle triangle : {Triangle::kLower, Triangle::kUpper}) {
      Complex t = dense;
      for (int i = 0; i < n; ++i) {
        t(i, i) += 3.0;
        for (int j = 0; j < n; ++j) {
          if (triangle == Triangle::kLower ? j > i : j < i) t(i, j) = 0;
        }
      }
      const auto y = In(triangular_solve(Of<T>(t), b, triangle));
      EXPECT_LE(Size(t * y - In(b)), Bound<T>(n, Size(t) * Size(y)));
    }
  }
}

// A real operand counts as a complex one.
TYPED_TEST(ComplexLinalg, RealOperands) {
  using T = TypeParam;
  using C = std::complex<T>;
  const TensorContainer<cpu, 2, C> z({{C(4, 1), C(1)}, {C(0, 1), C(3)}}), y({{C(1, 2)}, {C(3)}});
  const TensorContainer<cpu, 2, T> a({{2, 0}, {1, 3}}), b({{1}, {5}});
  const TensorContainer<cpu, 2, C> za = a, zb = b;
  const auto expect_same = [](const TensorContainer<cpu, 2, C>& got,
                              const TensorContainer<cpu, 2, C>& right) {
    ASSERT_EQ(got.shape_, right.shape_);
    for (index_t i = 0; i < right.shape_[0]; ++i) {
      for (index_t j = 0; j < right.shape_[1]; ++j) EXPECT_EQ(got(i, j), right(i, j));
    }
  };
  expect_same(solve(z, b), solve(z, zb));
  expect_same(solve(a, y), solve(za, y));
  expect_same(solve(z, b * T(2)), solve(z, zb * T(2)));
  expect_same(triangular_solve(a, y), triangular_solve(za, y));
  expect_same(lstsq(z, b), lstsq(z, zb));
  expect_same(kron(a, z), kron(za, z));
  expect_same(kron(z, a), kron(z, za));
  expect_same(lu(z).solve(b), lu(z).solve(zb));
  expect_same(qr(z).solve(b), qr(z).solve(zb));
  expect_same(cho_factor(dot(z, conj(z).T())).solve(b), cho_factor(dot(z, conj(z).T())).solve(zb));
}

TYPED_TEST(ComplexLinalg, Determinants) {
  using T = TypeParam;
  using C = std::complex<T>;
  const TensorContainer<cpu, 2, C> a({{C(0, 1), C(2, 0)}, {C(1, -1), C(3, 1)}});
  EXPECT_LE(std::abs(det(a) - C(-3, 5)), 1e-5);  // i (3 + i) - 2 (1 - i)
  for (int n : kSizes) {
    const auto m = Of<T>(Make(n, n));
    const auto f = lu(m);
    const auto upper = In(f.U()), lower = In(f.L()), order = In(f.P());
    EXPECT_LE(Size(order * (lower * upper) - In(m)), Bound<T>(n, Size(In(m))));
    const auto [sign, log] = slogdet(m);
    static_assert(std::is_same_v<decltype(log), const T>);
    EXPECT_NEAR(std::abs(sign), 1, Bound<T>(n, 1));
    const C product = sign * std::exp(log);
    EXPECT_LE(std::abs(det(m) - product), 100 * Bound<T>(n, std::abs(product)));
    EXPECT_LE(std::abs(det(m) - f.det()), Bound<T>(n, std::abs(product)));
  }
  for (int n : {3, 20}) {
    auto m = Of<T>(Make(n, n));
    for (int j = 0; j < n; ++j) m(1, j) = 0;
    EXPECT_EQ(det(m), C(0));
    EXPECT_EQ(slogdet(m).sign, C(0));
    EXPECT_TRUE(std::isinf(slogdet(m).logabsdet));
    EXPECT_NE(ErrorOf([&] { inv(m); }).find("inv: matrix is singular"), std::string::npos);
    EXPECT_TRUE(std::isinf(cond(m, MatrixNorm::k1)));
  }
}

TYPED_TEST(ComplexLinalg, Cholesky) {
  using T = TypeParam;
  for (int n : {1, 2, 3, 8, 9, 33, 65, 200}) {
    SCOPED_TRACE(n);
    auto a = Of<T>(Definite(n));
    const auto dense = In(a);
    for (int i = 0; i < n; ++i) {  // neither the upper triangle nor the imaginary diagonal is read
      for (int j = i + 1; j < n; ++j) a(i, j) = {77, 88};
    }
    const auto f = cho_factor(a);
    const auto lower = In(f.L());
    EXPECT_LE(Size(lower * Adjoint(lower) - dense), Bound<T>(n, Size(dense)));
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(lower(i, i).imag(), 0);
      for (int j = i + 1; j < n; ++j) EXPECT_EQ(lower(i, j), 0.0);
    }
    const auto b = Of<T>(Make(n, 3, 2));
    const auto x = In(f.solve(b));
    EXPECT_LE(Size(dense * x - In(b)), Bound<T>(n, Size(dense) * Size(x)));
    if (n < 10) {
      EXPECT_LE(std::abs(f.det() / det(Of<T>(dense)) - std::complex<T>(1)), 1e-3);
    }
  }
  TensorContainer<cpu, 2, std::complex<T>> a(Shape2(4, 4), std::complex<T>(0));
  for (int i = 0; i < 4; ++i) a(i, i) = 2;
  a(3, 0) = {0, 3};
  EXPECT_EQ(ErrorOf([&] { cholesky(a); }), "cholesky: matrix is not positive definite at pivot 3");
}

TYPED_TEST(ComplexLinalg, OrthonormalFactors) {
  using T = TypeParam;
  for (int m : {1, 3, 8, 9, 30}) {
    for (int n : {1, 2, 5, 8, 12, 30}) {
      SCOPED_TRACE(m * 100 + n);
      const auto a = Of<T>(Make(m, n));
      const int most = m < n ? n : m;
      const auto f = qr(a);
      const auto q = In(f.Q()), r = In(f.R());
      EXPECT_LE(FromUnitary(q), Bound<T>(most, 1));
      EXPECT_LE(Size(q * r - In(a)), Bound<T>(most, Size(In(a))));
      const auto [u, s, vt] = svd(a);
      static_assert(std::is_same_v<decltype(s[0]), const T&>);
      EXPECT_LE(FromUnitary(In(u)), Bound<T>(most, 1));
      EXPECT_LE(FromUnitary(Adjoint(In(vt))), Bound<T>(most, 1));
      EXPECT_LE(Size(Scaled<T>(In(u), s) * In(vt) - In(a)), Bound<T>(most, Size(In(a))));
      const auto alone = svdvals(a);
      for (index_t i = 0; i < s.size(0); ++i) {
        EXPECT_NEAR(alone[i], s[i], Bound<T>(most, s[0]));
        EXPECT_GE(s[i], 0);
        if (i > 0) {
          EXPECT_LE(s[i], s[i - 1]);
        }
      }
      EXPECT_EQ(matrix_rank(a), m < n ? m : n);
      const auto dense = In(a), inverse = In(pinv(a));
      EXPECT_LE(Size(dense * inverse * dense - dense),
                Bound<T>(most, Size(dense) * Size(dense) * Size(inverse)));
      const auto product = dense * inverse;
      EXPECT_LE(Size(Adjoint(product) - product), Bound<T>(most, Size(dense) * Size(inverse)));
      const auto b = Of<T>(Make(m, 3, 2));
      const auto x = In(lstsq(a, b)), rest = dense * x - In(b);
      EXPECT_LE(Size(Adjoint(dense) * rest), Bound<T>(most, 100 * Size(dense) * Size(x)));
      EXPECT_LE(Size(x - inverse * In(b)), Bound<T>(most, 100 * Size(inverse) * Size(x)));
    }
  }
}

TYPED_TEST(ComplexLinalg, Hermitian) {
  using T = TypeParam;
  for (int n : kSizes) {
    SCOPED_TRACE(n);
    Complex h = Make(n, n);
    h = h - Adjoint(Make(n, n, 7));
    for (int i = 0; i < n; ++i) {
      h(i, i) = h(i, i).real();
      for (int j = i + 1; j < n; ++j) h(i, j) = std::conj(h(j, i));
    }
    auto a = Of<T>(h);
    h = In(a);
    for (int i = 0; i < n; ++i) {  // what is not read
      a(i, i) += std::complex<T>(0, 5);
      for (int j = i + 1; j < n; ++j) a(i, j) = {77, 88};
    }
    const auto [values, vectors] = eigh(a);
    static_assert(std::is_same_v<decltype(values[0]), const T&>);
    const auto v = In(vectors);
    EXPECT_LE(FromUnitary(v), Bound<T>(n, 1));
    EXPECT_LE(Size(h * v - Scaled<T>(v, values)), Bound<T>(n, Size(h)));
    const auto alone = eigvalsh(a);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(alone[i], values[i], Bound<T>(n, Size(h)));
      if (i > 0) {
        EXPECT_LE(values[i - 1], values[i]);
      }
    }
  }
  // Of norms that differ, of equal values, of zeros.
  using C = std::complex<T>;
  const TensorContainer<cpu, 2, C> pauli({{C(0), C(0, -1)}, {C(0, 1), C(0)}});
  EXPECT_NEAR(eigvalsh(pauli)[0], -1, 1e-6);
  EXPECT_NEAR(eigvalsh(pauli)[1], 1, 1e-6);
  for (int n : {1, 3, 20}) {
    TensorContainer<cpu, 2, C> none(Shape2(n, n), C(0));
    EXPECT_EQ(eigvalsh(none)[n - 1], 0);
    EXPECT_EQ(svdvals(none)[0], 0);
    EXPECT_LE(FromUnitary(In(svd(none).u)), Bound<T>(n, 1));
    TensorContainer<cpu, 2, C> ones(Shape2(n, n), C(0, 1));
    EXPECT_LE(FromUnitary(In(svd(ones).vt)), Bound<T>(n, 1));
    EXPECT_NEAR(svdvals(ones)[0], n, Bound<T>(n, n));
    EXPECT_EQ(matrix_rank(ones), 1);
  }
}

TYPED_TEST(ComplexLinalg, General) {
  using T = TypeParam;
  for (int n : {1, 2, 3, 5, 8, 12, 30}) {
    SCOPED_TRACE(n);
    const auto a = Of<T>(Make(n, n));
    const auto [values, vectors] = eig(a);
    const auto v = In(vectors), dense = In(a);
    EXPECT_LE(Size(dense * v - Scaled<std::complex<T>>(v, values)), Bound<T>(n, Size(dense)));
    for (int j = 0; j < n; ++j) {
      double square = 0;
      for (int i = 0; i < n; ++i) square += std::norm(v(i, j));
      EXPECT_NEAR(square, 1, Bound<T>(n, 1));
    }
    Wide sum = 0;
    for (const std::complex<T>& w : eigvals(a)) sum += Wide(w);
    EXPECT_LE(std::abs(sum - Wide(trace(a))), Bound<T>(n, Size(dense)));
  }
}

TYPED_TEST(ComplexLinalg, Composed) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (int n : {1, 4, 12}) {
    const auto a = Of<T>(Make(n, n));
    const auto dense = In(a);
    const double size = Size(dense);
    const auto cube = In(matrix_power(a, 3)), back = In(matrix_power(a, -2));
    EXPECT_LE(Size(cube - dense * dense * dense), Bound<T>(n, size * size * size));
    EXPECT_LE(Size(back * dense * dense - Unit(n)), Bound<T>(n, 100 * Size(back) * size * size));
    // e^(i H) is unitary, e^A e^-A = I.
    const auto e = In(expm(a)), of_minus = In(expm(a * C(-1)));
    EXPECT_LE(Size(e * of_minus - Unit(n)), Bound<T>(n, 10 * Size(e) * Size(of_minus)));
    Complex term = Unit(n), series = Unit(n);
    for (int k = 1; k < 60; ++k) {
      term = term * dense;
      for (Wide& x : term.at) x /= k;
      series = series - term;
      series = series - term;
      for (std::size_t i = 0; i < series.at.size(); ++i) series.at[i] += 3.0 * term.at[i];
    }
    EXPECT_LE(Size(series - e), Bound<T>(n, 10 * std::exp(size)));
    const auto s = svdvals(a);
    EXPECT_NEAR(matrix_norm(a), size, Bound<T>(n, size));
    EXPECT_NEAR(matrix_norm(a, MatrixNorm::k2), s[0], Bound<T>(n, size));
    EXPECT_NEAR(cond(a), s[0] / s[n - 1], Bound<T>(n, s[0] / s[n - 1]));
    double most = 0;
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += std::abs(dense(i, j));
      most = most < sum ? sum : most;
    }
    EXPECT_NEAR(matrix_norm(a, MatrixNorm::k1), most, Bound<T>(n, most));
    EXPECT_NEAR(cond(a, MatrixNorm::k1), most * matrix_norm(inv(a), MatrixNorm::k1),
                Bound<T>(n, 10 * most * Size(In(inv(a)))));
    static_assert(std::is_same_v<decltype(cond(a)), T>);
    static_assert(std::is_same_v<decltype(matrix_norm(a)), T>);
  }
  const TensorContainer<cpu, 2, C> a({{C(1, 1), C(0, 2)}}), b({{C(0, 1)}, {C(3, 0)}});
  const auto k = kron(a, b);
  EXPECT_EQ(k.shape_, Shape2(2, 2));
  EXPECT_EQ(k(0, 0), C(-1, 1));
  EXPECT_EQ(k(1, 1), C(0, 6));
  EXPECT_EQ(trace(k), C(-1, 7));
  EXPECT_EQ(diag(k)[1], C(0, 6));
  EXPECT_EQ(eye<C>(2)(1, 1), C(1));
  EXPECT_EQ(eye<C>(2)(0, 1), C(0));
  EXPECT_EQ(diag(diag(k), 1)(1, 2), C(0, 6));
  EXPECT_EQ(vander(diag(k), 3)(1, 0), C(-36, 0));
  TensorContainer<cpu, 2, C> lower;
  lower = tril(k);
  EXPECT_EQ(lower(0, 1), C(0));
}

TYPED_TEST(ComplexLinalg, PaddedBatches) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (int n : {3, 11}) {
    Guarded<3, C> a(Shape3(5, n, n), 3, 1);
    Guarded<3, C> b(Shape3(5, n, 2), 5, 2);
    for (int m = 0; m < 5; ++m) {
      Copy((*a)[m], Of<T>(Make(n, n, static_cast<uint32_t>(m + 1))));
      Copy((*b)[m], Of<T>(Make(n, 2, static_cast<uint32_t>(m + 9))));
    }
    const auto x = solve(*a, *b), inverse = inv(*a), e = eigh(*a).vectors, u = svd(*a).u;
    const auto values = eigvals(*a);
    const auto d = det(*a), t = trace(*a);
    for (int m = 0; m < 5; ++m) {
      const auto dense = In((*a)[m]), solution = In(x[m]), other = In(inverse[m]);
      EXPECT_LE(Size(dense * solution - In((*b)[m])), Bound<T>(n, Size(dense) * Size(solution)));
      EXPECT_LE(Size(dense * other - Unit(n)), Bound<T>(n, Size(dense) * Size(other)));
      EXPECT_LE(FromUnitary(In(e[m])), Bound<T>(n, 1));
      EXPECT_LE(FromUnitary(In(u[m])), Bound<T>(n, 1));
      Wide sum = 0, product = 1;
      for (int i = 0; i < n; ++i) sum += Wide(values(m, i)), product *= Wide(values(m, i));
      EXPECT_LE(std::abs(sum - Wide(t[m])), Bound<T>(n, Size(dense)));
      EXPECT_LE(std::abs(product - Wide(d[m])), Bound<T>(n, 100 * std::abs(product)));
    }
    EXPECT_TRUE(a.Intact() && b.Intact());
    (*a)[3] = C(0);
    EXPECT_EQ(ErrorOf([&] { solve(*a, *b); }),
              "solve: matrix 3 of 5 is singular: there is nothing but 0 for pivot 0");
  }
}

TYPED_TEST(ComplexLinalg, NaNAndEmpty) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (int n : {1, 3, 20}) {
    SCOPED_TRACE(n);
    const auto a = Spoiled<T>(n, n);
    EXPECT_TRUE(AllNaN(eigh(a).vectors) && AllNaN(eigvalsh(a)));
    EXPECT_TRUE(AllNaN(eig(a).vectors) && AllNaN(eigvals(a)));
    const auto [u, s, vt] = svd(Spoiled<T>(n, n + 1));
    EXPECT_TRUE(AllNaN(u) && AllNaN(s) && AllNaN(vt) && AllNaN(pinv(a)));
    EXPECT_TRUE(AllNaN(expm(a)));
    EXPECT_TRUE(std::isnan(std::abs(det(a))));
    EXPECT_TRUE(std::isnan(std::abs(cholesky(a)(n - 1, n - 1))));
    const auto r = qr(a).R();
    EXPECT_TRUE(std::isnan(std::abs(r(0, 0))));
  }
  const TensorContainer<cpu, 2, C> none(Shape2(0, 0));
  EXPECT_EQ(det(none), C(1));
  EXPECT_EQ(inv(none).shape_, Shape2(0, 0));
  EXPECT_EQ(eigh(none).values.shape_, Shape1(0));
  EXPECT_EQ(eigvals(none).shape_, Shape1(0));
  EXPECT_EQ(svd(TensorContainer<cpu, 2, C>(Shape2(20, 0))).u.shape_, Shape2(20, 0));
  EXPECT_EQ(pinv(TensorContainer<cpu, 2, C>(Shape2(0, 3))).shape_, Shape2(3, 0));
  const TensorContainer<cpu, 2, C> wide(Shape2(2, 3), C(1));
  EXPECT_EQ(ErrorOf([&] { inv(wide); }), "inv: the matrices of shape (2,3) are not square");
}

// Far from 1, where squares overflow or vanish.
TYPED_TEST(ComplexLinalg, TinyAndHugeMatrices) {
  using T = TypeParam;
  for (const double exponent : {-0.8, 0.8}) {
    const double scale = std::pow(static_cast<double>((std::numeric_limits<T>::max)()), exponent);
    for (int n : {3, 20}) {
      Complex dense = Make(n, n);
      for (Wide& x : dense.at) x *= scale;
      const auto a = Of<T>(dense);
      dense = In(a);
      for (Wide& x : dense.at) x /= scale;
      const auto q = In(qr(a).Q());
      EXPECT_LE(FromUnitary(q), Bound<T>(n, 1));
      const auto s = svdvals(a), of_dense = svdvals(Of<T>(dense));
      for (int i = 0; i < n; ++i) EXPECT_NEAR(s[i] / scale, of_dense[i], Bound<T>(n, Size(dense)));
      const auto x = In(solve(a, a));
      EXPECT_LE(Size(x - Unit(n)), Bound<T>(n, 1000));
      Wide sum = 0;
      for (const std::complex<T>& w : eigvals(a)) sum += Wide(w) / scale;
      EXPECT_LE(std::abs(sum - Wide(trace(a)) / scale), Bound<T>(n, Size(dense)));
    }
  }
}

}  // namespace
}  // namespace mshadow
