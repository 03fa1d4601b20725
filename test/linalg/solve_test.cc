// SPDX-License-Identifier: Apache-2.0
#include "matrices.h"

namespace mshadow {
namespace {

using namespace testing;  // NOLINT

constexpr int kSizes[] = {1, 2, 3, 5, 8, 9, 17, 33, 40, 97};

template <typename T>
class Solve : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Solve, Elements);

TYPED_TEST(Solve, LeavesSmallResiduals) {
  using T = TypeParam;
  for (Kind kind : kKinds) {
    for (int n : kSizes) {
      SCOPED_TRACE(n);
      const auto a = Of<T>(Make(kind, n, n));
      const auto b = Of<T>(Make(Kind::kRandom, n, 3));
      const auto dense = In(a);
      try {
        const auto x = In(solve(a, b));
        EXPECT_LE(Size(dense * x - In(b)), Bound<T>(n, Size(dense) * Size(x))) << int(kind);
        const auto many = Of<T>(Make(Kind::kRandom, n, 21));
        const auto y = In(solve(a, many));
        EXPECT_LE(Size(dense * y - In(many)), Bound<T>(n, Size(dense) * Size(y))) << int(kind);
        const auto inverse = In(inv(a));
        EXPECT_LE(Size(dense * inverse - Identity(n)), Bound<T>(n, Size(dense) * Size(inverse)));
      } catch (const Error& e) {  // rounded, it may have a pivot of 0
        EXPECT_NE(kind, Kind::kRandom) << e.what();
      }
    }
  }
}

TYPED_TEST(Solve, TakesVectors) {
  using T = TypeParam;
  for (int n : {1, 3, 8, 20, 40}) {
    const auto a = Of<T>(Make(Kind::kRandom, n, n));
    TensorContainer<cpu, 1, T> b(Shape1(n)), x;
    for (int i = 0; i < n; ++i) b[i] = T(i + 1);
    x = solve(a, b);
    TensorContainer<cpu, 2, T> column(Shape2(n, 1)), of_column;
    for (int i = 0; i < n; ++i) column(i, 0) = b[i];
    of_column = solve(a, column);
    for (int i = 0; i < n; ++i) EXPECT_EQ(x[i], of_column(i, 0));
    Matrix solution(n, 1), right(n, 1);
    for (int i = 0; i < n; ++i) solution(i, 0) = x[i], right(i, 0) = b[i];
    const auto dense = In(a);
    EXPECT_LE(Size(dense * solution - right), Bound<T>(n, Size(dense) * Size(solution)));
  }
}

TYPED_TEST(Solve, StandsInFormulas) {
  using T = TypeParam;
  const auto a = Of<T>(Positive(12)), b = Of<T>(Make(Kind::kRandom, 12, 12));
  TensorContainer<cpu, 2, T> x, y;
  x = solve(a, b) + b;
  y = solve(a, b);
  Tensor<cpu, 2, T> view = y;
  view += b;
  for (int i = 0; i < 12; ++i) EXPECT_EQ(x(i, 5), y(i, 5));
  // Operands are expressions, and transposed ones.
  const auto of_sum = In(solve(a.T() * T(2) + b * T(0), b.T()));
  const auto direct = Transposed(In(b));
  auto twice = Transposed(In(a));
  for (double& e : twice.at) e *= 2;
  EXPECT_LE(Size(twice * of_sum - direct), Bound<T>(12, Size(twice) * Size(of_sum)));
}

TYPED_TEST(Solve, ReadsPaddedBatches) {
  using T = TypeParam;
  for (int n : {3, 8, 11}) {
    Guarded<4, T> a(Shape4(2, 21, n, n), 3, 1), b(Shape4(2, 21, n, 2), 5, 2);
    Guarded<3, T> v(Shape3(2, 21, n), 4, 1);
    a.FillRandom(-1, 1);
    b.FillRandom(-1, 1, 2);
    v.FillRandom(-1, 1, 3);
    TensorContainer<cpu, 4, T> x, inverse;
    TensorContainer<cpu, 3, T> y;
    TensorContainer<cpu, 2, T> det_of;
    x = solve(*a, *b);
    y = solve(*a, *v);
    inverse = inv(*a);
    det_of = det(*a);
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < 21; ++k) {
        const auto dense = In((*a)[i][k]), solution = In(x[i][k]);
        EXPECT_LE(Size(dense * solution - In((*b)[i][k])),
                  Bound<T>(n, Size(dense) * Size(solution)));
        Matrix vector(n, 1), right(n, 1);
        for (int r = 0; r < n; ++r) vector(r, 0) = y[i][k][r], right(r, 0) = (*v)[i][k][r];
        EXPECT_LE(Size(dense * vector - right), Bound<T>(n, Size(dense) * Size(vector)));
        const auto of_one = In(inverse[i][k]);
        EXPECT_LE(Size(dense * of_one - Identity(n)), Bound<T>(n, Size(dense) * Size(of_one)));
        const double product = det_of(i, k) * det(inverse[i][k]);
        EXPECT_NEAR(product, 1, 1e4 * std::numeric_limits<T>::epsilon());
      }
    }
    EXPECT_TRUE(a.Intact() && b.Intact() && v.Intact());
  }
}

