// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/lanes.h>

#include <limits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

/// A row whose element x is start + x.
struct Count {
  float start;
  MSHADOW_XINLINE float Eval(std::ptrdiff_t x) const { return start + static_cast<float>(x); }
};

using Sums = detail::Lanes<red::sum, double>;

TEST(Lanes, InitIsTheNeutralElement) {
  double acc[5] = {9, 9, 9, 9, 9};
  Sums::Init(acc, 4);
  EXPECT_EQ(acc[0], 0);
  EXPECT_EQ(acc[3], 0);
  EXPECT_EQ(acc[4], 9);
  detail::Lanes<red::maximum, double>::Init(acc, 4);
  EXPECT_EQ(acc[3], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(acc[4], 9);
}

TEST(Lanes, AddTakesARow) {
  for (const std::ptrdiff_t n : {0, 1, 5, 64}) {
    std::vector<double> acc(65, 1000.0);
    Sums::Add(acc.data(), n, Count{10}, 3);
    for (std::ptrdiff_t l = 0; l < 65; ++l) {
      ASSERT_EQ(acc[l], l < n ? 1000.0 + 10 + 3 + l : 1000.0) << l << " of " << n;
    }
  }
}

TEST(Lanes, FoldJoinsEveryTerm) {
  for (const std::ptrdiff_t n : {1, 3, 16}) {
    for (const std::ptrdiff_t count : {1, 2, 3, 7, 8}) {
      std::vector<double> acc(static_cast<std::size_t>(n * count));
      std::vector<double> expected(static_cast<std::size_t>(n));
      for (std::ptrdiff_t i = 0; i < n * count; ++i) {
        acc[i] = static_cast<double>(i * i);
        expected[i % n] += acc[i];
      }
      Sums::Fold(acc.data(), n, count);
      for (std::ptrdiff_t l = 0; l < n; ++l) ASSERT_EQ(acc[l], expected[l]) << count;
    }
  }
}

TEST(Lanes, FoldAllJoinsAllLanes) {
  for (const std::ptrdiff_t n : {16, 64, 256, 1024}) {
    std::vector<double> acc(static_cast<std::size_t>(n));
    double sum = 0, least = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      acc[i] = static_cast<double>((i * 37) % n);
      sum += acc[i];
    }
    std::vector<double> copy = acc;
    ASSERT_EQ(Sums::FoldAll(copy.data(), n), sum);
    copy = acc;
    copy[n - 3] = least = -1;  // wherever it lies
    ASSERT_EQ((detail::Lanes<red::minimum, double>::FoldAll(copy.data(), n)), least);
  }
}

// Which lanes are joined is fixed by their number: pairs, so that rounding errors stay small.
TEST(Lanes, FoldAllIsPairwise) {
  std::vector<float> acc(16, 1.0f);
  acc[0] = 16777216.0f;  // 2^24 + 1 is not a float, 2^24 + 2 is
  EXPECT_EQ((detail::Lanes<red::sum, float>::FoldAll(acc.data(), 16)), 16777216.0f + 14);
}

}  // namespace
}  // namespace mshadow
