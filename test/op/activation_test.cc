// SPDX-License-Identifier: Apache-2.0
#include "mshadow/op/activation.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernel.h"
#include "mshadow/core/half.h"
#include "mshadow/op/elementary.h"

namespace {

using mshadow::half::half_t;
namespace op = mshadow::op;
using op_test::Check;
using op_test::RunOf;

// In long double, which has the range for both tails.
double Sigmoid(double x, double, double) { return double(1 / (1 + std::exp(-(long double)x))); }
double Softplus(double x, double, double) {
  return double((x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs((long double)x))));
}
double Silu(double x, double, double) {
  return std::isinf(x) && x < 0 ? -0.0 : double(x / (1 + std::exp(-(long double)x)));
}
double Gelu(double x, double, double) {
  const long double t = -x * 0.70710678118654752440L;
  return std::isinf(x) && x < 0 ? -0.0 : double(x / 2 * std::erfc(t));
}

template <typename T>
void CheckAll(const std::vector<T>& a, double relative) {
  Check<T>("sigmoid", RunOf<op::sigmoid, 1, T>(), Sigmoid, a, {}, {}, relative);
  Check<T>("softplus", RunOf<op::softplus, 1, T>(), Softplus, a, {}, {}, relative);
  Check<T>("silu", RunOf<op::silu, 1, T>(), Silu, a, {}, {}, relative);
  Check<T>("gelu", RunOf<op::gelu, 1, T>(), Gelu, a, {}, {}, relative);
}

template <typename T>
std::vector<T> Dense() {
  std::vector<T> a = op_test::Specials<T>();
  // The lower tails end in subnormal numbers at -104 (float) and -746 (double): see test/ulp.
  for (int i = -2000; i <= 2000; ++i) a.push_back(T(i) / T(160));
  return a;
}

TEST(Activation, Float) { CheckAll(Dense<float>(), 0x1p-21); }
TEST(Activation, Double) { CheckAll(Dense<double>(), 0x1p-50); }

TEST(Activation, EveryHalf) {
  std::vector<half_t> a;
  for (int bits = 0; bits < 65536; ++bits) a.push_back(half_t::Binary(uint16_t(bits)));
  CheckAll(a, 0x1p-10);
}

// Integers at or below 0 are multiplied by the slope; positive ones stay as they are.
TEST(Activation, LeakyReluOfIntegers) {
  const int slope = 3;
  for (int a : {-1000000000, -7, -1, 0, 1, 7, 1000000000}) {
    const long long below = a == -1000000000 ? -3000000000LL : 3LL * a;
    EXPECT_EQ(op::leaky_relu::Map(a, slope), a > 0 ? a : static_cast<int>(below)) << a;
    EXPECT_EQ(op::leaky_relu::Map(a), a > 0 ? a : a / 100) << a;
  }
}

/// What has an exact value has just that.
TEST(Activation, ExactAtZero) {
  EXPECT_EQ(op::exp::Map(0.0f), 1.0f);
  EXPECT_EQ(op::exp::Map(-0.0), 1.0);
  EXPECT_EQ(op::sigmoid::Map(0.0f), 0.5f);
  EXPECT_EQ(op::sigmoid::Map(-0.0), 0.5);
  EXPECT_EQ(op::tanh::Map(0.0f), 0.0f);
  EXPECT_EQ(op::gelu::Map(0.0f), 0.0f);
  EXPECT_EQ(op::silu::Map(0.0), 0.0);
}

/// Where e^x alone is subnormal or 0, x e^x is not yet.
TEST(Activation, LowerTails) {
  EXPECT_NEAR(op::silu::Map(-90.0f) / (-90.0 * std::exp(-90.0)), 1.0, 0x1p-20);
  EXPECT_NEAR(op::silu::Map(-712.0) / (-712.0L * std::exp(-712.0L)), 1.0, 0x1p-50);
  EXPECT_NEAR(op::gelu::Map(-13.0f) / Gelu(-13.0, 0, 0), 1.0, 0x1p-20);
  EXPECT_GT(op::sigmoid::Map(-103.0f), 0.0f);
}

TEST(Activation, HardSwish) {
  const auto hard_swish = [](double x, double, double) {
    return x < -3 ? 0.0 : x > 3 ? x : x * (x + 3) / 6;
  };
  Check<float>("hardswish", RunOf<op::hardswish, 1, float>(), hard_swish, Dense<float>(), {}, {},
               0x1p-22);
  Check<double>("hardswish", RunOf<op::hardswish, 1, double>(), hard_swish, Dense<double>(), {}, {},
                0x1p-51);
  EXPECT_EQ(float(op::hardswish::Map(half_t(1.5f))), 1.125f);
  EXPECT_EQ(op::hardswish::Map(int32_t{2}), 1);  // 10 / 6
  EXPECT_EQ(op::hardswish::Map(int32_t{-250}), 0);
}

TEST(Activation, LeakyRelu) {
  const std::vector<float> a = op_test::Specials<float>();
  const std::vector<float> slope(a.size(), 0.25f);
  Check<float>("leaky_relu", RunOf<op::leaky_relu, 1, float>(),
               [](double x, double, double) { return x > 0 ? x : x * 0.01f; }, a, {}, {}, 0x1p-23);
  Check<float>("leaky_relu", RunOf<op::leaky_relu, 2, float>(),
               [](double x, double s, double) { return x > 0 ? x : x * s; }, a, slope, {}, 0);
  EXPECT_EQ(float(op::leaky_relu::Map(half_t(-8.0f), half_t(0.5f))), -4.0f);
  EXPECT_EQ(op::leaky_relu::Map(int32_t{-250}), -2);
}

// Of small integers both are exact: every coefficient must have its power.
template <typename... Cs>
void CheckPolynomials(double x, Cs... cs) {
  double want = 0, power = 1;
  for (const double c : {cs...}) {
    want += c * power;
    power *= x;
  }
  EXPECT_EQ(op::math::Polynomial(x, cs...), want) << sizeof...(cs);
  EXPECT_EQ(op::math::Estrin(x, cs...), want) << sizeof...(cs);
  if constexpr (sizeof...(cs) < 24) CheckPolynomials(x, cs..., double(sizeof...(cs)) - 7);
}

TEST(Math, Polynomials) {
  for (const double x : {-3.0, -1.0, 0.0, 2.0}) CheckPolynomials(x, 5.0, -3.0);
}

}  // namespace