TYPED_TEST(Solve, Determinants) {
  using T = TypeParam;
  const TensorContainer<cpu, 2, T> a({{0, 2, 1}, {1, 0, 3}, {4, 1, 0}});
  EXPECT_NEAR(det(a), 25, 1e-4);
  EXPECT_NEAR(det(a.T()), 25, 1e-4);
  for (int n : {4, 12, 40}) {  // a cycle of n rows: one exchange less than rows
    TensorContainer<cpu, 2, T> cycle(Shape2(n, n), T(0));
    for (int i = 0; i < n; ++i) cycle(i, (i + 1) % n) = 2;
    const auto [sign, log] = slogdet(cycle);
    EXPECT_EQ(sign, n % 2 == 0 ? -1 : 1);
    EXPECT_NEAR(log, n * std::log(2.0), 1e-4);
    EXPECT_EQ(det(cycle), sign * std::ldexp(T(1), n));
    cycle[2] = cycle[1];
    EXPECT_EQ(det(cycle), 0);
    EXPECT_EQ(slogdet(cycle).sign, 0);
    EXPECT_TRUE(std::isinf(slogdet(cycle).logabsdet));
  }
  TensorContainer<cpu, 3, T> batch(Shape3(3, 1, 1));
  for (int i = 0; i < 3; ++i) batch(i, 0, 0) = T(i - 1);
  EXPECT_EQ(det(batch)[0], -1);
  EXPECT_EQ(slogdet(batch).sign[1], 0);
}

TYPED_TEST(Solve, Factors) {
  using T = TypeParam;
  for (Kind kind : kKinds) {
    for (int n : kSizes) {
      const auto a = Of<T>(Make(kind, n, n));
      const auto f = lu(a);
      const auto lower = In(f.L()), upper = In(f.U()), order = In(f.P());
      EXPECT_LE(Size(order * (lower * upper) - In(a)), Bound<T>(n, Size(In(a)))) << n;
      EXPECT_EQ(FromOrthonormal(order), 0);
      for (const double& e : lower.at) EXPECT_LE(std::abs(e), 1);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) EXPECT_EQ(i > j ? upper(i, j) : i == j ? 0 : lower(i, j), 0);
      }
      if (kind != Kind::kRandom) continue;
      const auto b = Of<T>(Make(Kind::kRandom, n, 4));
      const auto x = In(f.solve(b * T(2))), inverse = In(f.inv());
      EXPECT_LE(Size(In(a) * x - In(b) - In(b)), Bound<T>(n, Size(In(a)) * Size(x)));
      EXPECT_LE(Size(In(a) * inverse - Identity(n)), Bound<T>(n, Size(In(a)) * Size(inverse)));
    }
  }
}

// The inverse of a subnormal pivot is infinite, that of a huge one is subnormal.
TYPED_TEST(Solve, TinyAndHugeMatrices) {
  using T = TypeParam;
  constexpr T kTiny = (std::numeric_limits<T>::min)(), kHuge = (std::numeric_limits<T>::max)() / 64;
  for (int n : {1, 2, 3, 5, 8, 9, 20}) {
    SCOPED_TRACE(n);
    const auto m = Of<T>(Positive(n)), b = Of<T>(Make(Kind::kRandom, n, 2));
    const auto expected = In(solve(m, b));
    const auto inverse = In(inv(m));
    const double size = Size(In(m)), condition = size * Size(inverse);
    for (T scale : {kTiny, kHuge / static_cast<T>(size)}) {
      const TensorContainer<cpu, 2, T> a(m * scale), c(b * scale);
      // Subnormal elements have fewer digits.
      const double epsilon = Bound<T>(n, condition) * (scale < 1 ? 20 : 1);
      for (const auto& x : {In(solve(a, c)), In(lu(a).solve(c)), In(lstsq(a, c))}) {
        EXPECT_LE(Size(x - expected), epsilon * Size(expected)) << scale;
      }
      Matrix product = In(inv(a));
      for (double& x : product.at) x *= static_cast<double>(scale);
      EXPECT_LE(Size(product - inverse), epsilon * Size(inverse)) << scale;
    }
  }
  const T least = std::numeric_limits<T>::denorm_min() * 1024;
  const TensorContainer<cpu, 2, T> a({{least, T(0)}, {T(0), 3 * least}}), b({{least}, {6 * least}});
  EXPECT_EQ(solve(a, b)(1, 0), 2);
  EXPECT_EQ(lstsq(a, b)(0, 0), 1);
  EXPECT_EQ(det(a), 0);  // too small to be told from it
  EXPECT_EQ(det(TensorContainer<cpu, 2, T>({{3 * least, T(0)}, {T(0), T(2)}})), 6 * least);
  EXPECT_EQ(inv(a)(0, 0), std::numeric_limits<T>::infinity());
  EXPECT_EQ(inv(a)(0, 1), 0);
}

