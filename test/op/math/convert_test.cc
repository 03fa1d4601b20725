// SPDX-License-Identifier: Apache-2.0
// Under UBSan this file is compiled with -fsanitize=float-cast-overflow.
#include <mshadow/op/math/convert.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "testing.h"

namespace mshadow {
namespace {

using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;
using op::math::Convert;

/// The rule of the header, step by step.
template <typename To, typename From>
To Expected(From from) {
  const long double a = std::trunc(static_cast<long double>(static_cast<double>(from)));
  constexpr int kBits = sizeof(To) <= 4 ? 32 : 64;
  constexpr bool kUnsigned = std::is_unsigned_v<To> && sizeof(To) >= 4;
  const long double half = std::ldexp(1.0L, kBits - 1);
  uint64_t low = uint64_t{1} << (kBits - 1);
  if (a >= -half && a < (kUnsigned ? 2 * half : half)) {
    low = a < 0 ? uint64_t{0} - static_cast<uint64_t>(-a) : static_cast<uint64_t>(a);
  }
  return static_cast<To>(low);
}

template <typename From>
std::vector<From> Values() {
  const std::vector<double> all = {
      0.0, 0.5, 0.99, 1.0, 1.5, 2.9, 100.0, 127.0, 127.5, 128.0, 129.0, 200.7, 255.0, 255.9, 256.0,
      300.0, 32767.0, 32768.0, 65504.0, 65535.0, 65536.0, 70000.0, 16777217.0, 2147483520.0,
      2147483647.0, 2147483647.9, 2147483648.0, 2147483648.9, 2147483649.0, 3000000000.0,
      4294967040.0, 4294967295.0, 4294967295.5, 4294967296.0, 5e9, 9.2e18, 9223372036854774784.0,
      9223372036854775808.0, 1.0e19, 18446744073709549568.0, 18446744073709551616.0, 1e20, 1e30,
      3e38, 1e300, 1e-30, 1e-310, std::numeric_limits<double>::infinity(),
      std::numeric_limits<double>::quiet_NaN()};
  std::vector<From> values;
  for (double a : all) {
    values.push_back(static_cast<From>(a));
    values.push_back(static_cast<From>(-values.back()));
  }
  return values;
}

template <typename To, typename From>
void Check() {
  const std::vector<From> values = Values<From>();
  const index_t n = static_cast<index_t>(values.size());
  for (From value : values) {
    ASSERT_EQ(Convert<To>(value), (Expected<To, From>(value))) << static_cast<double>(value);
  }
  ForEachIsa([&] {
    Guarded<1, From> a(Shape1(n), 0, 1);
    Guarded<1, To> out(Shape1(n), 0, 1);
    for (index_t i = 0; i < n; ++i) a.At(i) = values[i];
    *out = expr::tcast<To>(*a);
    for (index_t i = 0; i < n; ++i) {
      ASSERT_EQ(out.At(i), (Expected<To, From>(values[i]))) << static_cast<double>(values[i]);
    }
    ASSERT_TRUE(out.Intact());
  });
}

template <typename From>
void CheckAll() {
  Check<int8_t, From>();
  Check<uint8_t, From>();
  Check<int16_t, From>();
  Check<uint16_t, From>();
  Check<int32_t, From>();
  Check<uint32_t, From>();
  Check<int64_t, From>();
  Check<uint64_t, From>();
}

TEST(Convert, EveryKindOfValue) {
  CheckAll<float>();
  CheckAll<double>();
  CheckAll<half::half_t>();
  CheckAll<bfloat::bf16_t>();
}

TEST(Convert, ValuesOfTheDocumentation) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Convert<int>(-2.9f), -2);
  EXPECT_EQ(Convert<int>(nan), std::numeric_limits<int>::min());
  EXPECT_EQ(Convert<int>(1e30f), std::numeric_limits<int>::min());
  EXPECT_EQ(Convert<uint8_t>(-1.0f), 255);
  EXPECT_EQ(Convert<uint8_t>(300.0), 44);
  EXPECT_EQ(Convert<uint8_t>(nan), 0);
  EXPECT_EQ(Convert<uint32_t>(-1.0f), 0xffffffffu);
  EXPECT_EQ(Convert<uint32_t>(nan), 0x80000000u);
  EXPECT_EQ(Convert<uint64_t>(1e30), uint64_t{1} << 63);
}

TEST(Convert, OtherPairsOfTypes) {
  EXPECT_EQ(Convert<uint8_t>(-1), 255);
  EXPECT_EQ(Convert<int8_t>(uint64_t{0x180}), -128);
  EXPECT_EQ(Convert<float>(int64_t{1} << 40), 0x1p40f);
  EXPECT_EQ(Convert<float>(0.5), 0.5f);
  EXPECT_TRUE(Convert<bool>(0.25f));
  EXPECT_FALSE(Convert<bool>(0.0));
  EXPECT_EQ(static_cast<float>(Convert<half::half_t>(2049)), 2048.0f);
}

