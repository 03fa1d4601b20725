// SPDX-License-Identifier: Apache-2.0
#include "mshadow/op/binary.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernel.h"
#include "mshadow/core/half.h"

namespace {

using mshadow::half::half_t;
namespace op = mshadow::op;
using op_test::Check;
using op_test::RunOf;

double FloorMod(double x, double y) {
  const double rest = std::fmod(x, y);
  if (rest == 0) return std::copysign(rest, y);
  return (rest < 0) != (y < 0) ? rest + y : rest;
}

#define MSHADOW_CHECK(name, relative, ...) \
  Check<T>(#name, RunOf<op::name, 2, T>(), [](double x, double y, double) -> double { \
    return __VA_ARGS__; }, a, b, {}, relative)

/// What is the same in every type that holds the values.
template <typename T>
void CheckChoices(const std::vector<T>& a, const std::vector<T>& b) {
  MSHADOW_CHECK(right, 0, (void(x), y));
  MSHADOW_CHECK(max, 0, x > y || x != x ? x : y);
  MSHADOW_CHECK(min, 0, x < y || x != x ? x : y);
  MSHADOW_CHECK(eq, 0, x == y);
  MSHADOW_CHECK(ne, 0, x != y);
  MSHADOW_CHECK(lt, 0, x < y);
  MSHADOW_CHECK(le, 0, x <= y);
  MSHADOW_CHECK(gt, 0, x > y);
  MSHADOW_CHECK(ge, 0, x >= y);
  MSHADOW_CHECK(logical_and, 0, x != 0 && y != 0);
  MSHADOW_CHECK(logical_or, 0, x != 0 || y != 0);
  MSHADOW_CHECK(logical_xor, 0, (x != 0) != (y != 0));
}

template <typename T>
void CheckReal(const std::vector<T>& values, double relative) {
  std::vector<T> a, b;
  op_test::Pairs(values, &a, &b);
  CheckChoices(a, b);
  MSHADOW_CHECK(plus, 0, x + y);
  MSHADOW_CHECK(minus, 0, x - y);
  MSHADOW_CHECK(mul, 0, x * y);
  MSHADOW_CHECK(div, 0, x / y);
  MSHADOW_CHECK(mod, 0, FloorMod(x, y));
  MSHADOW_CHECK(pow, relative, std::pow(x, y));
  MSHADOW_CHECK(atan2, relative, std::atan2(x, y));
}

TEST(Binary, Float) { CheckReal(op_test::Specials<float>(), 0x1p-21); }
TEST(Binary, Double) { CheckReal(op_test::Specials<double>(), 0x1p-50); }

TEST(Binary, Half) {
  std::vector<half_t> values;
  for (int bits = 0; bits < 65536; bits += 331) values.push_back(half_t::Binary(uint16_t(bits)));
  for (float x : {0.0f, -0.0f, 1.0f, -2.0f, 0.5f, 65504.0f}) values.push_back(half_t(x));
  for (int bits : {0x7c00, 0xfc00, 0x7e00, 1}) values.push_back(half_t::Binary(uint16_t(bits)));
  CheckReal(values, 0x1p-10);
}

/// Remainders with quotients up to 2^277, which take every step of the reduction.
TEST(Binary, ModIsExactForAnyQuotient) {
  std::vector<float> values;
  uint32_t state = 1;
  for (int i = 0; i < 300; ++i) {
    state = state * 1664525u + 1013904223u;
    const float fraction = 1 + float(state >> 9) * 0x1p-23f;
    values.push_back(std::ldexp(i % 3 == 0 ? -fraction : fraction, i % 277 - 149));
  }
  std::vector<float> a, b;
  op_test::Pairs(values, &a, &b);
  using T = float;
  MSHADOW_CHECK(mod, 0, FloorMod(x, y));
}

template <typename T>
void CheckInteger() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0), T(1), T(2), T(3), T(5), T(7), T(10), T(100), Limits::max(),
                           T(Limits::max() - 1), T(Limits::max() / 2), Limits::min()};
  if (std::is_signed<T>::value) {
    for (int i : {-1, -2, -3, -7, -10, -100}) values.push_back(T(i));
    values.push_back(T(Limits::min() + 1));
  }
  std::vector<T> a, b;
  op_test::Pairs(values, &a, &b);
  CheckChoices(a, b);
  // Integers have no negative zero; the one quotient that does not fit wraps.
  MSHADOW_CHECK(div, 0, y == 0 ? 0 : x == double(Limits::min()) && y == -1 && x < 0
                                         ? x : std::trunc(x / y) + 0.0);
  MSHADOW_CHECK(mod, 0, y == 0 ? 0 : FloorMod(x, y) == 0 ? 0 : FloorMod(x, y));
  for (T& value : a) value = T(value % 8);
  for (T& value : b) value = T(value % 8);
  MSHADOW_CHECK(plus, 0, x + y < 0 && std::is_unsigned<T>::value ? 0 : x + y);
  MSHADOW_CHECK(mul, 0, x * y + 0.0);
}

