// SPDX-License-Identifier: Apache-2.0
#include <mshadow/core/element_index.h>

#include <limits>

#include "testing.h"

namespace mshadow {
namespace {

using expr::detail::ClipIndex;
using expr::detail::ToIndex;
using expr::detail::ToLabel;
using expr::detail::WrapIndex;

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

TEST(ElementIndex, Wraps) {
  for (uint64_t value : {uint64_t(7), uint64_t(1) << 63, (uint64_t(1) << 63) + 1, ~uint64_t(0)}) {
    EXPECT_EQ(WrapIndex(value, 5), static_cast<std::ptrdiff_t>(value % 5)) << value;
  }
  EXPECT_EQ(WrapIndex(-1, 5), 4);
  EXPECT_EQ(WrapIndex(-5, 5), 0);
  EXPECT_EQ(WrapIndex(-7.9f, 5), 3);
  EXPECT_EQ(WrapIndex(uint8_t(255), 4), 3);
}

TEST(ElementIndex, LabelsBeyondAllClasses) {
  const uint64_t large = uint64_t(1) << 63;
  EXPECT_LT(ToLabel(large), 0);
  EXPECT_NE(ToLabel(large), ToLabel(~uint64_t(0)));
  EXPECT_EQ(ToLabel(uint64_t(3)), 3);
  EXPECT_EQ(ToLabel(2.9f), 2);
}

TEST(ElementIndex, Clips) {
  EXPECT_EQ(ClipIndex(~uint64_t(0), 5), 4);
  EXPECT_EQ(ClipIndex(uint64_t(1) << 63, 5), 4);
  EXPECT_EQ(ClipIndex(-3, 5), 0);
  EXPECT_EQ(ClipIndex(4.99, 5), 4);
  EXPECT_EQ(ClipIndex(5, 5), 4);
  EXPECT_EQ(ClipIndex(1e30f, 5), 4);
  EXPECT_EQ(ClipIndex(-1e30f, 5), 0);
  EXPECT_EQ(ClipIndex(std::numeric_limits<float>::quiet_NaN(), 5), 0);
}

}  // namespace
}  // namespace mshadow
