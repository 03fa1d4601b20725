// SPDX-License-Identifier: Apache-2.0
#include "matrices.h"

namespace mshadow {
namespace {

using namespace testing;  // NOLINT

template <typename T>
class Factors : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Factors, Elements);

TYPED_TEST(Factors, Cholesky) {
  using T = TypeParam;
  for (int n : {1, 2, 3, 8, 9, 33, 65, 200}) {
    SCOPED_TRACE(n);
    auto a = Of<T>(Positive(n));
    const auto dense = In(a);
    for (int i = 0; i < n; ++i) {  // the upper triangle is not read
      for (int j = i + 1; j < n; ++j) a(i, j) = std::numeric_limits<T>::quiet_NaN();
    }
    const auto lower = In(cholesky(a));
    EXPECT_LE(Size(lower * Transposed(lower) - dense), Bound<T>(n, Size(dense)));
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) EXPECT_EQ(lower(i, j), 0);
    }
    const auto f = cho_factor(a);
    const auto b = Of<T>(Make(Kind::kRandom, n, 5));
    const auto x = In(f.solve(b));
    EXPECT_LE(Size(dense * x - In(b)), Bound<T>(n, Size(dense) * Size(x)));
    TensorContainer<cpu, 1, T> v(Shape1(n), T(1)), y;
    y = f.solve(v * T(2));
    const auto of_ones = In(f.solve(TensorContainer<cpu, 2, T>(Shape2(n, 1), T(2))));
    for (int i = 0; i < n; ++i) EXPECT_EQ(y[i], static_cast<T>(of_ones(i, 0)));
    if (n < 10) {
      EXPECT_NEAR(f.det() / det(Of<T>(dense)), 1, 1e-3);
    }
  }
  // A graded matrix keeps its small entries.
  TensorContainer<cpu, 2, T> graded({{1e4, 1, 0}, {1, 1, 1e-4}, {0, 1e-4, 1e-7}});
  const auto l = In(cholesky(graded));
  EXPECT_NEAR((l * Transposed(l))(2, 2) / 1e-7, 1, 1e-5);
}

TYPED_TEST(Factors, NotPositiveDefinite) {
  using T = TypeParam;
  for (int n : {4, 40}) {
    TensorContainer<cpu, 3, T> a(Shape3(3, n, n), T(0));
    for (int b = 0; b < 3; ++b) {
      for (int i = 0; i < n; ++i) a(b, i, i) = 2;
    }
    a(1, n - 1, 0) = 3;
    EXPECT_EQ(ErrorOf([&] { cholesky(a); }),
              "cholesky: matrix 1 of 3 is not positive definite at pivot " + std::to_string(n - 1));
    EXPECT_EQ(ErrorOf([&] { cho_factor(a[1]); }),
              "cho_factor: matrix is not positive definite at pivot " + std::to_string(n - 1));
    a(1, n - 1, 0) = std::numeric_limits<T>::quiet_NaN();
    const auto lower = cholesky(a);
    EXPECT_TRUE(std::isnan(lower(1, n - 1, n - 1)));
    EXPECT_FALSE(std::isnan(lower(2, n - 1, n - 1)));
  }
  EXPECT_EQ(cholesky(TensorContainer<cpu, 2, T>(Shape2(0, 0))).shape_, Shape2(0, 0));
}

TYPED_TEST(Factors, Orthogonal) {
  using T = TypeParam;
  for (Kind kind : kKinds) {
    for (int m : {1, 2, 5, 8, 9, 40}) {
      for (int n : {1, 3, 8, 17, 40}) {
        SCOPED_TRACE(m * 1000 + n);
        const auto a = Of<T>(Make(kind, m, n));
        const auto f = qr(a);
        const auto q = In(f.Q()), r = In(f.R());
        EXPECT_EQ(q.cols, m < n ? m : n);
        EXPECT_LE(Size(q * r - In(a)), Bound<T>(m, Size(In(a))));
        EXPECT_LE(FromOrthonormal(q), Bound<T>(m, 1));
        for (int i = 0; i < r.rows; ++i) {
          for (int j = 0; j < i && j < r.cols; ++j) EXPECT_EQ(r(i, j), 0);
        }
      }
    }
  }
}

TYPED_TEST(Factors, LeastSquares) {
  using T = TypeParam;
  for (int n : {1, 3, 8, 20}) {
    const int m = n + 7;
    Guarded<3, T> a(Shape3(4, m, n), 3);
    Guarded<2, T> b(Shape2(4, m), 2);
    a.FillRandom(-1, 1);
    b.FillRandom(-1, 1, 2);
    const auto x = qr(*a).solve(*b);
    EXPECT_EQ(x.shape_, Shape2(4, n));
    for (int k = 0; k < 4; ++k) {  // A^T (A x - b) = 0
      const auto dense = In((*a)[k]);
      Matrix rest(m, 1);
      for (int i = 0; i < m; ++i) {
        rest(i, 0) = -(*b)[k][i];
        for (int j = 0; j < n; ++j) rest(i, 0) += dense(i, j) * x[k][j];
      }
      EXPECT_LE(Size(Transposed(dense) * rest), Bound<T>(m, Size(dense) * (Size(rest) + n)));
    }
    EXPECT_TRUE(a.Intact() && b.Intact());
  }
  const TensorContainer<cpu, 2, T> zero(Shape2(3, 2), T(0));
  EXPECT_EQ(ErrorOf([&] { qr(zero).solve(zero); }),
            "QR.solve: matrix has dependent columns: R is 0 at 0");
  EXPECT_NE(ErrorOf([&] { qr(zero.T()).solve(zero.T()); }).find("lstsq"), std::string::npos);
  EXPECT_EQ(qr(TensorContainer<cpu, 2, T>(Shape2(0, 3))).R().shape_, Shape2(0, 3));
  EXPECT_EQ(qr(TensorContainer<cpu, 2, T>(Shape2(30, 0))).Q().shape_, Shape2(30, 0));
}

TYPED_TEST(Factors, Triangles) {
  using T = TypeParam;
  for (int n : {1, 3, 8, 31, 33, 70, 130}) {
    SCOPED_TRACE(n);
    auto a = Of<T>(Make(Kind::kRandom, n, n));
    for (int i = 0; i < n; ++i) a(i, i) = T(n);
    const auto b = Of<T>(Make(Kind::kRandom, n, 3));
    const auto lower = In(TensorContainer<cpu, 2, T>(tril(a))),
               upper = In(TensorContainer<cpu, 2, T>(triu(a)));
    const auto x = In(triangular_solve(a, b)), y = In(triangular_solve(a, b, Triangle::kUpper));
    EXPECT_LE(Size(lower * x - In(b)), Bound<T>(n, Size(lower) * Size(x)));
    EXPECT_LE(Size(upper * y - In(b)), Bound<T>(n, Size(upper) * Size(y)));
    const auto z = In(triangular_solve(a * T(0), b, Triangle::kLower, true));
    EXPECT_EQ(Size(z - In(b)), 0);
    a(n - 1, n - 1) = 0;
    EXPECT_EQ(
        ErrorOf([&] { triangular_solve(a, b); }),
        "triangular_solve: matrix is singular: the diagonal is 0 in row " + std::to_string(n - 1));
  }
}

}  // namespace
}  // namespace mshadow
