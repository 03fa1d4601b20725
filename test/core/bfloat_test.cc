// SPDX-License-Identifier: Apache-2.0
#include "mshadow/core/bfloat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "mshadow/core/half.h"

namespace {

using mshadow::bfloat16;
using mshadow::bfloat::bf16_t;
using mshadow::bfloat::bf16x2_t;
using mshadow::float16::BitsToFloat;
using mshadow::float16::FloatToBits;
using mshadow::half::half_t;

static_assert(std::is_same_v<bfloat16, bf16_t>, "");
static_assert(sizeof(bf16_t) == 2 && alignof(bf16_t) == 2, "bf16_t is two bytes");
static_assert(std::is_trivially_copyable_v<bf16_t> && std::is_standard_layout_v<bf16_t>, "");
static_assert(std::is_trivially_default_constructible_v<bf16_t>, "");

// `value` rounded to 8 significant bits, or to a multiple of the smallest subnormal, in double.
double Rounded(double value) {
  if (value == 0 || std::isinf(value)) return value;
  const int exponent = std::max(std::ilogb(value), -126);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, 7 - exponent)), exponent - 7);
  return std::abs(rounded) < std::ldexp(1.0, 128) ? rounded : std::copysign(HUGE_VAL, value);
}

template <typename T>
void ExpectConverts(T value) {
  const bf16_t b(value);
  if (value != value) {
    ASSERT_EQ(b.bf16_ & 0x7fc0, 0x7fc0) << value;  // a quiet NaN
  } else {
    ASSERT_EQ(static_cast<float>(b), Rounded(static_cast<double>(value))) << value;
    ASSERT_EQ(std::signbit(value), (b.bf16_ & 0x8000) != 0) << value;
  }
}

TEST(Bfloat, ToFloatAndBack) {
  for (int bits = 0; bits < 65536; ++bits) {
    const float value = bf16_t::Binary(static_cast<uint16_t>(bits));
    ASSERT_EQ(FloatToBits(value), static_cast<uint32_t>(bits) << 16);
    ASSERT_EQ(bf16_t(value).bf16_, std::isnan(value) ? bits | 0x0040 : bits);
  }
}

TEST(Bfloat, FromFloatRoundsEveryBoundary) {
  for (uint32_t upper = 0; upper < 65536; ++upper) {
    for (const uint32_t lower : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      ExpectConverts(BitsToFloat((upper << 16) | lower));
    }
  }
}

TEST(Bfloat, FromDoubleAndIntegersRoundsOnce) {
  for (uint32_t upper = 0x0100; upper < 0x7f80; ++upper) {
    const double middle = BitsToFloat((upper << 16) | 0x8000);
    for (const double value : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e39)}) {
      ExpectConverts(value);
      ExpectConverts(-value);
    }
  }
  ExpectConverts(1e300);
  ExpectConverts(std::numeric_limits<double>::infinity());
  ExpectConverts(std::numeric_limits<double>::quiet_NaN());
  // One above a midpoint, lost in float.
  ExpectConverts((1 << 30) + (1 << 22) + 1);
  ExpectConverts((int64_t{1} << 40) + (int64_t{1} << 32) + 1);
  for (int value = -1000; value <= 1000; ++value) ExpectConverts(value);
  EXPECT_EQ(bf16_t(uint8_t{255}), 255.0f);
  EXPECT_EQ(bf16_t(int8_t{-128}), -128.0f);
}

TEST(Bfloat, Arithmetic) {
  std::vector<bf16_t> values;
  for (int bits = 0; bits < 65536; bits += 509) {
    values.push_back(bf16_t::Binary(static_cast<uint16_t>(bits)));
  }
  for (const bf16_t a : values) {
    for (const bf16_t b : values) {
      const float x = a;
      const float y = b;
      if (std::isnan(x) || std::isnan(y)) {
        ASSERT_TRUE(std::isnan(a + b) && std::isnan(a * b));
        continue;
      }
      ASSERT_EQ((a + b).bf16_, bf16_t(x + y).bf16_);
      ASSERT_EQ((a - b).bf16_, bf16_t(x - y).bf16_);
      ASSERT_EQ((a * b).bf16_, bf16_t(x * y).bf16_);
      ASSERT_EQ((a / b).bf16_, bf16_t(x / y).bf16_);
      ASSERT_EQ(a < b, x < y);
      ASSERT_EQ(a <= b, x <= y);
      ASSERT_EQ(a > b, x > y);
      ASSERT_EQ(a >= b, x >= y);
      ASSERT_EQ(a == b, x == y);
      ASSERT_EQ(a != b, x != y);
    }
  }
}