TEST(Binary, Integers) {
  CheckInteger<uint8_t>();
  CheckInteger<int8_t>();
  CheckInteger<int16_t>();
  CheckInteger<int32_t>();
}

TEST(Binary, Int64) {
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t large = (int64_t{1} << 62) + 1;
  EXPECT_EQ(op::div::Map(large, int64_t{3}), large / 3);
  volatile int64_t minus_one = -1, zero = 0;  // so that the processor divides
  EXPECT_EQ(op::div::Map(lowest, int64_t{minus_one}), lowest);
  EXPECT_EQ(op::div::Map(large, int64_t{zero}), 0);
  EXPECT_EQ(op::mod::Map(large, int64_t{zero}), 0);
  EXPECT_EQ(op::mod::Map(-large, int64_t{10}), 10 - large % 10);
  EXPECT_EQ(op::mod::Map(lowest, int64_t{minus_one}), 0);
  EXPECT_EQ(op::max::Map(large, large - 1), large);
}

TEST(Binary, IntegerPowersAreExact) {
  EXPECT_EQ(op::pow::Map(int64_t{3}, int64_t{20}), 3486784401);
  EXPECT_EQ(op::pow::Map(int64_t{3}, int64_t{39}), 4052555153018976267);
  EXPECT_EQ(op::pow::Map(int64_t{-7}, int64_t{21}), -558545864083284007);
  EXPECT_EQ(op::pow::Map(uint64_t{2}, uint64_t{63}), uint64_t{1} << 63);
  EXPECT_EQ(op::pow::Map(2, 31), std::numeric_limits<int>::min()) << "wraps";
  EXPECT_EQ(op::pow::Map(0, 0), 1);
  EXPECT_EQ(op::pow::Map(5, -1), 0);
  EXPECT_EQ(op::pow::Map(0, -1), 0);
  EXPECT_EQ(op::pow::Map(1, -7), 1);
  EXPECT_EQ(op::pow::Map(-1, -7), -1);
  EXPECT_EQ(op::pow::Map(-1, -8), 1);
  EXPECT_EQ(op::pow::Map(1, std::numeric_limits<int>::min()), 1);
  EXPECT_EQ(op::pow::Map(int8_t{3}, int8_t{5}), static_cast<int8_t>(243)) << "wraps";
  EXPECT_EQ(op::pow::Map(uint8_t{15}, uint8_t{2}), 225);
  EXPECT_EQ(op::pow::Map(uint16_t{65535}, uint16_t{2}), 1) << "wraps";
}

template <typename T>
void ExpectWraps() {
  constexpr T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  volatile T low = lowest, high = highest, minus_one = static_cast<T>(-1), one = 1;
  EXPECT_EQ(op::plus::Map<T>(high, one), lowest);
  EXPECT_EQ(op::plus::Map<T>(low, minus_one), highest);
  EXPECT_EQ(op::minus::Map<T>(low, one), highest);
  EXPECT_EQ(op::mul::Map<T>(high, high), T(1));
  EXPECT_EQ(op::mul::Map<T>(low, minus_one), lowest);
}

/// The sanitizer of undefined behaviour looks at these.
TEST(Binary, IntegersWrap) {
  ExpectWraps<int8_t>();
  ExpectWraps<int16_t>();
  ExpectWraps<int32_t>();
  ExpectWraps<int64_t>();
  EXPECT_EQ(op::mul::Map(uint16_t{65535}, uint16_t{65535}), 1) << "int would overflow";
}

/// Ops called by value from other code, as Plans do.
TEST(Binary, DeducesTheType) {
  EXPECT_EQ(op::min::Map(3, -4), -4);
  EXPECT_EQ(op::max::Map(uint8_t{3}, uint8_t{200}), 200);
  static_assert(std::is_same<decltype(op::plus::Map(int8_t{1}, int8_t{2})), int8_t>::value,
                "an op returns the type of its arguments");
}

}  // namespace
