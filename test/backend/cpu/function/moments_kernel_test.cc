// SPDX-License-Identifier: Apache-2.0
// How moments are merged; mean_variance_test.cc has the kernels' results.
#include <mshadow/backend/cpu/function/moments_kernel.h>

#include <limits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

// Sums of deviations from a shift far from the mean give the moments of all elements.
TEST(Moments, MergedBlocksAreThoseOfAllElements) {
  const std::vector<double> value = {3, 5, 5, 8, 1, -2, 7, 4, 4, 9};
  double mean = 0, squares = 0;
  std::size_t begin = 0;
  for (const std::size_t n : {3, 1, 4, 2}) {
    const double shift = value[begin] + 1.5;
    double d = 0, q = 0;
    for (std::size_t i = begin; i < begin + n; ++i) {
      d += value[i] - shift;
      q += (value[i] - shift) * (value[i] - shift);
    }
    detail::MomentsUpdate(static_cast<double>(begin), static_cast<double>(n))
        .AddBlock(&mean, &squares, shift, d, q);
    begin += n;
    double sum = 0, expected = 0;
    for (std::size_t i = 0; i < begin; ++i) sum += value[i];
    const double average = sum / static_cast<double>(begin);
    for (std::size_t i = 0; i < begin; ++i) expected += (value[i] - average) * (value[i] - average);
    EXPECT_NEAR(mean, average, 1e-13) << begin;
    EXPECT_NEAR(squares, expected, 1e-12) << begin;
  }
}

// Rounding may leave less than nothing of the squares of a block.
TEST(Moments, SquaresAreNotNegative) {
  double mean = 0, squares = 0;
  detail::MomentsUpdate(0, 4).AddBlock(&mean, &squares, 1, 2, 0.999);
  EXPECT_EQ(mean, 1.5);
  EXPECT_EQ(squares, 0);
}

TEST(Moments, ShiftsAreFinite) {
  EXPECT_EQ(detail::ShiftOf(-2.5f), -2.5f);
  EXPECT_EQ(detail::ShiftOf(std::numeric_limits<float>::infinity()), 0.0f);
  EXPECT_EQ(detail::ShiftOf(std::numeric_limits<float>::quiet_NaN()), 0.0f);
}

// A part's moments are kept aside, those of a whole channel are the result.
TEST(Moments, SinkOfPartsAndOfResults) {
  float mean[2] = {}, variance[2] = {};
  double means[4] = {}, squares[4] = {};
  detail::MomentsSink<float> sink{mean, variance, 2, 0.25, nullptr, nullptr};
  sink.Put(0, 1, 3.0, 8.0);
  EXPECT_EQ(mean[1], 3.0f);
  EXPECT_EQ(variance[1], 2.0f);
  sink.means = means;
  sink.squares = squares;
  sink.Put(1, 0, 5.0, 6.0);
  EXPECT_EQ(means[2], 5.0);
  EXPECT_EQ(squares[2], 6.0);
  EXPECT_EQ(mean[0], 0.0f);
}

}  // namespace
}  // namespace mshadow
