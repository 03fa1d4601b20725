// SPDX-License-Identifier: Apache-2.0
// Statements that reduce rows and use the results there, every thread of them on the host.
#define MSHADOW_TEST_DEVICE "gpu/simulated_device.h"
#include <cmath>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::Guarded;
using testing::simulated;
using Half = mshadow::half::half_t;

/// How many folds of rows the statement computes; 0: it was done in another way.
template <typename F>
int FoldsOf(const F& statement) {
  testing::folds_of_rows = 0;
  statement();
  return testing::folds_of_rows;
}

template <typename DType>
void ExpectRows(Guarded<2, DType>& x, const std::vector<double>& old, Guarded<2, DType>& o,
                double tolerance, double (*f)(double x, const double* row, index_t n)) {
  const index_t n = x->shape_[1];
  for (std::size_t i = 0; i < o.Size(); ++i) {
    const double expected = f(old[i], old.data() + i / n * n, n);
    const double got = static_cast<double>(static_cast<float>(o.At(i)));
    ASSERT_NEAR(got, expected, tolerance * (1 + std::abs(expected)))
        << "element " << i << " of " << LogText(x->shape_);
  }
  EXPECT_TRUE(o.Intact());
}

double Mean(const double* row, index_t n) {
  double sum = 0;
  for (index_t i = 0; i < n; ++i) sum += row[i];
  return sum / n;
}
double Variance(const double* row, index_t n) {
  const double mean = Mean(row, n);
  double sum = 0;
  for (index_t i = 0; i < n; ++i) sum += (row[i] - mean) * (row[i] - mean);
  return sum / n;
}
double SoftmaxOf(double x, const double* row, index_t n) {
  double most = row[0], sum = 0;
  for (index_t i = 0; i < n; ++i) most = row[i] > most ? row[i] : most;
  for (index_t i = 0; i < n; ++i) sum += std::exp(row[i] - most);
  return std::exp(x - most) / sum;
}
double Normalised(double x, const double* row, index_t n) {
  return (x - Mean(row, n)) / std::sqrt(Variance(row, n) + 1e-2);
}

template <typename DType>
void CheckRows(double tolerance) {
  for (index_t cols : {1u, 3u, 4u, 8u, 31u, 33u, 100u, 515u}) {
    for (index_t pad : {0u, 1u, 8u}) {
      Guarded<2, DType> x(Shape2(5, cols), pad), o(Shape2(5, cols), 3, 1);
      x.FillRandom(-3, 3);
      std::vector<double> old(x.Size());
      for (std::size_t i = 0; i < old.size(); ++i) {
        old[i] = static_cast<double>(static_cast<float>(x.At(i)));
      }
      // The largest element of a row occurs twice, and is computed once.
      EXPECT_EQ(FoldsOf([&] { *o = exp(*x - max<1>(*x)) / sum<1>(exp(*x - max<1>(*x))); }), 2);
      ExpectRows(x, old, o, tolerance, SoftmaxOf);
      // Mean and variance are one fold.
      EXPECT_EQ(FoldsOf([&] { *o = (*x - mean<1>(*x)) / sqrt(var<1>(*x) + 1e-2f); }), 1);
      ExpectRows(x, old, o, tolerance, Normalised);
      EXPECT_EQ(FoldsOf([&] { *x = *x - DType(1) * logsumexp<1>(*x); }), 1);
      ExpectRows(x, old, x, tolerance, [](double v, const double* row, index_t n) {
        return std::log(SoftmaxOf(v, row, n));
      });
    }
  }
}

TEST(RowFolds, Float) { CheckRows<float>(1e-5); }
TEST(RowFolds, Double) { CheckRows<double>(1e-6); }
TEST(RowFolds, Half) { CheckRows<Half>(1e-2); }

TEST(RowFolds, SeveralLastAxes) {
  Guarded<3> x(Shape3(4, 3, 7)), o(Shape3(4, 3, 7)), padded(Shape3(4, 3, 7), 1);
  x.FillIota();
  padded.FillIota();
  const auto check = [&] {
    for (std::size_t i = 0; i < x.Size(); ++i) {
      const double mean = static_cast<double>(i / 21 * 21) + 10;
      ASSERT_NEAR(o.At(i), static_cast<double>(i) - mean, 1e-4);
    }
  };
  EXPECT_EQ(FoldsOf([&] { *o = *x - mean<1, 2>(*x); }), 1);
  check();
  EXPECT_EQ(FoldsOf([&] { *o = *padded - mean<1, 2>(*padded); }), 0);  // rows do not join
  check();
  // Reductions of other rows get their own kernels.
  EXPECT_EQ(FoldsOf([&] { *o = *x - mean<1, 2>(*x) + 0.0f * max<2>(*x); }), 0);
  check();
}

