// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/element_index.h>

#include <limits>

#include "testing.h"

namespace mshadow {
namespace {

using expr::detail::ClipIndex;
using expr::detail::ToIndex;

TEST(ElementIndex, Truncates) {
  EXPECT_EQ(ToIndex(2.9f), 2);
  EXPECT_EQ(ToIndex(-0.9), 0);
  EXPECT_EQ(ToIndex(-1.5), -1);
  EXPECT_EQ(ToIndex(half::half_t(3.5f)), 3);
  EXPECT_EQ(ToIndex(bfloat::bf16_t(-2.0f)), -2);
  EXPECT_EQ(ToIndex(int8_t(-7)), -7);
  EXPECT_EQ(ToIndex(uint8_t(255)), 255);
  EXPECT_EQ(ToIndex(int64_t(1) << 40), int64_t(1) << 40);
}

TEST(ElementIndex, OfWhatNoIntegerHolds) {
  constexpr std::ptrdiff_t kLow = std::numeric_limits<std::ptrdiff_t>::min();
  constexpr std::ptrdiff_t kHigh = std::numeric_limits<std::ptrdiff_t>::max();
  EXPECT_EQ(ToIndex(1e30f), kHigh);
  EXPECT_EQ(ToIndex(-1e300), kLow);
  EXPECT_EQ(ToIndex(std::numeric_limits<double>::infinity()), kHigh);
  EXPECT_EQ(ToIndex(std::numeric_limits<float>::quiet_NaN()), kLow);
  EXPECT_EQ(ToIndex(std::numeric_limits<uint64_t>::max()), kHigh);
}

TEST(ElementIndex, Clips) {
  EXPECT_EQ(ClipIndex(-3, 5), 0);
  EXPECT_EQ(ClipIndex(4.99, 5), 4);
  EXPECT_EQ(ClipIndex(5, 5), 4);
  EXPECT_EQ(ClipIndex(1e30f, 5), 4);
  EXPECT_EQ(ClipIndex(-1e30f, 5), 0);
  EXPECT_EQ(ClipIndex(std::numeric_limits<float>::quiet_NaN(), 5), 0);
}

}  // namespace
}  // namespace mshadow
