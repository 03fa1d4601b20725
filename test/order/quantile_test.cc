// SPDX-License-Identifier: Apache-2.0
#include <mshadow/order/quantile.h>

#include "lanes.h"

namespace mshadow {
namespace quantile_test {
namespace {

using namespace expr;
using namespace testing;
using Method = QuantileMethod;

/// Ten elements, and what numpy.quantile makes of them; the closest observation is R's, as that of
/// NumPy before 2.1 takes the odd one of two.
const std::vector<double> kTen = {9, 1, 4, 16, 25, 0, 36, 49, 81, 64};
TEST(Quantile, MethodsAsNumPy) {
  const TensorContainer<cpu, 1, double> x(kTen);
  const auto check = [&](Method method, std::vector<double> expected) {
    const std::vector<double> q = {0, 0.05, 0.25, 0.3, 0.5, 0.85, 1};
    const auto all = quantile(x, q, method);
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_NEAR(quantile(x, q[i], method), expected[i], 1e-9) << int(method) << " q " << q[i];
      EXPECT_EQ(quantile(x, q[i], method), all[static_cast<index_t>(i)]);
      EXPECT_EQ(percentile(x, 100 * q[i], method), quantile(x, 100 * q[i] / 100, method));
    }
  };
  check(Method::kInvertedCdf, {0, 0, 4, 4, 16, 64, 81});
  check(Method::kAveragedInvertedCdf, {0, 0, 4, 6.5, 20.5, 64, 81});
  check(Method::kClosestObservation, {0, 0, 1, 4, 16, 49, 81});
  check(Method::kInterpolatedInvertedCdf, {0, 0, 2.5, 4, 16, 56.5, 81});
  check(Method::kHazen, {0, 0, 4, 6.5, 20.5, 64, 81});
  check(Method::kWeibull, {0, 0, 3.25, 5.5, 20.5, 69.95, 81});
  check(Method::kLinear, {0, 0.45, 5.25, 7.5, 20.5, 58.75, 81});
  check(Method::kMedianUnbiased, {0, 0, 3.75, 6.16666666667, 20.5, 65.9833333333, 81});
  check(Method::kNormalUnbiased, {0, 0, 3.8125, 6.25, 20.5, 65.4875, 81});
  check(Method::kLower, {0, 0, 4, 4, 16, 49, 81});
  check(Method::kHigher, {0, 1, 9, 9, 25, 64, 81});
  check(Method::kMidpoint, {0, 0.5, 6.5, 6.5, 20.5, 56.5, 81});
  check(Method::kNearest, {0, 0, 4, 9, 16, 64, 81});
}

TEST(Quantile, AlongEachAxisOfEachType) {
  ForEachType([](auto zero) {
    using T = decltype(zero);
    using Q = std::conditional_t<std::is_integral_v<T>, double, T>;
    for (bool with_nan : {false, true}) {
      Guarded<3, T> x(Shape3(4, 19, 7), 2, 1);
      FillWithTies(&x, 3, with_nan);
      for (int axis = 0; axis < 3; ++axis) {
        const auto lanes = LanesOf(*x, axis);
        const auto middle = median(*x, axis);
        const auto high = quantile(*x, 0.75, axis - 3, Method::kHigher);
        const auto some = LanesOf(percentile(*x, {0, 20, 40, 60, 100}, axis, Method::kLower), axis);
        Shape<2> shape = axis == 0 ? Shape2(19, 7) : axis == 1 ? Shape2(4, 7) : Shape2(4, 19);
        ASSERT_EQ(middle.shape_, shape);
        const std::vector<Q> middles = ToVector(middle), highs = ToVector(high);
        for (std::size_t l = 0; l < lanes.size(); ++l) {
          const std::vector<T> s = InOrder(lanes[l]);
          const std::size_t n = s.size();
          if (std::isnan(static_cast<double>(s.back()))) {
            EXPECT_TRUE(std::isnan(static_cast<double>(middles[l])));
            EXPECT_TRUE(std::isnan(static_cast<double>(highs[l])));
            EXPECT_TRUE(std::isnan(static_cast<double>(some[l][2])));
            continue;
          }
          const double a = static_cast<double>(s[(n - 1) / 2]), b = static_cast<double>(s[n / 2]);
          EXPECT_TRUE(Same(static_cast<double>(middles[l]), (a + b) / 2)) << a << " " << b;
          EXPECT_EQ(
              static_cast<double>(highs[l]),
              static_cast<double>(s[static_cast<std::size_t>(std::ceil(0.75 * double(n - 1)))]));
          for (std::size_t i = 0; i < 5; ++i) {
            const std::size_t part = i == 4 ? n - 1 : (n - 1) * i / 5;
            EXPECT_EQ(static_cast<double>(some[l][i]), static_cast<double>(s[part]));
          }
        }
      }
    }
  });
}

TEST(Quantile, ManyElements) {
  // Samples decide where to look; of equal and of sorted elements, too.
  const index_t n = 100001;
  for (int kind = 0; kind < 4; ++kind) {
    TensorContainer<cpu, 1> x{Shape1(n)};
    uint32_t state = 11;
    for (index_t i = 0; i < n; ++i) {
      state = state * 1664525u + 1013904223u;
      const float random = static_cast<float>(state >> 8);
      x[i] = kind == 0   ? random
             : kind == 1 ? static_cast<float>(i)
             : kind == 2 ? 5.0f
                         : static_cast<float>((state >> 8) % 3);
    }
    const std::vector<float> sorted = InOrder(ToVector(x));
    for (std::size_t k : {0u, 1u, 777u, 50000u, 99999u, 100000u}) {
      EXPECT_EQ(quantile(x, static_cast<double>(k) / (n - 1), Method::kNearest), sorted[k]) << kind;
    }
    EXPECT_EQ(median(x), sorted[50000]);
    EXPECT_EQ(median(x.Slice(0, 50000)), [&] {
      const std::vector<float> half = InOrder(ToVector(x.Slice(0, 50000)));
      return half[24999] / 2 + half[25000] / 2;
    }());
  }
}
TEST(Quantile, OfFewNothingAndInfinity) {
  const float inf = std::numeric_limits<float>::infinity();
  TensorContainer<cpu, 1> one{3}, none(Shape1(0)), large{-3e38f, 3.2e38f}, infinite{inf, 1, inf};
  EXPECT_EQ(median(one), 3.0f);
  EXPECT_EQ(quantile(one, 0.3), 3.0f);
  EXPECT_TRUE(std::isnan(median(none)));
  EXPECT_NEAR(median(large), 1e37f, 1e32f);
  EXPECT_EQ(quantile(infinite, 0.75), inf);
  EXPECT_EQ(median(TensorContainer<cpu, 1, int>{1, 2}), 1.5);
  const TensorContainer<cpu, 2> empty(Shape2(2, 0));
  EXPECT_TRUE(std::isnan(median(empty, 1)[0]));
  EXPECT_EQ(median(empty, 0).shape_, Shape1(0));
  EXPECT_EQ(median(one * 2.0f), 6.0f);
}
TEST(Quantile, SeveralOfManyElements) {
  const index_t n = 600001;
  TensorContainer<cpu, 1> x((Shape1(n)));
  uint32_t state = 7;
  for (index_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = static_cast<float>(state >> 8);
  }
  const auto several = quantile(x, {0.9, 0.25, 0.5, 0.75, 0.1});
  const double q[] = {0.9, 0.25, 0.5, 0.75, 0.1};
  for (index_t i = 0; i < 5; ++i) {
    EXPECT_EQ(several[i], quantile(x, q[i])) << i;
    EXPECT_NEAR(several[i], q[i] * 16777216, 1e5);
  }
}

TEST(Quantile, BetweenFarNeighbours) {
  const float most = 3e38f, inf = std::numeric_limits<float>::infinity();
  EXPECT_FLOAT_EQ(quantile(TensorContainer<cpu, 1>({-most, most}), 0.25), -most / 2);
  EXPECT_EQ(quantile(TensorContainer<cpu, 1>({1, inf}), 0.75), inf);
}

TEST(Quantile, NamesWhatIsOutOfRange) {
  TensorContainer<cpu, 2> x(Shape2(2, 3), 1.0f);
  EXPECT_NE(ErrorOf([&] { quantile(x, 1.5); }).find("quantile: q = 1.5 is not between 0 and 1"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] {
              percentile(x, {50, 101});
            }).find("percentile: q = 101"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { quantile(x, std::nan("")); }).find("quantile"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { median(x, 2); }).find("median: axis = 2"), std::string::npos);
}

}  // namespace
}  // namespace quantile_test
}  // namespace mshadow