// A reduction may be of longer or shorter rows than the statement.
TEST(RowFolds, RowsOfOtherLengths) {
  Guarded<2> x(Shape2(4, 9)), y(Shape2(4, 30)), o(Shape2(4, 9));
  x.FillIota();
  y.FillIota();
  EXPECT_EQ(FoldsOf([&] { *o = *x + max<1>(*y); }), 0);
  for (std::size_t i = 0; i < o.Size(); ++i) {
    EXPECT_EQ(o.At(i), static_cast<float>(i) + static_cast<float>(i / 9 * 30 + 29));
  }
  EXPECT_EQ(FoldsOf([&] { *y = *y * min<1>(*x - max<1>(*x)); }), 0);
  for (std::size_t i = 0; i < y.Size(); ++i) EXPECT_EQ(y.At(i), static_cast<float>(i) * -8);
  // The sums belong to axis 1.
  Guarded<2> w(Shape2(9, 2));
  Guarded<3> z(Shape3(4, 9, 2)), p(Shape3(4, 9, 2));
  w.FillIota();
  z.FillIota();
  EXPECT_EQ(FoldsOf([&] { *p = *z - max<2>(*z) + sum<1>(*w); }), 1);
  for (std::size_t i = 0; i < p.Size(); ++i) {
    EXPECT_EQ(p.At(i), static_cast<float>(i % 2) - 1 + static_cast<float>(i / 2 % 9 * 4 + 1));
  }
}

TEST(RowFolds, NumbersAndPartners) {
  Guarded<2> x(Shape2(6, 50)), y(Shape2(6, 50)), o(Shape2(6, 50));
  x.FillRandom(-1, 1, 1);
  y.FillRandom(-1, 1, 2);
  x.At(2 * 50 + 17) = x.At(2 * 50 + 44) = 5;
  EXPECT_EQ(FoldsOf([&] { *o = *x + tcast<float>(argmax<1>(*x)); }), 1);
  EXPECT_EQ(o.At(2 * 50 + 17), 5 + 17);
  // Two reductions have one type, but other elements.
  EXPECT_EQ(FoldsOf([&] { *o = *x * max<1>(*x) + max<1>(*y); }), 2);
  float most = y.At(2 * 50);
  for (int i = 0; i < 50; ++i) most = y.At(2 * 50 + i) > most ? y.At(2 * 50 + i) : most;
  EXPECT_NEAR(o.At(2 * 50 + 3), x.At(2 * 50 + 3) * 5 + most, 1e-6);  // rounded once or twice
  EXPECT_EQ(FoldsOf([&] { *o = (*x - mean<1>(*x)) / sqrt(var<1>(*y)); }), 2);
  // The mean of the deviations needs the mean first.
  EXPECT_EQ(FoldsOf([&] { *o = stddev<1>(*x) * mean<1>(abs(*x - mean<1>(*x))) + *x * 0.0f; }), 2);
}

TEST(RowFolds, RowsThatOthersWrite) {
  Guarded<2> x(Shape2(4, 9)), o(Shape2(4, 9));
  x.FillIota();
  EXPECT_EQ(FoldsOf([&] { *x = *x - max<1>(flip(*x, 0)); }), 0);
  for (std::size_t i = 0; i < x.Size(); ++i) {
    EXPECT_EQ(x.At(i), static_cast<float>(i) - static_cast<float>((3 - i / 9) * 9 + 8));
  }
  // A reduction within what is computed first is none of the statement's.
  Guarded<2> y(Shape2(4, 9));
  x.FillIota();
  y.FillIota();
  EXPECT_EQ(FoldsOf([&] { *o = *y - max<1>(*y) + flip(*y - max<1>(*y), 0); }), 1);
  for (std::size_t i = 0; i < o.Size(); ++i) {
    EXPECT_EQ(o.At(i), 2.0f * (static_cast<float>(i % 9) - 8));
  }
}

TEST(RowFolds, Savers) {
  Guarded<2> x(Shape2(4, 9)), o(Shape2(4, 9));
  x.FillIota();
  o.FillIota();
  EXPECT_EQ(FoldsOf([&] { *o += *x - min<1>(*x); }), 1);
  for (std::size_t i = 0; i < o.Size(); ++i) {
    EXPECT_EQ(o.At(i), static_cast<float>(i) + static_cast<float>(i % 9));
  }
}

}  // namespace
}  // namespace mshadow
