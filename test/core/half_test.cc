// SPDX-License-Identifier: Apache-2.0
#include "mshadow/core/half.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "mshadow/core/bfloat.h"

namespace {

using mshadow::bfloat16;
using mshadow::float16::BitsToFloat;
using mshadow::float16::FloatToBits;
using mshadow::half::half2_t;
using mshadow::half::half_t;

static_assert(sizeof(half_t) == 2 && alignof(half_t) == 2, "half_t is two bytes");
static_assert(sizeof(half2_t) == 4 && alignof(half2_t) == 4, "half2_t is four bytes");
static_assert(std::is_trivially_copyable_v<half_t> && std::is_trivially_copyable_v<half2_t>, "");
static_assert(std::is_trivially_default_constructible_v<half_t>, "");
static_assert(std::is_standard_layout_v<half_t>, "");

// The value of a half, from its definition.
double HalfValue(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  double value;
  if (exponent == 31) {
    value = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                          : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else {
    value = std::ldexp(1024 + fraction, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

// `value` rounded to a multiple of the last place of a half, in double.
double Rounded(double value) {
  if (value == 0 || std::isinf(value)) return value;
  const int exponent = std::max(std::ilogb(value), -14);
  const double units = std::ldexp(value, 10 - exponent);
#if MSHADOW_HALF_ROUND_TO_NEAREST
  const double rounded = std::ldexp(std::nearbyint(units), exponent - 10);
#else
  const double rounded = std::ldexp(std::trunc(units), exponent - 10);
#endif
  return std::abs(rounded) < 65536 ? rounded : std::copysign(HUGE_VAL, value);
}

template <typename T>
void ExpectConverts(T value) {
  const half_t h(value);
  if (value != value) {
    ASSERT_EQ(h.half_ & 0x7e00, 0x7e00) << value;  // a quiet NaN
  } else {
    const double want = Rounded(static_cast<double>(value));
    ASSERT_EQ(HalfValue(h.half_), want) << value;
    ASSERT_EQ(std::signbit(value), (h.half_ & 0x8000) != 0) << value;
  }
}

TEST(Half, ToFloatIsExactForAllBitPatterns) {
  for (int bits = 0; bits < 65536; ++bits) {
    const half_t h = half_t::Binary(static_cast<uint16_t>(bits));
    const float value = h;
    const double want = HalfValue(static_cast<uint16_t>(bits));
    if (std::isnan(want)) {
      ASSERT_EQ(FloatToBits(value) & 0x7fc00000, 0x7fc00000u) << bits;
      ASSERT_EQ(half_t(value).half_, bits | 0x0200);
    } else {
      ASSERT_EQ(value, want) << bits;
      ASSERT_EQ(std::signbit(value), bits >= 0x8000) << bits;
      ASSERT_EQ(half_t(value).half_, bits);
    }
  }
}

TEST(Half, FromFloatRoundsEveryBoundary) {
  // Around each half and each midpoint of two halfs: the value and its neighbours among the floats.
  for (int bits = 0; bits < 0x7c00; ++bits) {
    const double here = HalfValue(static_cast<uint16_t>(bits));
    const double next = bits == 0x7bff ? 65536.0 : HalfValue(static_cast<uint16_t>(bits + 1));
    for (const double point : {here, (here + next) / 2}) {
      const uint32_t center = FloatToBits(static_cast<float>(point));
      for (uint32_t near = center < 2 ? 0 : center - 2; near <= center + 2; ++near) {
        ExpectConverts(BitsToFloat(near));
        ExpectConverts(BitsToFloat(near | 0x80000000));
      }
    }
  }
}

TEST(Half, FromFloatOverTheWholeRange) {
  // An odd step reaches every exponent and, over 2^32 values, all kinds of fractions.
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 4099) {
    ExpectConverts(BitsToFloat(static_cast<uint32_t>(bits)));
  }
  for (const uint32_t bits : {0x7f800000u, 0xff800000u, 0x7f800001u, 0x7fffffffu, 0xff800001u,
                              0x7f7fffffu, 0x00000001u, 0x80000001u, 0x477fefffu, 0x477ff000u}) {
    ExpectConverts(BitsToFloat(bits));
  }
}

TEST(Half, FromDoubleRoundsOnce) {
  for (int bits = 0; bits < 0x7c00; ++bits) {
    const double here = HalfValue(static_cast<uint16_t>(bits));
    const double next = bits == 0x7bff ? 65536.0 : HalfValue(static_cast<uint16_t>(bits + 1));
    const double middle = (here + next) / 2;
    // To float these round to the midpoint itself.
    for (const double value : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e9)}) {
      ExpectConverts(value);
      ExpectConverts(-value);
    }
  }
  ExpectConverts(std::numeric_limits<double>::infinity());
  ExpectConverts(std::numeric_limits<double>::quiet_NaN());
  ExpectConverts(std::numeric_limits<double>::denorm_min());
}

TEST(Half, FromIntegers) {
  for (int value = -70000; value <= 70000; ++value) ExpectConverts(value);
  EXPECT_EQ(half_t(uint8_t{255}), 255.0f);
  EXPECT_EQ(half_t(int8_t{-128}), -128.0f);
  EXPECT_EQ(half_t(int64_t{-2049}), -2048.0f);
  EXPECT_EQ(half_t(uint64_t{1} << 63), HUGE_VALF);
  EXPECT_EQ(half_t(true), 1.0f);
}

TEST(Half, LoopsConvertLikeSingleValues) {
  std::vector<float> floats;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 65521) {
    floats.push_back(BitsToFloat(static_cast<uint32_t>(bits)));
  }
  std::vector<half_t> halfs(floats.size());
  for (size_t i = 0; i < floats.size(); ++i) halfs[i] = half_t(floats[i]);
  for (size_t i = 0; i < floats.size(); ++i) {
    volatile float one = floats[i];
    ASSERT_EQ(half_t(one).half_, halfs[i].half_);
  }
}

TEST(Half, ArithmeticRoundsTheExactResult) {
#if !MSHADOW_HALF_ROUND_TO_NEAREST
  GTEST_SKIP() << "the float result is rounded, then cut off";
#endif
  std::vector<half_t> values;
  for (int bits = 0; bits < 65536; bits += 331) {
    values.push_back(half_t::Binary(static_cast<uint16_t>(bits)));
  }
  for (const half_t a : values) {
    for (const half_t b : values) {
      const double x = static_cast<float>(a);
      const double y = static_cast<float>(b);
      if (std::isnan(x) || std::isnan(y)) {
        ASSERT_TRUE(std::isnan(a + b) && std::isnan(a * b));
        continue;
      }
      // The sum, difference and product of two halfs are exact in double.
      for (const auto& [got, want] :
           {std::pair<half_t, double>(a + b, x + y), {a - b, x - y}, {a * b, x * y}}) {
        if (std::isnan(want)) {
          ASSERT_TRUE(std::isnan(got));
        } else {
          ASSERT_EQ(static_cast<float>(got), Rounded(want)) << x << ' ' << y;
        }
      }
      ASSERT_EQ((a / b).half_, half_t(static_cast<float>(a) / static_cast<float>(b)).half_);
      ASSERT_EQ(a < b, x < y);
      ASSERT_EQ(a <= b, x <= y);
      ASSERT_EQ(a > b, x > y);
      ASSERT_EQ(a >= b, x >= y);
      ASSERT_EQ(a == b, x == y);
      ASSERT_EQ(a != b, x != y);
    }
  }
}

TEST(Half, MixesWithArithmeticTypes) {
  const half_t h(1.5f);
  static_assert(std::is_same_v<decltype(h * 2.0f), half_t>, "");
  static_assert(std::is_same_v<decltype(2.0 / h), half_t>, "");
  static_assert(std::is_same_v<decltype(h - int64_t{1}), half_t>, "");
  static_assert(std::is_same_v<decltype(h + bfloat16(1.0f)), float>, "");
  EXPECT_EQ(h * 2.0f, 3.0f);
  EXPECT_EQ(2.0 - h, 0.5f);
  EXPECT_EQ(3 / h, 2.0f);
  EXPECT_EQ(h + uint8_t{1}, 2.5f);
  EXPECT_EQ(h * bfloat16(2.0f), 3.0f);
  EXPECT_TRUE(h < 2 && 1.0 < h && h >= 1.5f && h <= bfloat16(1.5f) && h == 1.5 && h != 1);
  EXPECT_EQ((-h).half_, h.half_ ^ 0x8000);
  EXPECT_EQ((+h).half_, h.half_);
  EXPECT_EQ((-half_t(0.0f)).half_, 0x8000);
  float f = 1;
  f += h;
  EXPECT_EQ(f, 2.5f);
}

TEST(Half, AssignsFromEveryNumber) {
  half_t h = 1.0f;
  (h += 1) *= 3.0;
  EXPECT_EQ(h, 6.0f);
  h -= half_t(2);
  h /= bfloat16(2.0f);
  EXPECT_EQ(h, 2.0f);
  h = 7;
  EXPECT_EQ(h, 7.0f);
  h = 0.25;
  EXPECT_EQ(h, 0.25f);
  h = bfloat16(3.0f);
  EXPECT_EQ(h, 3.0f);
}

TEST(Half, Volatile) {
  volatile half_t v;
  v = half_t(2.0f);
  v += 1;
  v *= v;
  v -= half_t(1);
  v /= 2.0;
  half_t h = v;
  EXPECT_EQ(h, 4.0f);
  h += v;
  EXPECT_EQ(h, 8.0f);
  h = v;
  EXPECT_EQ(static_cast<float>(v), 4.0f);
  EXPECT_TRUE(v == h && v < 5 && v + v == 8);
  const volatile half_t c = h;
  EXPECT_EQ(c - h, 0.0f);
}

// Operators that need a conversion to a base class, as those of expressions do: an operator of
// half_t for any T at all would be the better match.
template <typename Self>
struct ExpressionOf {};
struct Expression : public ExpressionOf<Expression> {};
struct Product {};
template <typename Self>
Product operator*(const ExpressionOf<Self>&, half_t) {
  return Product();
}
template <typename Self>
Product operator*(half_t, const ExpressionOf<Self>&) {
  return Product();
}
template <typename Self>
Product operator<(const ExpressionOf<Self>&, half_t) {
  return Product();
}

TEST(Half, LeavesOperatorsOfOtherTypesAlone) {
  static_assert(std::is_same_v<decltype(Expression() * half_t(2)), Product>, "");
  static_assert(std::is_same_v<decltype(half_t(2) * Expression()), Product>, "");
  static_assert(std::is_same_v<decltype(Expression() < half_t(2)), Product>, "");
  static_assert(!std::is_assignable_v<half_t&, Expression>, "");
  static_assert(!std::is_constructible_v<half_t, Expression>, "");
}

TEST(Half, Limits) {
  using Limits = std::numeric_limits<half_t>;
  constexpr half_t kMax = (Limits::max)();
  EXPECT_EQ(kMax, 65504.0f);
  EXPECT_EQ(Limits::lowest(), -65504.0f);
  EXPECT_EQ((Limits::min)(), std::ldexp(1.0f, -14));
  EXPECT_EQ(Limits::denorm_min(), std::ldexp(1.0f, -24));
  EXPECT_EQ(Limits::epsilon(), std::ldexp(1.0f, -10));
  EXPECT_EQ(Limits::round_error(), 0.5f);
  EXPECT_TRUE(std::isinf(Limits::infinity()) && Limits::infinity() > kMax);
  EXPECT_TRUE(std::isnan(Limits::quiet_NaN()) && std::isnan(Limits::signaling_NaN()));
  EXPECT_EQ(Limits::digits, 11);
  EXPECT_EQ(Limits::digits10, 3);
  EXPECT_EQ(Limits::max_digits10, 5);
  EXPECT_EQ(Limits::min_exponent, -13);
  EXPECT_EQ(Limits::max_exponent, 16);
  EXPECT_EQ(Limits::min_exponent10, -4);
  EXPECT_EQ(Limits::max_exponent10, 4);
  const half_t lowest = MSHADOW_HALF_MIN  // the macros bring their semicolon
      const half_t highest = MSHADOW_HALF_MAX EXPECT_EQ(lowest, Limits::lowest());
  EXPECT_EQ(highest, kMax);
}

TEST(Half2, WorksLaneByLane) {
  half2_t a(half_t(7.0f), half_t(-3.0f));
  const half2_t b(half_t(2.0f), half_t(4.0f));
  EXPECT_TRUE(a + b == half2_t(half_t(9), half_t(1)));
  EXPECT_TRUE(a - b == half2_t(half_t(5), half_t(-7)));
  EXPECT_TRUE(a * b == half2_t(half_t(14), half_t(-12)));
  EXPECT_TRUE(a / b == half2_t(half_t(3.5f), half_t(-0.75f)));
  EXPECT_TRUE(a % b == half2_t(half_t(1), half_t(-3)));
  EXPECT_TRUE(-a == half2_t(half_t(-7), half_t(3)));
  EXPECT_TRUE(a != b && !(a == half2_t(half_t(7), half_t(3))));
  ((a += b) *= half2_t(2)) -= half2_t(1);
  EXPECT_TRUE(a == half2_t(half_t(17), half_t(1)));
  a /= half2_t(2);
  a = +a;
  EXPECT_EQ(a.half_t2[0], 8.5f);
  a = 3;
  EXPECT_EQ(a.half_t2[1], 3.0f);
}

}  // namespace
