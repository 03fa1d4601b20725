// SPDX-License-Identifier: Apache-2.0
#include "matrices.h"

namespace mshadow {
namespace {

using namespace testing;  // NOLINT

template <typename T>
class Svd : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Svd, Elements);

template <typename T>
void Check(const Matrix& dense, const Tensor<cpu, 2, T>& u, const Tensor<cpu, 1, T>& s,
           const Tensor<cpu, 2, T>& vt) {
  const int most = dense.rows > dense.cols ? dense.rows : dense.cols;
  const Matrix left = In(u), right = In(vt);
  EXPECT_EQ(left.cols, dense.rows < dense.cols ? dense.rows : dense.cols);
  EXPECT_LE(FromOrthonormal(left), Bound<T>(most, 1));
  EXPECT_LE(FromOrthonormal(Transposed(right)), Bound<T>(most, 1));
  Matrix scaled = left;
  for (int i = 0; i < scaled.rows; ++i) {
    for (int j = 0; j < scaled.cols; ++j) scaled(i, j) *= s[j];
  }
  for (int j = 0; j < scaled.cols; ++j) {
    EXPECT_GE(s[j], 0);
    if (j > 0) {
      EXPECT_LE(s[j], s[j - 1]);
    }
  }
  EXPECT_LE(Size(scaled * right - dense), Bound<T>(most, Size(dense)));
}

TYPED_TEST(Svd, Decomposes) {
  using T = TypeParam;
  for (Kind kind : kKinds) {
    for (int m : {1, 2, 5, 8, 9, 40}) {
      for (int n : {1, 3, 8, 12, 40}) {
        SCOPED_TRACE(m * 1000 + n);
        const auto a = Of<T>(Make(kind, m, n));
        const auto [u, s, vt] = svd(a);
        Check<T>(In(a), u, s, vt);
        const auto alone = svdvals(a);
        for (index_t i = 0; i < s.size(0); ++i) {
          EXPECT_NEAR(alone[i], s[i], Bound<T>(m + n, s[0]));
        }
      }
    }
  }
}

TYPED_TEST(Svd, RankDeficient) {
  using T = TypeParam;
  for (int m : {1, 3, 8, 20}) {
    for (int n : {1, 2, 8, 20}) {
      Matrix ones(m, n);
      for (double& e : ones.at) e = 1;
      for (const Matrix& a : {Matrix(m, n), ones}) {
        const auto [u, s, vt] = svd(Of<T>(a));
        Check<T>(a, u, s, vt);
      }
      EXPECT_EQ(matrix_rank(Of<T>(ones)), 1);
      EXPECT_EQ(matrix_rank(Of<T>(Matrix(m, n))), 0);
      EXPECT_EQ(matrix_rank(Of<T>(Make(Kind::kRandom, m, n))), m < n ? m : n);
      // of ones: ones / (m n)
      const auto inverse = In(pinv(Of<T>(ones)));
      EXPECT_EQ(inverse.rows, n);
      for (const double& e : inverse.at) EXPECT_NEAR(e * m * n, 1, 1e-4);
    }
  }
}

TYPED_TEST(Svd, BatchesWithPaddedRows) {
  using T = TypeParam;
  Guarded<4, T> a(Shape4(2, 3, 5, 3), 2, 1);
  a.FillRandom(-1, 1);
  const auto [u, s, vt] = svd(*a);
  const auto inverse = pinv(*a);
  const auto rank = matrix_rank(*a);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      Check<T>(In((*a)[i][j]), u[i][j], s[i][j], vt[i][j]);
      EXPECT_LE(Size(In(inverse[i][j]) * In((*a)[i][j]) - Identity(3)), Bound<T>(5, 30));
      EXPECT_EQ(rank(i, j), 3);
    }
  }
  EXPECT_TRUE(a.Intact());
}

