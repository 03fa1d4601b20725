// SPDX-License-Identifier: Apache-2.0
#include "matrices.h"

namespace mshadow {
namespace {

using namespace testing;  // NOLINT

template <typename T>
class General : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(General, Elements);

template <typename T>
void Check(const Matrix& dense, const Tensor<cpu, 1, std::complex<T>>& values,
           const Tensor<cpu, 2, std::complex<T>>& vectors) {
  const int n = dense.rows;
  Dense<std::complex<double>> a(n, n);
  for (std::size_t i = 0; i < a.at.size(); ++i) a.at[i] = dense.at[i];
  const auto v = In(vectors);
  auto scaled = v;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) scaled(i, j) *= std::complex<double>(values[j]);
  }
  EXPECT_LE(Size(a * v - scaled), Bound<T>(n, Size(dense)));
  for (int j = 0; j < n; ++j) {
    double square = 0;
    for (int i = 0; i < n; ++i) square += std::norm(v(i, j));
    EXPECT_NEAR(square, 1, Bound<T>(n, 1));
  }
}

TYPED_TEST(General, Eigenpairs) {
  using T = TypeParam;
  for (Kind kind : kKinds) {
    for (int n : {1, 2, 3, 5, 8, 12, 30}) {
      SCOPED_TRACE(n);
      const auto a = Of<T>(Make(kind, n, n));
      const auto [values, vectors] = eig(a);
      Check<T>(In(a), values, vectors);
      std::complex<double> sum = 0, alone = 0;
      for (const std::complex<T>& w : values) sum += w;
      for (const std::complex<T>& w : eigvals(a)) alone += w;
      EXPECT_NEAR(std::abs(sum - double(trace(a))), 0, Bound<T>(n, Size(In(a))));
      EXPECT_NEAR(std::abs(alone - double(trace(a))), 0, Bound<T>(n, Size(In(a))));
    }
  }
}

TYPED_TEST(General, SpecialMatrices) {
  using T = TypeParam;
  const TensorContainer<cpu, 2, T> turn({{0, -1}, {1, 0}});
  const auto values = eigvals(turn);
  EXPECT_NEAR(std::abs(values[0].imag()), 1, 1e-6);
  EXPECT_NEAR(values[0].imag() + values[1].imag(), 0, 1e-6);
  for (int n : {2, 4, 12}) {
    Matrix shift(n, n), cycle(n, n), ones(n, n);  // defective; roots of 1; of rank 1
    for (int i = 0; i + 1 < n; ++i) shift(i, i + 1) = 1;
    for (int i = 0; i < n; ++i) cycle((i + 1) % n, i) = 1;
    for (double& e : ones.at) e = 1;
    for (const Matrix& m : {shift, cycle, ones, Identity(n), Matrix(n, n)}) {
      const auto [w, v] = eig(Of<T>(m));
      Check<T>(m, w, v);
    }
    for (const std::complex<T>& w : eigvals(Of<T>(cycle))) EXPECT_NEAR(std::abs(w), 1, 1e-5);
  }
  const TensorContainer<cpu, 2, T> real({{2, 1, 0}, {1, 3, 1}, {0, 1, 4}});
  for (const std::complex<T>& w : eigvals(real)) EXPECT_EQ(w.imag(), 0);
}

// Values that are not real come in pairs.
TYPED_TEST(General, OneOfAnOddNumberIsReal) {
  using T = TypeParam;
  for (int n : {3, 5, 7, 11}) {
    int real = 0;
    for (const std::complex<T>& w : eigvals(Of<T>(Make(Kind::kRandom, n, n)))) {
      real += w.imag() == T(0) ? 1 : 0;
    }
    EXPECT_EQ(real % 2, 1) << n;
  }
}

TYPED_TEST(General, BatchesAndNaN) {
  using T = TypeParam;
  Guarded<3, T> a(Shape3(5, 4, 4), 3, 1);
  a.FillRandom(-1, 1);
  auto [values, vectors] = eig(*a);
  for (int b = 0; b < 5; ++b) Check<T>(In((*a)[b]), values[b], vectors[b]);
  EXPECT_TRUE(a.Intact());
  (*a)(2, 1, 1) = std::numeric_limits<T>::quiet_NaN();
  values = eigvals(*a);
  EXPECT_TRUE(AllNaN(values[2]));
  EXPECT_FALSE(AllNaN(values[3]));
  EXPECT_EQ(eigvals(TensorContainer<cpu, 2, T>(Shape2(0, 0))).shape_, Shape1(0));
}

}  // namespace
}  // namespace mshadow
