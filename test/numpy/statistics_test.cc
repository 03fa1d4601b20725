// SPDX-License-Identifier: Apache-2.0
#include <mshadow/numpy.h>

#include <cmath>
#include <limits>
#include <vector>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace numpy_statistics_test {
namespace {

using namespace expr;  // NOLINT
using testing::ErrorOf;
using testing::Guarded;

struct NumpyStatistics : ::testing::Test {
  NumpyStatistics() {
    t.FillRandom(-1, 1);
    x.FillRandom(-1, 1, 7);
  }
  Guarded<3, double> t{Shape3(3, 4, 5), 3, 1};
  Guarded<2, double> x{Shape2(4, 7), 2};
};

TEST_F(NumpyStatistics, AxesOfRunTime) {
  const auto& a = *t;
  const auto same = [](const auto& left, const auto& right) {
    auto first = eval(left), second = eval(right);
    EXPECT_TRUE(allclose(first, second, 1e-14, 1e-15));
  };
  same(sum(a, 0), sum<0>(a));
  same(sum(a, -1), sum<2>(a));
  same(prod(a * 2.0, 1), prod<1>(a * 2.0));
  same(mean(a, {0, 2}), mean<0, 2>(a));
  same(mean(a, {2, 0}), mean<0, 2>(a));
  same(sum(a, {1}), sum<1>(a));
  same(var(a, {-1, 1}), var<1, 2>(a));
  same(stddev(a, 1), stddev<1>(a));
  same(norm(a, 0), norm<0>(a));
  same(max(a, 1), max<1>(a));
  same(min(a, {0, 1}), min<0, 1>(a));
  same(logsumexp(a, 2), logsumexp<2>(a));
  same(any(a > 0.9, 2), any<2>(a > 0.9));
  same(all(a > -0.9, 0), all<0>(a > -0.9));
  EXPECT_DOUBLE_EQ(sum(a, {0, 1, 2}), sum(a));
  EXPECT_DOUBLE_EQ(max(a[1][2], 0), max(a[1][2]));
  EXPECT_NE(ErrorOf([&] { sum(a, 3); }).find("sum: axis = 3"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { mean(a, {1, -2}); }).find("axis 1 is named twice"), std::string::npos);
}

TEST_F(NumpyStatistics, CorrectedVariance) {
  auto columns = eval(var<0>(*x, Ddof{1})), deviations = eval(stddev<0>(*x, Ddof{1}));
  for (index_t j = 0; j < 7; ++j) {
    double mean = 0, squares = 0;
    for (index_t i = 0; i < 4; ++i) mean += (*x)[i][j] / 4;
    for (index_t i = 0; i < 4; ++i) squares += ((*x)[i][j] - mean) * ((*x)[i][j] - mean);
    EXPECT_NEAR(columns[j], squares / 3, 1e-14);
    EXPECT_NEAR(deviations[j], std::sqrt(squares / 3), 1e-14);
  }
  EXPECT_NEAR(var(*x, Ddof{1}), var(*x) * 28 / 27, 1e-14);
  EXPECT_NEAR(stddev(*x, Ddof{0}), stddev(*x), 1e-14);
}

TEST(NumpyCorrections, NoDegreeOfFreedomIsLeft) {
  const TensorContainer<cpu, 2, double> a({{1, 2}, {3, 5}}), none(Shape2(2, 0));
  const double infinity = std::numeric_limits<double>::infinity();
  for (int ddof : {2, 3}) {
    const auto variances = eval(var<1>(a, Ddof{ddof}));
    EXPECT_EQ(variances[0], infinity);
    EXPECT_EQ(eval(stddev<1>(a, Ddof{ddof}))[1], infinity);
    EXPECT_EQ(cov(a, ddof)(0, 1), infinity);
  }
  EXPECT_TRUE(std::isnan(cov(none)(1, 0)));
}
TEST(NumpyCorrections, DifferencesOfNothing) {
  const TensorContainer<cpu, 1, double> none(Shape1(0)), one({3});
  EXPECT_EQ(eval(diff(none)).shape_, Shape1(0));
  EXPECT_EQ(eval(diff(one)).shape_, Shape1(0));
  EXPECT_EQ(trapezoid(none), 0);
  EXPECT_EQ(trapezoid(one), 0);
}

TEST_F(NumpyStatistics, RangesAndAverages) {
  EXPECT_DOUBLE_EQ(ptp(*x), max(*x) - min(*x));
  auto ranges = eval(ptp<1>(*x));
  EXPECT_DOUBLE_EQ(ranges[2], max((*x)[2]) - min((*x)[2]));
  const auto weights = eval(*x * *x);
  EXPECT_DOUBLE_EQ(average(*x, weights), sum(*x * weights) / sum(weights));
  auto rows = eval(average<1>(*x, weights));
  EXPECT_NEAR(rows[3], sum((*x)[3] * weights[3]) / sum(weights[3]), 1e-15);
}

TEST_F(NumpyStatistics, WithoutNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (index_t i = 0; i < 28; i += 3) x.At(i) = nan;
  for (index_t i = 0; i < 4; ++i) (*x)[i][5] = nan;
  auto sums = eval(nansum<0>(*x)), means = eval(nanmean<0>(*x)), products = eval(nanprod<0>(*x)),
       highest = eval(nanmax<0>(*x)), lowest = eval(nanmin<0>(*x));
  double total = 0, count = 0, top = -2, bottom = 2;
  for (index_t j = 0; j < 7; ++j) {
    double sum = 0, product = 1, n = 0, high = -2, low = 2;
    for (index_t i = 0; i < 4; ++i) {
      const double value = (*x)[i][j];
      if (std::isnan(value)) continue;
      sum += value;
      product *= value;
      ++n;
      high = std::fmax(high, value);
      low = std::fmin(low, value);
    }
    EXPECT_NEAR(sums[j], sum, 1e-15);
    EXPECT_NEAR(products[j], product, 1e-15);
    if (n == 0) {
      EXPECT_TRUE(std::isnan(means[j]) && std::isnan(highest[j]) && std::isnan(lowest[j])) << j;
    } else {
      EXPECT_NEAR(means[j], sum / n, 1e-15);
      EXPECT_EQ(highest[j], high);
      EXPECT_EQ(lowest[j], low);
    }
    total += sum;
    count += n;
    top = std::fmax(top, high);
    bottom = std::fmin(bottom, low);
  }
  EXPECT_NEAR(nansum(*x), total, 1e-14);
  EXPECT_NEAR(nanmean(*x), total / count, 1e-14);
  EXPECT_EQ(nanmax(*x), top);
  EXPECT_EQ(nanmin(*x), bottom);
  auto rest = eval(*x - nanmean<1>(*x));
  EXPECT_TRUE(std::isnan(rest[0][0]));
  EXPECT_NEAR(nansum(rest[1]), 0, 1e-15);
}

TEST_F(NumpyStatistics, Differences) {
  auto across = eval(diff(*t)), along = eval(diff(*t, 0));
  EXPECT_EQ(across.shape_, Shape3(3, 4, 4));
  EXPECT_EQ(along.shape_, Shape3(2, 4, 5));
  EXPECT_EQ(across[1][2][3], (*t)[1][2][4] - (*t)[1][2][3]);
  EXPECT_EQ(along[1][2][3], (*t)[2][2][3] - (*t)[1][2][3]);
  EXPECT_EQ(eval(diff(t->Slice(0, 1), 0)).shape_, Shape3(0, 4, 5));
  auto areas = eval(trapezoid(*x, 0.5, 0));
  for (index_t j = 0; j < 7; ++j) {
    EXPECT_NEAR(areas[j], 0.5 * ((*x)[0][j] / 2 + (*x)[1][j] + (*x)[2][j] + (*x)[3][j] / 2), 1e-15);
  }
  EXPECT_EQ(trapezoid((*x)[0].Slice(0, 1)), 0.0);
  for (int axis = 0; axis < 3; ++axis) {
    auto slope = eval(gradient(*t, 0.25, axis));
    for (index_t i = 0; i < 60; ++i) {
      index_t at[3] = {i / 20, i / 5 % 4, i % 5}, up[3], down[3];
      for (int k = 0; k < 3; ++k) up[k] = down[k] = at[k];
      if (at[axis] + 1 < t->shape_[axis]) ++up[axis];
      if (at[axis] > 0) --down[axis];
      const double steps = static_cast<double>(up[axis] - down[axis]);
      EXPECT_NEAR(slope[at[0]][at[1]][at[2]],
                  ((*t)[up[0]][up[1]][up[2]] - (*t)[down[0]][down[1]][down[2]]) / (0.25 * steps),
                  1e-14);
    }
  }
  EXPECT_NE(ErrorOf([&] { gradient(t->Slice(0, 1), 1, 0); }).find("axis 0 of (1,4,5)"),
            std::string::npos);
}

TEST_F(NumpyStatistics, Products) {
  const auto u = (*t)[0][1].Slice(0, 3), v = (*t)[1][2].Slice(0, 3);
  auto c = eval(cross(u, v));
  for (index_t i = 0; i < 3; ++i) {
    const index_t j = (i + 1) % 3, k = (i + 2) % 3;
    EXPECT_NEAR(c[i], u[j] * v[k] - u[k] * v[j], 1e-15);
  }
  auto o = eval(outer(u, (*x)[0]));
  EXPECT_EQ(o.shape_, Shape2(3, 7));
  EXPECT_EQ(o[2][4], u[2] * (*x)[0][4]);
  EXPECT_NEAR(vdot(u, v), u[0] * v[0] + u[1] * v[1] + u[2] * v[2], 1e-15);
  EXPECT_NE(ErrorOf([&] { cross(*t, *t); }).find("cross: the extent"), std::string::npos);
}

TEST_F(NumpyStatistics, Accumulations) {
  (*t)[1][1][1] = std::numeric_limits<double>::quiet_NaN();
  for (int axis = -1; axis < 3; ++axis) {
    const int at = axis < 0 ? 2 : axis;
    auto products = cumprod(*t, axis), highest = cummax(*t, axis), lowest = cummin(*t, axis);
    for (index_t i = 0; i < 60; ++i) {
      index_t p[3] = {i / 20, i / 5 % 4, i % 5};
      const index_t last = p[at];
      double product = 1, high = -2, low = 2;
      for (p[at] = 0; p[at] <= last; ++p[at]) {
        const double value = (*t)[p[0]][p[1]][p[2]];
        product *= value;
        if (!(high != high)) high = value != value || value > high ? value : high;
        if (!(low != low)) low = value != value || value < low ? value : low;
      }
      p[at] = last;
      const auto same = [&](double value, double expected) {
        EXPECT_TRUE(value == expected || (value != value && expected != expected))
            << value << " " << expected;
      };
      same(products[p[0]][p[1]][p[2]], product);
      same(highest[p[0]][p[1]][p[2]], high);
      same(lowest[p[0]][p[1]][p[2]], low);
    }
  }
  EXPECT_EQ(cumprod(TensorContainer<cpu, 2>(Shape2(0, 3)), 0).shape_, Shape2(0, 3));
}

TEST(NumpyTemporaries, AreOwned) {
  const auto make = [] { return TensorContainer<cpu, 2>({{1, 2, 4}, {3, 5, 9}}); };
  const auto d = diff(make());
  const auto g = gradient(make()) * 2.0f;
  const auto rows = sum(make(), 1);
  const auto columns = mean(make(), {0}) + 1.0f;
  const auto without = nansum<0>(make());
  const auto range = ptp<1>(make());
  const auto o = var<0>(make(), Ddof{1});
  const auto pair = stack<0>(make(), make());
  const auto wide = hstack(make(), make());
  EXPECT_EQ(eval(d)[1][1], 4.0f);
  EXPECT_EQ(eval(g)[0][1], 3.0f);
  EXPECT_EQ(eval(rows * 1.0f)[1], 17.0f);
  EXPECT_EQ(eval(columns)[2], 7.5f);
  EXPECT_EQ(eval(without * 1.0f)[0], 4.0f);
  EXPECT_EQ(eval(range)[1], 6.0f);
  EXPECT_EQ(eval(o)[0], 2.0f);
  EXPECT_EQ(eval(pair)[1][0][2], 4.0f);
  EXPECT_EQ(eval(wide)[1][5], 9.0f);
}
TEST(NumpyTemporaries, HalvesAreCountedInFloat) {
  TensorContainer<cpu, 1, half::half_t> x(Shape1(70000), half::half_t(0.125f));
  EXPECT_EQ(static_cast<float>(eval(nanmean<0>(reshape(x, Shape2(70000, 1))))[0]), 0.125f);
}

TEST_F(NumpyStatistics, Covariances) {
  const auto c = cov(*x), r = corrcoef(*x), population = cov(*x, 0);
  for (index_t i = 0; i < 4; ++i) {
    for (index_t j = 0; j < 4; ++j) {
      double products = 0;
      for (index_t k = 0; k < 7; ++k) {
        products += ((*x)[i][k] - mean((*x)[i])) * ((*x)[j][k] - mean((*x)[j]));
      }
      EXPECT_NEAR(c[i][j], products / 6, 1e-14);
      EXPECT_NEAR(population[i][j], products / 7, 1e-14);
      EXPECT_NEAR(r[i][j], c[i][j] / std::sqrt(c[i][i] * c[j][j]), 1e-14);
    }
  }
}

}  // namespace
}  // namespace numpy_statistics_test
}  // namespace mshadow