TYPED_TEST(Svd, LeastSquares) {
  using T = TypeParam;
  for (int m : {2, 7, 20}) {
    for (int n : {1, 4, 12}) {
      const auto a = Of<T>(Make(Kind::kRandom, m, n)), b = Of<T>(Make(Kind::kRandom, m, 3, 2));
      const auto x = In(lstsq(a, b));
      const auto dense = In(a), rest = dense * x - In(b);
      EXPECT_LE(Size(Transposed(dense) * rest), Bound<T>(m + n, 10 * Size(dense) * Size(x)));
      if (m < n) {  // of the least norm: x = A^T y
        const auto back = In(pinv(a)) * (dense * x);
        EXPECT_LE(Size(back - x), Bound<T>(m + n, 100 * Size(x)));
      }
      TensorContainer<cpu, 1, T> column(Shape1(m)), y;
      for (int i = 0; i < m; ++i) column[i] = b(i, 1);
      y = lstsq(a, column);
      for (int i = 0; i < n; ++i) EXPECT_NEAR(y[i], x(i, 1), 1e-4);
    }
  }
  TensorContainer<cpu, 2, T> same(Shape2(3, 2), T(1));  // x0 + x1 = 2, of least norm
  const auto x = lstsq(same, TensorContainer<cpu, 1, T>(Shape1(3), T(2)));
  EXPECT_NEAR(x[0], 1, 1e-5);
  EXPECT_NEAR(x[1], 1, 1e-5);
}

TYPED_TEST(Svd, Norms) {
  using T = TypeParam;
  const TensorContainer<cpu, 2, T> a({{3, 0, -4}, {0, 5, 0}});
  EXPECT_NEAR(matrix_norm(a), std::sqrt(50.0), 1e-5);
  EXPECT_EQ(matrix_norm(a, MatrixNorm::k1), 5);
  EXPECT_EQ(matrix_norm(a, MatrixNorm::kInf), 7);
  EXPECT_NEAR(matrix_norm(a, MatrixNorm::k2), 5, 1e-5);
  EXPECT_NEAR(matrix_norm(a, MatrixNorm::kNuc), 10, 1e-5);
  EXPECT_NEAR(cond(a), 1, 1e-5);
  TensorContainer<cpu, 3, T> batch(Shape3(2, 2, 2), T(0));
  batch(0, 0, 0) = 2, batch(0, 1, 1) = 4, batch(1, 0, 1) = 3;
  for (MatrixNorm kind : {MatrixNorm::k2, MatrixNorm::k1, MatrixNorm::kInf}) {
    EXPECT_NEAR(cond(batch, kind)[0], 2, 1e-5);
    EXPECT_TRUE(std::isinf(cond(batch, kind)[1]));
    EXPECT_EQ(matrix_norm(batch, kind)[1], 3);
  }
  EXPECT_NEAR(cond(batch, MatrixNorm::kFro)[0], 2.5, 1e-5);
  const TensorContainer<cpu, 2, T> none(Shape2(0, 3));
  for (MatrixNorm kind :
       {MatrixNorm::kFro, MatrixNorm::k1, MatrixNorm::k2, MatrixNorm::kInf, MatrixNorm::kNuc}) {
    EXPECT_EQ(matrix_norm(none, kind), 0);
    auto bad = TensorContainer<cpu, 2, T>(a);
    bad(0, 1) = std::numeric_limits<T>::quiet_NaN();
    EXPECT_TRUE(std::isnan(matrix_norm(bad, kind)));
  }
}

TYPED_TEST(Svd, NaNAndEmpty) {
  using T = TypeParam;
  for (int n : {1, 3, 20}) {
    TensorContainer<cpu, 2, T> a(Shape2(n, n + 1), T(1));
    a(n - 1, 0) = std::numeric_limits<T>::quiet_NaN();
    const auto [u, s, vt] = svd(a);
    EXPECT_TRUE(AllNaN(u) && AllNaN(s) && AllNaN(vt) && AllNaN(svdvals(a)));
    EXPECT_TRUE(AllNaN(pinv(a)));
  }
  const auto none = svd(TensorContainer<cpu, 2, T>(Shape2(20, 0)));
  EXPECT_EQ(none.u.shape_, Shape2(20, 0));
  EXPECT_EQ(none.vt.shape_, Shape2(0, 0));
  EXPECT_EQ(pinv(TensorContainer<cpu, 2, T>(Shape2(0, 3))).shape_, Shape2(3, 0));
}

}  // namespace
}  // namespace mshadow