struct Root {
  MSHADOW_XINLINE static float Map(int a) {
    return a < 0 ? std::numeric_limits<float>::quiet_NaN() : 2.5f;
  }
};
TEST(Convert, ResultsOfUserOps) {
  Guarded<1, int> a(Shape1(2)), out(Shape1(2));
  a.At(0) = -1;
  a.At(1) = 4;
  *out = expr::F<Root>(*a);
  EXPECT_EQ(out.At(0), std::numeric_limits<int>::min());
  EXPECT_EQ(out.At(1), 2);
}

/// The rule of Saturate, to integers.
template <typename To, typename From>
To Nearest(From from) {
  using Limits = std::numeric_limits<To>;
  const long double a = std::trunc(static_cast<long double>(static_cast<double>(from)));
  if (a != a) return 0;
  if (a <= static_cast<long double>(Limits::min())) return Limits::min();
  if (a >= static_cast<long double>(Limits::max())) return Limits::max();
  return static_cast<To>(a);
}

template <typename To, typename From>
void CheckSaturate() {
  const std::vector<From> values = Values<From>();
  const index_t n = static_cast<index_t>(values.size());
  ForEachIsa([&] {
    Guarded<1, From> a(Shape1(n), 0, 1);
    Guarded<1, To> out(Shape1(n), 0, 1);
    for (index_t i = 0; i < n; ++i) a.At(i) = values[i];
    *out = expr::saturate_cast<To>(*a);
    for (index_t i = 0; i < n; ++i) {
      ASSERT_EQ(out.At(i), (Nearest<To, From>(values[i]))) << static_cast<double>(values[i]);
    }
    ASSERT_TRUE(out.Intact());
  });
}
template <typename From>
void CheckAllSaturate() {
  CheckSaturate<int8_t, From>();
  CheckSaturate<uint8_t, From>();
  CheckSaturate<int16_t, From>();
  CheckSaturate<uint16_t, From>();
  CheckSaturate<int32_t, From>();
  CheckSaturate<uint32_t, From>();
  CheckSaturate<int64_t, From>();
  CheckSaturate<uint64_t, From>();
}
TEST(Saturate, FloatsToIntegers) {
  CheckAllSaturate<float>();
  CheckAllSaturate<double>();
  CheckAllSaturate<half::half_t>();
  CheckAllSaturate<bfloat::bf16_t>();
}

TEST(Saturate, IntegersToIntegers) {
  using op::math::Saturate;
  EXPECT_EQ(Saturate<uint8_t>(300), 255);
  EXPECT_EQ(Saturate<uint8_t>(-1), 0);
  EXPECT_EQ(Saturate<int8_t>(-129), -128);
  EXPECT_EQ(Saturate<int8_t>(uint8_t{200}), 127);
  EXPECT_EQ(Saturate<int>(uint32_t{1} << 31), std::numeric_limits<int>::max());
  EXPECT_EQ(Saturate<uint32_t>(int64_t{1} << 32), 0xffffffffu);
  EXPECT_EQ(Saturate<uint64_t>(std::numeric_limits<int64_t>::min()), 0u);
  EXPECT_EQ(Saturate<int64_t>(~uint64_t{0}), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Saturate<int64_t>(-5), -5);
  EXPECT_TRUE(Saturate<bool>(0.5f));
  EXPECT_FALSE(Saturate<bool>(std::numeric_limits<float>::quiet_NaN()));
  Guarded<2, int> a(Shape2(3, 21), 1);
  Guarded<2, uint8_t> out(Shape2(3, 21), 2);
  for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = 20 * (static_cast<int>(i) - 20);
  *out = expr::saturate_cast<uint8_t>(*a + 1) + 0;
  for (std::size_t i = 0; i < a.Size(); ++i) {
    ASSERT_EQ(out.At(i), std::min(std::max(a.At(i) + 1, 0), 255));
  }
}

TEST(Saturate, ToFloats) {
  using op::math::Saturate;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Saturate<float>(1e300), std::numeric_limits<float>::max());
  EXPECT_EQ(Saturate<float>(-1e300), std::numeric_limits<float>::lowest());
  EXPECT_EQ(Saturate<float>(kInf), std::numeric_limits<float>::infinity());
  EXPECT_EQ(Saturate<float>(0.1), 0.1f);
  EXPECT_TRUE(std::isnan(Saturate<float>(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(static_cast<float>(Saturate<half::half_t>(1e6f)), 65504.0f);
  EXPECT_EQ(static_cast<float>(Saturate<half::half_t>(-70000)), -65504.0f);
  EXPECT_EQ(static_cast<float>(Saturate<half::half_t>(float(kInf))), float(kInf));
  EXPECT_EQ(static_cast<float>(Saturate<bfloat::bf16_t>(std::numeric_limits<float>::max())),
            0x1.fep127f);
  EXPECT_EQ(Saturate<double>(3.5f), 3.5);
  EXPECT_EQ(Saturate<float>(7), 7.0f);
}

}  // namespace
}  // namespace mshadow
