// SPDX-License-Identifier: Apache-2.0
#include "mshadow/op/unary.h"

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


/// Exact ops: the same in every type that holds the values.
template <typename T>
void CheckExact(const std::vector<T>& a) {
#define MSHADOW_CHECK(name, ...) \
  Check<T>(#name, RunOf<op::name, 1, T>(), [](double x, double, double) -> double { \
    return __VA_ARGS__; }, a, {}, {}, 0)
  MSHADOW_CHECK(identity, x);
  MSHADOW_CHECK(negate, -x);
  MSHADOW_CHECK(abs, std::fabs(x));
  MSHADOW_CHECK(sign, x > 0 ? 1 : x < 0 ? -1 : x);
  MSHADOW_CHECK(logical_not, x == 0);
  MSHADOW_CHECK(is_nan, std::isnan(x));
  MSHADOW_CHECK(is_inf, std::isinf(x));
  MSHADOW_CHECK(is_finite, std::isfinite(x));
  MSHADOW_CHECK(relu, x > 0 || x != x ? x : 0);
  MSHADOW_CHECK(floor, std::floor(x));
  MSHADOW_CHECK(ceil, std::ceil(x));
  MSHADOW_CHECK(round, std::nearbyint(x));
  MSHADOW_CHECK(trunc, std::trunc(x));
  MSHADOW_CHECK(reciprocal, 1 / x);
  MSHADOW_CHECK(sqrt, std::sqrt(x));
#undef MSHADOW_CHECK
}

template <typename T>
std::vector<T> Dense() {
  std::vector<T> a = op_test::Specials<T>();
  for (int i = -4000; i <= 4000; ++i) a.push_back(T(i) / T(16));
  return a;
}

TEST(Unary, FloatIsExact) { CheckExact(Dense<float>()); }
TEST(Unary, DoubleIsExact) { CheckExact(Dense<double>()); }

TEST(Unary, EveryHalf) {
  std::vector<half_t> a;
  for (int bits = 0; bits < 65536; ++bits) a.push_back(half_t::Binary(uint16_t(bits)));
  CheckExact(a);
  const auto run = RunOf<op::rsqrt, 1, half_t>();
  Check<half_t>("rsqrt", run, [](double x, double, double) { return 1 / std::sqrt(x); }, a, {}, {},
                0x1p-10);
}

/// Expected results come without a sign of zero.
template <typename T>
void CheckInteger() {
  std::vector<T> a = {std::numeric_limits<T>::max()};
  for (int i = std::is_signed<T>::value ? -100 : 0; i <= 100; ++i) a.push_back(T(i));
#define MSHADOW_CHECK(name, ...) \
  Check<T>(#name, RunOf<op::name, 1, T>(), [](double x, double, double) -> double { \
    return __VA_ARGS__; }, a, {}, {}, 0)
  MSHADOW_CHECK(identity, x);
  MSHADOW_CHECK(abs, std::fabs(x));
  MSHADOW_CHECK(sign, x > 0 ? 1 : x < 0 ? -1 : 0);
  MSHADOW_CHECK(logical_not, x == 0);
  MSHADOW_CHECK(relu, x > 0 ? x : 0);
  MSHADOW_CHECK(floor, x);
  MSHADOW_CHECK(ceil, x);
  MSHADOW_CHECK(round, x);
  MSHADOW_CHECK(trunc, x);
  // A NaN becomes 0, an infinity the largest value.
  MSHADOW_CHECK(sqrt, x < 0 ? 0 : std::trunc(std::sqrt(x)));
  MSHADOW_CHECK(reciprocal, x == 0 ? double(std::numeric_limits<T>::max()) : std::trunc(1 / x));
#undef MSHADOW_CHECK
  if constexpr (std::is_signed<T>::value) {
    Check<T>("negate", RunOf<op::negate, 1, T>(), [](double x, double, double) { return 0 - x; }, a,
             {}, {}, 0);
  }
}

TEST(Unary, Integers) {
  CheckInteger<uint8_t>();
  CheckInteger<int8_t>();
  CheckInteger<int16_t>();
  CheckInteger<int32_t>();
}

TEST(Unary, LargeIntegersKeepEveryDigit) {
  constexpr int64_t large = (int64_t{1} << 62) + 1;
  EXPECT_EQ(op::floor::Map(large), large);
  EXPECT_EQ(op::round::Map(large), large);
  EXPECT_EQ(op::abs::Map(-large), large);
  EXPECT_EQ(op::negate::Map(large), -large);
  EXPECT_EQ(op::relu::Map(large), large);
}

TEST(Unary, SquareAndRoots) {
  const std::vector<double> a = Dense<double>();
  const std::vector<float> b = Dense<float>();
  const auto square = [](double x, double, double) { return x * x; };
  Check<float>("square", RunOf<op::square, 1, float>(), square, b, {}, {}, 0);
  Check<double>("square", RunOf<op::square, 1, double>(), square, a, {}, {}, 0);
  const auto rsqrt = [](double x, double, double) { return 1 / std::sqrt(x); };
  Check<float>("rsqrt", RunOf<op::rsqrt, 1, float>(), rsqrt, b, {}, {}, 0x1p-22);
  Check<double>("rsqrt", RunOf<op::rsqrt, 1, double>(), rsqrt, a, {}, {}, 0x1p-51);
  const auto cbrt = [](double x, double, double) { return std::cbrt(x); };
  Check<float>("cbrt", RunOf<op::cbrt, 1, float>(), cbrt, b, {}, {}, 0x1p-21);
  Check<double>("cbrt", RunOf<op::cbrt, 1, double>(), cbrt, a, {}, {}, 0x1p-50);
}

template <typename T>
void ExpectWraps() {
  volatile T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  EXPECT_EQ(op::negate::Map<T>(low), std::numeric_limits<T>::min());
  EXPECT_EQ(op::abs::Map<T>(low), std::numeric_limits<T>::min());
  EXPECT_EQ(op::square::Map<T>(high), T(1));
}

TEST(Unary, IntegersWrap) {
  ExpectWraps<int8_t>();
  ExpectWraps<int16_t>();
  ExpectWraps<int32_t>();
  ExpectWraps<int64_t>();
  EXPECT_EQ(op::square::Map(uint16_t{65535}), 1) << "int would overflow";
}

}  // namespace
