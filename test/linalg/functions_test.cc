// SPDX-License-Identifier: Apache-2.0
#include "matrices.h"

namespace mshadow {
namespace {

using namespace testing;  // NOLINT

template <typename T>
class Functions : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Functions, Elements);

TYPED_TEST(Functions, Powers) {
  using T = TypeParam;
  const TensorContainer<cpu, 2, T> step({{1, 1}, {1, 0}});  // Fibonacci numbers
  EXPECT_EQ(matrix_power(step, 11)(0, 1), 89);
  EXPECT_EQ(matrix_power(step, 1)(1, 1), 0);
  EXPECT_EQ(Size(In(matrix_power(step, 0)) - Identity(2)), 0);
  EXPECT_NEAR(matrix_power(step, -3)(0, 0), -1, 1e-5);
  const TensorContainer<cpu, 2, T> zero(Shape2(2, 2), T(0));
  EXPECT_EQ(ErrorOf([&] { matrix_power(zero, -1); }).find("inv: matrix is singular"), 0u);
  Guarded<3, T> a(Shape3(3, 2, 2), 1);
  a.FillIota();
  const auto cubes = matrix_power(*a, 3);
  for (int b = 0; b < 3; ++b) {
    const auto m = In((*a)[b]);
    EXPECT_LE(Size(m * m * m - In(cubes[b])), 1e-3);
  }
}

TYPED_TEST(Functions, Exponential) {
  using T = TypeParam;
  for (T angle : {T(0), T(0.1), T(1), T(20)}) {
    const TensorContainer<cpu, 2, T> a({{T(0), -angle}, {angle, T(0)}});
    const auto e = expm(a);
    EXPECT_NEAR(e(0, 0), std::cos(angle), 1e-5);
    EXPECT_NEAR(e(1, 0), std::sin(angle), 1e-5);
  }
  for (int n : {1, 4, 20}) {
    const auto a = Of<T>(Make(Kind::kRandom, n, n));
    const auto product = In(expm(a)) * In(expm(a * T(-1)));
    EXPECT_LE(Size(product - Identity(n)), Bound<T>(n, 100 * Size(In(expm(a)))));
  }
  TensorContainer<cpu, 2, T> nilpotent(Shape2(3, 3), T(0));
  nilpotent(0, 1) = 1000;
  EXPECT_NEAR(expm(nilpotent)(0, 1), 1000, 1e-3);
  nilpotent(2, 2) = std::numeric_limits<T>::quiet_NaN();
  EXPECT_TRUE(AllNaN(expm(nilpotent)));
  EXPECT_EQ(expm(TensorContainer<cpu, 2, T>(Shape2(0, 0))).shape_, Shape2(0, 0));
}

TYPED_TEST(Functions, Triangles) {
  using T = TypeParam;
  Guarded<3, T> a(Shape3(2, 3, 4), 2);
  a.FillIota();
  for (int k : {-3, -1, 0, 1, 4}) {
    const TensorContainer<cpu, 3, T> lower(tril(*a, k)), upper(triu(*a + *a, k));
    for (int b = 0; b < 2; ++b) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
          EXPECT_EQ(lower(b, i, j), j <= i + k ? (*a)(b, i, j) : 0);
          EXPECT_EQ(upper(b, i, j), j >= i + k ? 2 * (*a)(b, i, j) : 0);
        }
      }
    }
  }
  TensorContainer<cpu, 2, T> of_temporary;
  of_temporary = triu(inv(Of<T>(Identity(3)))) + tril(eye<T>(3));
  EXPECT_EQ(Size(In(of_temporary)), 2 * Size(Identity(3)));
  TensorContainer<cpu, 2, T> m({{1, 2}, {3, 4}});
  m = tril(m.T()) - m;  // in place, of another order
  EXPECT_EQ(m(0, 1), -2);
  EXPECT_EQ(m(1, 0), -1);
}

TYPED_TEST(Functions, Diagonals) {
  using T = TypeParam;
  const TensorContainer<cpu, 1, T> v({1, 2, 3});
  for (int k : {-2, 0, 1}) {
    const auto m = diag(v * T(2), k);
    EXPECT_EQ(m.shape_, Shape2(3 + std::abs(k), 3 + std::abs(k)));
    const auto back = diag(m, k);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(back[i], 2 * v[i]);
    EXPECT_EQ(matrix_norm(m, MatrixNorm::kInf), 6);
  }
  Guarded<3, T> a(Shape3(2, 2, 3), 2);
  a.FillIota();
  EXPECT_EQ(diag(*a)(1, 1), 10);
  EXPECT_EQ(diag(*a, 2)(1, 0), 8);
  EXPECT_EQ(diag(*a, 5).shape_, Shape2(2, 0));
  EXPECT_EQ(trace(*a)[1], 16);
  EXPECT_EQ(trace((*a)[0]), 4);
  const auto e = eye(2, 3, -1);
  EXPECT_EQ(e(1, 0), 1.0f);
  EXPECT_EQ(trace(e), 0.0f);
  EXPECT_EQ(Size(In(eye<T>(4)) - Identity(4)), 0);
  EXPECT_EQ(eye<T>(0).shape_, Shape2(0, 0));
}