// As one instruction for both lanes gives it.
TEST(Bfloat, ArithmeticRoundsTheExactResult) {
  std::vector<bf16_t> values;
  for (int bits = 0; bits < 0x7f80; bits += 131) {
    values.push_back(bf16_t::Binary(static_cast<uint16_t>(bits)));
    values.push_back(-values.back());
  }
  for (int bits = 0; bits < 0x0200; ++bits) {  // subnormal ones, and products that are
    values.push_back(bf16_t::Binary(static_cast<uint16_t>(bits)));
    values.push_back(bf16_t::Binary(static_cast<uint16_t>(0x3f00 + bits)));
  }
  for (const bf16_t a : values) {
    for (const bf16_t b : values) {
      // Products are exact in double, and so are sums unless the smaller one is lost.
      const double x = static_cast<float>(a), y = static_cast<float>(b);
      ASSERT_EQ(static_cast<float>(a + b), Rounded(x + y)) << x << ' ' << y;
      ASSERT_EQ(static_cast<float>(a - b), Rounded(x - y)) << x << ' ' << y;
      ASSERT_EQ(static_cast<float>(a * b), Rounded(x * y)) << x << ' ' << y;
    }
  }
}

TEST(Bfloat, MixedResultsStayWide) {
  const bf16_t b(1.5f);
  static_assert(std::is_same_v<decltype(b + b), bf16_t>, "");
  static_assert(std::is_same_v<decltype(b * 2.0f), float>, "");
  static_assert(std::is_same_v<decltype(2 * b), float>, "");
  static_assert(std::is_same_v<decltype(b - uint64_t{1}), float>, "");
  static_assert(std::is_same_v<decltype(1.0 / b), double>, "");
  static_assert(std::is_same_v<decltype(b + half_t(1)), float>, "");
  EXPECT_EQ(b + 0.001f, 1.501f);
  EXPECT_EQ(1.0 / b, 1.0 / 1.5);
  EXPECT_EQ(int8_t{3} - b, 1.5f);
  EXPECT_EQ(half_t(1.001f) * b, static_cast<float>(half_t(1.001f)) * 1.5f);
  EXPECT_TRUE(b < 1.5000001 && 1 < b && b >= half_t(1.5f) && half_t(2.0f) > b && b == 1.5);
  EXPECT_EQ((-b).bf16_, b.bf16_ ^ 0x8000);
  EXPECT_EQ((+b).bf16_, b.bf16_);
}

TEST(Bfloat, AssignsFromEveryNumberAlsoVolatile) {
  bf16_t b = 1.0f;
  (b += 1) *= 3.0;
  b -= half_t(2.0f);
  b /= bf16_t(2.0f);
  EXPECT_EQ(b, 2.0f);
  b = 7;
  EXPECT_EQ(b, 7.0f);
  b = half_t(3.0f);
  EXPECT_EQ(b, 3.0f);
  volatile bf16_t v;
  v = b;
  v += 1;
  v *= v;
  b = v;
  EXPECT_EQ(b, 16.0f);
  const bf16_t copy = v;
  EXPECT_TRUE(copy == v && v + v == 32);
}

TEST(Bf16x2, WorksLaneByLane) {
  static_assert(sizeof(bf16x2_t) == 4 && alignof(bf16x2_t) == 4, "one word");
  static_assert(std::is_trivially_copyable_v<bf16x2_t>, "");
  const bf16x2_t a(bf16_t(7.0f), bf16_t(-0.0f)), b(bf16_t(2.0f), bf16_t(4.0f));
  const bf16x2_t sum = a + b, difference = a - b, product = a * b;
  EXPECT_EQ(sum.lane[0], 9.0f);
  EXPECT_EQ(sum.lane[1], 4.0f);
  EXPECT_EQ(difference.lane[0], 5.0f);
  EXPECT_EQ(difference.lane[1], -4.0f);
  EXPECT_EQ(product.lane[0], 14.0f);
  EXPECT_EQ(product.lane[1].bf16_, 0x8000);
}

TEST(Bfloat, Limits) {
  using Limits = std::numeric_limits<bf16_t>;
  constexpr bf16_t kMax = (Limits::max)();
  EXPECT_EQ(kMax, BitsToFloat(0x7f7f0000));
  EXPECT_EQ(Limits::lowest(), -kMax);
  EXPECT_EQ((Limits::min)(), std::numeric_limits<float>::min());
  EXPECT_EQ(Limits::denorm_min(), std::ldexp(1.0f, -133));
  EXPECT_EQ(Limits::epsilon(), std::ldexp(1.0f, -7));
  EXPECT_EQ(Limits::round_error(), 0.5f);
  EXPECT_TRUE(std::isinf(Limits::infinity()));
  EXPECT_TRUE(std::isnan(Limits::quiet_NaN()) && std::isnan(Limits::signaling_NaN()));
  EXPECT_EQ(Limits::digits, 8);
  EXPECT_EQ(Limits::digits10, 2);
  EXPECT_EQ(Limits::max_digits10, 4);
  EXPECT_EQ(Limits::min_exponent, std::numeric_limits<float>::min_exponent);
  EXPECT_EQ(Limits::max_exponent, std::numeric_limits<float>::max_exponent);
  EXPECT_EQ(Limits::min_exponent10, std::numeric_limits<float>::min_exponent10);
  EXPECT_EQ(Limits::max_exponent10, std::numeric_limits<float>::max_exponent10);
  const bf16_t lowest = MSHADOW_BF16_MIN  // the macros bring their semicolon
      const bf16_t highest = MSHADOW_BF16_MAX EXPECT_EQ(lowest, Limits::lowest());
  EXPECT_EQ(highest, kMax);
}

}  // namespace
