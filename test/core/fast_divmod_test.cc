// SPDX-License-Identifier: Apache-2.0
#include <mshadow/core/fast_divmod.h>

#include <gtest/gtest.h>

#include <random>

namespace mshadow {
namespace expr {
namespace {

constexpr std::ptrdiff_t kMost31 = 0x7fffffff;

// Where quotients change, and at the ends of what the multiplication serves.
void CheckNear(std::ptrdiff_t d, std::ptrdiff_t n) {
  const FastDivmod divisor(d);
  for (std::ptrdiff_t i = n - 1; i <= n + 1; ++i) {
    if (i < 0) continue;
    ASSERT_EQ(FloorDiv(i, divisor), i / d) << i << " / " << d;
    ASSERT_EQ(FloorDiv(i, d), i / d) << i << " / " << d;
    ASSERT_EQ(DivMod(i, divisor).quot, i / d) << i << " / " << d;
    ASSERT_EQ(DivMod(i, divisor).rem, i % d) << i << " % " << d;
  }
}

TEST(FloorDiv, OfSmallNumbers) {
  for (std::ptrdiff_t d = 1; d <= 300; ++d) {
    const FastDivmod divisor(d);
    for (std::ptrdiff_t n = 0; n <= 3000; ++n) {
      ASSERT_EQ(FloorDiv(n, divisor), n / d) << n << " / " << d;
      ASSERT_EQ(FloorDiv(n, d), n / d) << n << " / " << d;
    }
  }
}

TEST(FloorDiv, AroundMultiples) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100000; ++round) {
    const std::ptrdiff_t d = 1 + static_cast<std::ptrdiff_t>(random() >> (33 + random() % 31));
    const std::ptrdiff_t most = (kMost31 - 1) / d;
    CheckNear(d, static_cast<std::ptrdiff_t>(random() % (static_cast<uint64_t>(most) + 1)) * d);
    CheckNear(d, most * d);
    CheckNear(d, kMost31 - 1);
  }
}

TEST(FloorDiv, OfNumbersBeyond31Bits) {
  for (std::ptrdiff_t d :
       {std::ptrdiff_t(1), std::ptrdiff_t(2), std::ptrdiff_t(3), std::ptrdiff_t(641), kMost31,
        kMost31 + 1, kMost31 + 2, std::ptrdiff_t(1) << 40, (std::ptrdiff_t(1) << 40) + 1}) {
    for (std::ptrdiff_t n : {kMost31, kMost31 + 1, std::ptrdiff_t(1) << 32, std::ptrdiff_t(1) << 40,
                             std::ptrdiff_t(1) << 61}) {
      CheckNear(d, n);
      CheckNear(d, n / d * d);
    }
  }
}

// Plans of empty tensors are made, but never asked for an element.
TEST(FloorDiv, ADivisorMayBeZeroWhileItIsNotUsed) {
  EXPECT_EQ(std::ptrdiff_t(FastDivmod(0)), 0);
  EXPECT_EQ(std::ptrdiff_t(FastDivmod()), 1);
}

}  // namespace
}  // namespace expr
}  // namespace mshadow