TYPED_TEST(Functions, Products) {
  using T = TypeParam;
  Guarded<2, T> a(Shape2(2, 3), 1), b(Shape2(3, 2), 2);
  a.FillIota();
  b.FillIota();
  const auto k = kron(*a, *b + T(1));
  EXPECT_EQ(k.shape_, Shape2(6, 6));
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      EXPECT_EQ(k(i, j), (*a)(i / 3, j / 2) * ((*b)(i % 3, j % 2) + 1));
    }
  }
  const TensorContainer<cpu, 1, T> x({2, 3});
  EXPECT_EQ(vander(x, 4)(1, 0), 27);
  EXPECT_EQ(vander(x, 4, true)(1, 3), 27);
  EXPECT_EQ(vander(x).shape_, Shape2(2, 2));
}

TYPED_TEST(Functions, NamesMatricesThatAreNotSquare) {
  using T = TypeParam;
  const TensorContainer<cpu, 2, T> wide(Shape2(2, 3), T(1)), b(Shape2(2, 1), T(1));
  const auto refuses = [](const std::string& who, const std::string& error) {
    EXPECT_EQ(error, who + ": the matrices of shape (2,3) are not square");
  };
  refuses("lu", ErrorOf([&] { lu(wide); }));
  refuses("cho_factor", ErrorOf([&] { cho_factor(wide); }));
  refuses("cholesky", ErrorOf([&] { cholesky(wide); }));
  refuses("triangular_solve", ErrorOf([&] { triangular_solve(wide, b); }));
  refuses("eigh", ErrorOf([&] { eigh(wide); }));
  refuses("eigvalsh", ErrorOf([&] { eigvalsh(wide); }));
  refuses("eig", ErrorOf([&] { eig(wide); }));
  refuses("eigvals", ErrorOf([&] { eigvals(wide); }));
  refuses("matrix_power", ErrorOf([&] { matrix_power(wide, 2); }));
  refuses("expm", ErrorOf([&] { expm(wide); }));
  refuses("cond", ErrorOf([&] { cond(wide, MatrixNorm::k1); }));
  EXPECT_GT(cond(wide), 1e5);  // its rows are equal
}

TYPED_TEST(Functions, NamesRightSidesThatDoNotFit) {
  using T = TypeParam;
  TensorContainer<cpu, 2, T> a(eye<T>(3)), b(Shape2(2, 4), T(1));
  TensorContainer<cpu, 1, T> v(Shape1(4), T(1));
  for (const std::string& error :
       {ErrorOf([&] { triangular_solve(a, b); }), ErrorOf([&] { lstsq(a, b); }),
        ErrorOf([&] { lu(a).solve(b); }), ErrorOf([&] { cho_factor(a).solve(b); }),
        ErrorOf([&] { qr(a).solve(b); })}) {
    EXPECT_NE(error.find("(3,3)"), std::string::npos) << error;
    EXPECT_NE(error.find("(2,4)"), std::string::npos) << error;
  }
  for (const std::string& error :
       {ErrorOf([&] { triangular_solve(a, v); }), ErrorOf([&] { lstsq(a, v); }),
        ErrorOf([&] { lu(a).solve(v); }), ErrorOf([&] { cho_factor(a).solve(v); }),
        ErrorOf([&] { qr(a).solve(v); })}) {
    EXPECT_NE(error.find("(4,)"), std::string::npos) << error;
  }
}

TYPED_TEST(Functions, SmallSingularValuesCountAsZero) {
  using T = TypeParam;
  const TensorContainer<cpu, 1, T> s({4, T(0.5), 1}), b({4, 1, 2});
  const auto a = diag(s);
  for (const double rcond : {-1.0, 0.1, 0.2, 0.3}) {
    int rank = 0;
    const auto inverse = pinv(a, rcond);
    const auto x = lstsq(a, b, rcond);
    for (int i = 0; i < 3; ++i) {
      const bool counts = s[i] > rcond * 4;
      rank += counts ? 1 : 0;
      EXPECT_NEAR(inverse(i, i), counts ? 1 / s[i] : 0, 1e-5) << rcond;
      EXPECT_NEAR(x[i], counts ? b[i] / s[i] : 0, 1e-5) << rcond;
    }
    EXPECT_EQ(matrix_rank(a, rcond), rank);
  }
}

}  // namespace
}  // namespace mshadow
