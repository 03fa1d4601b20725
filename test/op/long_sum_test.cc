// SPDX-License-Identifier: Apache-2.0
#include <mshadow/op/long_sum.h>

#include <gtest/gtest.h>

#include <limits>

namespace mshadow {
namespace {

TEST(LongSum, PrefixSumsCarryWhatTheyLose) {
  red::PrefixSum<float> sum;
  for (int i = 0; i < 20000000; ++i) {
    if (i % sum.kCarry == 0) sum.Carry();
    sum.Add(1.0f);
  }
  EXPECT_EQ(sum.Value(), 20000000.0f);
  EXPECT_EQ(sum.With(4.0f), 20000004.0f);
}
TEST(LongSum, PrefixSumsNearTheEndOfTheRange) {
  const float most = std::numeric_limits<float>::max();
  red::PrefixSum<float> sum;
  for (const float x : {most, -most, -most, most, most, -most}) {
    sum.Carry();
    sum.Add(x);
    EXPECT_EQ(sum.Value() - sum.Value(), 0.0f);
  }
  sum.Add(std::numeric_limits<float>::infinity());
  sum.Carry();
  EXPECT_EQ(sum.Value(), std::numeric_limits<float>::infinity());
}
TEST(LongSum, BlocksOfBlocks) {
  const auto one = [](std::ptrdiff_t) { return 1.0f; };
  for (const std::ptrdiff_t n : {0, 1, 63, 64, 65, 4095, 4096, 4097, 20000000}) {
    EXPECT_EQ((red::ReduceInBlocks<red::sum, float>(n, one)), static_cast<float>(n));
  }
}

}  // namespace
}  // namespace mshadow