TYPED_TEST(Solve, NamesTheSingularMatrix) {
  using T = TypeParam;
  for (int n : {4, 12, 40}) {
    TensorContainer<cpu, 3, T> a(Shape3(5, n, n), T(0));
    for (int b = 0; b < 5; ++b) {
      for (int i = 0; i < n; ++i) a(b, i, i) = T(i + 1);
    }
    TensorContainer<cpu, 2, T> x(Shape2(5, n), T(1));
    EXPECT_EQ(ErrorOf([&] { solve(a, x); }), "no error");
    a(3, 2, 2) = 0;
    a(4, 1, 1) = 0;
    const std::string what = "matrix 3 of 5 is singular: there is nothing but 0 for pivot 2";
    EXPECT_EQ(ErrorOf([&] { solve(a, x); }).find("solve: " + what), 0u);
    EXPECT_EQ(ErrorOf([&] { inv(a); }).find("inv: " + what), 0u);
    const auto f = lu(a);
    EXPECT_FALSE(f.is_singular(2));
    EXPECT_TRUE(f.is_singular(4));
    EXPECT_NE(ErrorOf([&] { f.solve(x); }).find(what), std::string::npos);
    EXPECT_EQ(ErrorOf([&] { inv(a[4]); }),
              "inv: matrix is singular: there is nothing but 0 for pivot 1");
  }
}

TYPED_TEST(Solve, ShapesMustFit) {
  using T = TypeParam;
  const TensorContainer<cpu, 2, T> wide(Shape2(2, 3), T(1)), a(Shape2(3, 3), T(1));
  const TensorContainer<cpu, 1, T> b(Shape1(2), T(1));
  EXPECT_EQ(ErrorOf([&] { inv(wide); }), "inv: the matrices of shape (2,3) are not square");
  EXPECT_EQ(ErrorOf([&] { det(wide); }), "det: the matrices of shape (2,3) are not square");
  EXPECT_EQ(ErrorOf([&] { solve(a, b); }),
            "solve: matrices (3,3) and a right-hand side (2,) do not fit");
  EXPECT_EQ(ErrorOf([&] { solve(a, wide); }),
            "solve: matrices (3,3) and a right-hand side (2,3) do not fit");
}

TYPED_TEST(Solve, EmptyMatrices) {
  using T = TypeParam;
  const TensorContainer<cpu, 2, T> none(Shape2(0, 0));
  EXPECT_EQ(det(none), 1);
  EXPECT_EQ(inv(none).shape_, Shape2(0, 0));
  EXPECT_EQ(solve(none, TensorContainer<cpu, 2, T>(Shape2(0, 4))).shape_, Shape2(0, 4));
  const TensorContainer<cpu, 3, T> no_matrices(Shape3(0, 20, 20));
  EXPECT_EQ(inv(no_matrices).shape_, Shape3(0, 20, 20));
  EXPECT_EQ(det(no_matrices).shape_, Shape1(0));
  for (int n : {3, 20}) {
    const auto a = Of<T>(Positive(n));
    EXPECT_EQ(solve(a, TensorContainer<cpu, 2, T>(Shape2(n, 0))).shape_, Shape2(n, 0));
  }
}

TYPED_TEST(Solve, NaNGivesNaN) {
  using T = TypeParam;
  for (int n : {1, 3, 8, 20, 40}) {
    auto a = Of<T>(Make(Kind::kRandom, n, n));
    const TensorContainer<cpu, 1, T> b(Shape1(n), T(1));
    a(n / 2, n - 1) = std::numeric_limits<T>::quiet_NaN();
    EXPECT_TRUE(AllNaN(solve(a, b)) || n > 1);
    EXPECT_TRUE(std::isnan(solve(a, b)[n - 1]));
    EXPECT_TRUE(std::isnan(det(a)));
    EXPECT_TRUE(std::isnan(slogdet(a).logabsdet));
    bool any = false;
    for (const double& e : In(inv(a)).at) any = any || std::isnan(e);
    EXPECT_TRUE(any);
  }
}

}  // namespace
}  // namespace mshadow
