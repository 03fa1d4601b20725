// SPDX-License-Identifier: Apache-2.0
#include "matrices.h"

namespace mshadow {
namespace {

using namespace testing;  // NOLINT

template <typename T>
class Symmetric : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Symmetric, Elements);

template <typename T>
void Check(const Matrix& dense, const Tensor<cpu, 1, T>& values, const Tensor<cpu, 2, T>& vectors) {
  const int n = dense.rows;
  const auto v = In(vectors);
  EXPECT_LE(FromOrthonormal(v), Bound<T>(n, 1));
  Matrix scaled = v;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) scaled(i, j) *= values[j];
    if (i > 0) {
      EXPECT_LE(values[i - 1], values[i]);
    }
  }
  EXPECT_LE(Size(dense * v - scaled), Bound<T>(n, Size(dense)));
}

TYPED_TEST(Symmetric, Eigenpairs) {
  using T = TypeParam;
  for (Kind kind : kKinds) {
    for (int n : {1, 2, 3, 4, 8, 9, 17, 40, 70}) {
      SCOPED_TRACE(n);
      auto a = Of<T>(SymmetricOf(Make(kind, n, n)));
      const auto dense = In(a);
      for (int i = 0; i < n; ++i) {  // the upper triangle is not read
        for (int j = i + 1; j < n; ++j) a(i, j) = 77;
      }
      const auto [values, vectors] = eigh(a);
      Check<T>(dense, values, vectors);
      const auto alone = eigvalsh(a);
      for (int i = 0; i < n; ++i) {
        EXPECT_NEAR(alone[i], values[i], Bound<T>(n, Size(dense)));
      }
    }
  }
}

TYPED_TEST(Symmetric, SpecialMatrices) {
  using T = TypeParam;
  for (int n : {1, 3, 8, 20}) {
    Matrix zero(n, n), ones(n, n), huge(n, n);
    for (double& e : ones.at) e = 1;
    for (int i = 0; i < n; ++i) huge(i, n - 1 - i) = 1e30;
    for (const Matrix& m : {zero, Identity(n), ones, huge}) {
      const auto [values, vectors] = eigh(Of<T>(m));
      Check<T>(In(Of<T>(m)), values, vectors);
    }
    auto small_ones = Of<T>(ones);
    small_ones *= T(1e-30);
    EXPECT_NEAR(eigvalsh(small_ones)[n - 1] / T(1e-30), n, 1e-4);
  }
  // The second difference: 2 - 2 cos(k pi / (n + 1)).
  const int n = 30;
  TensorContainer<cpu, 2, T> a(Shape2(n, n), T(0));
  for (int i = 0; i < n; ++i) {
    a(i, i) = 2;
    if (i > 0) a(i, i - 1) = -1;
  }
  const auto values = eigvalsh(a);
  for (int k = 1; k <= n; ++k) {
    EXPECT_NEAR(values[k - 1], 2 - 2 * std::cos(k * 3.14159265358979 / (n + 1)), Bound<T>(n, 1));
  }
}

TYPED_TEST(Symmetric, Batches) {
  using T = TypeParam;
  for (int n : {3, 8, 12}) {
    Guarded<4, T> a(Shape4(3, 13, n, n), 2, 1);
    a.FillRandom(-1, 1);
    const auto [values, vectors] = eigh(*a);
    EXPECT_EQ(values.shape_, Shape3(3, 13, n));
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 13; ++j) {
        Matrix dense = In((*a)[i][j]);
        for (int r = 0; r < n; ++r) {
          for (int c = r + 1; c < n; ++c) dense(r, c) = dense(c, r);
        }
        Check<T>(dense, values[i][j], vectors[i][j]);
      }
    }
    EXPECT_TRUE(a.Intact());
  }
}

TYPED_TEST(Symmetric, NaNGivesNaN) {
  using T = TypeParam;
  for (int n : {1, 3, 8, 20}) {
    TensorContainer<cpu, 3, T> a(Shape3(2, n, n), T(1));
    for (T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
      a(1, n - 1, 0) = bad;
      const auto [values, vectors] = eigh(a);
      EXPECT_TRUE(AllNaN(values[1]) && AllNaN(vectors[1]) && AllNaN(eigvalsh(a)[1]));
      EXPECT_NEAR(values[0][n - 1], n, 1e-4);
    }
  }
  EXPECT_EQ(eigh(TensorContainer<cpu, 2, T>(Shape2(0, 0))).values.shape_, Shape1(0));
}

}  // namespace
}  // namespace mshadow
