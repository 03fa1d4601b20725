// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/functions.h>

#include <mshadow/core/bfloat.h>
#include <mshadow/core/half.h>

#include <cmath>
#include <limits>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;
using mshadow::testing::TestDevice;

/// Element i of a vector expression, without the loops of a statement.
template <typename E>
double Element(const E& e, index_t i) {
  return static_cast<double>(MakePlan(e).Eval(0, i));
}

template <typename DType>
double Tolerance() {
  return std::is_same_v<DType, double> ? 1e-13 : std::is_same_v<DType, float> ? 2e-6 : 2e-3;
}

/// f of 0.05 + low, ... beside `reference`, and of the integers from low to high beside OP::Map.
template <typename OP, typename F, typename Reference>
void CheckFunction(const char* name, double low, double high, const F& f,
                   const Reference& reference) {
  SCOPED_TRACE(name);
  const auto check = [&](auto zero) {
    using DType = decltype(zero);
    DType values[9];
    for (int i = 0; i < 9; ++i) {
      const float value = static_cast<float>(low + (high - low) * (i + 0.3) / 9);
      values[i] = static_cast<DType>(std::is_unsigned_v<DType> ? std::fabs(value) : value);
    }
    const Tensor<TestDevice, 1, DType> x(values, Shape1(9));
    for (index_t i = 0; i < 9; ++i) {
      const double a = static_cast<double>(values[i]);
      if constexpr (std::is_integral_v<DType>) {
        ASSERT_EQ(Element(f(x), i), static_cast<double>(OP::Map(values[i]))) << a;
      } else {
        const double expected = reference(a);
        const double bound = Tolerance<DType>() * (1 + std::fabs(expected));
        ASSERT_NEAR(Element(f(x), i), expected, bound) << a;
      }
    }
  };
  check(0.0f);
  check(0.0);
  check(half::half_t(0.0f));
  check(int32_t(0));
  check(uint8_t(0));
}

#define CHECK_FUNCTION(name, low, high, reference)             \
  CheckFunction<op::name>(                                     \
      #name, low, high, [](const auto& x) { return name(x); }, \
      []([[maybe_unused]] double a) -> double { return reference; })

TEST(Functions, OfOneOperandAgreeWithDoubles) {
  CHECK_FUNCTION(abs, -5, 5, std::fabs(a));
  CHECK_FUNCTION(sign, -5, 5, a < 0 ? -1 : 1);
  CHECK_FUNCTION(square, -5, 5, a * a);
  CHECK_FUNCTION(sqrt, 0, 9, std::sqrt(a));
  CHECK_FUNCTION(rsqrt, 1, 9, 1 / std::sqrt(a));
  CHECK_FUNCTION(cbrt, -9, 9, std::cbrt(a));
  CHECK_FUNCTION(reciprocal, 1, 9, 1 / a);
  CHECK_FUNCTION(floor, -5, 5, std::floor(a));
  CHECK_FUNCTION(ceil, -5, 5, std::ceil(a));
  CHECK_FUNCTION(round, -5, 5, std::nearbyint(a));
  CHECK_FUNCTION(trunc, -5, 5, std::trunc(a));
  CHECK_FUNCTION(exp, -3, 3, std::exp(a));
  CHECK_FUNCTION(exp2, -3, 3, std::exp2(a));
  CHECK_FUNCTION(expm1, -3, 3, std::expm1(a));
  CHECK_FUNCTION(log, 0, 9, std::log(a));
  CHECK_FUNCTION(log2, 0, 9, std::log2(a));
  CHECK_FUNCTION(log10, 0, 9, std::log10(a));
  CHECK_FUNCTION(log1p, -0.5, 9, std::log1p(a));
  CHECK_FUNCTION(sin, -5, 5, std::sin(a));
  CHECK_FUNCTION(cos, -5, 5, std::cos(a));
  CHECK_FUNCTION(tan, -1, 1, std::tan(a));
  CHECK_FUNCTION(asin, -0.9, 0.9, std::asin(a));
  CHECK_FUNCTION(acos, -0.9, 0.9, std::acos(a));
  CHECK_FUNCTION(atan, -5, 5, std::atan(a));
  CHECK_FUNCTION(sinh, -3, 3, std::sinh(a));
  CHECK_FUNCTION(cosh, -3, 3, std::cosh(a));
  CHECK_FUNCTION(tanh, -3, 3, std::tanh(a));
  CHECK_FUNCTION(asinh, -3, 3, std::asinh(a));
  CHECK_FUNCTION(acosh, 1, 9, std::acosh(a));
  CHECK_FUNCTION(atanh, -0.9, 0.9, std::atanh(a));
  CHECK_FUNCTION(erf, -3, 3, std::erf(a));
  CHECK_FUNCTION(erfc, -3, 3, std::erfc(a));
  CHECK_FUNCTION(sigmoid, -5, 5, 1 / (1 + std::exp(-a)));
  CHECK_FUNCTION(softplus, -5, 5, std::log1p(std::exp(a)));
  CHECK_FUNCTION(silu, -5, 5, a / (1 + std::exp(-a)));
  CHECK_FUNCTION(gelu, -5, 5, a * (1 + std::erf(a / std::sqrt(2.0))) / 2);
  CHECK_FUNCTION(relu, -5, 5, a > 0 ? a : 0);
  CHECK_FUNCTION(hardswish, -5, 5, a * std::fmin(std::fmax(a + 3, 0), 6) / 6);
  CHECK_FUNCTION(leaky_relu, -5, 5, a > 0 ? a : 0.01 * a);
}
#undef CHECK_FUNCTION

template <typename DType>
class FunctionsOfTwo : public ::testing::Test {};
using TwoDTypes = ::testing::Types<float, double, half::half_t, int32_t, int64_t, uint8_t>;
TYPED_TEST_SUITE(FunctionsOfTwo, TwoDTypes);

TYPED_TEST(FunctionsOfTwo, AgreeWithDoubles) {
  using DType = TypeParam;
  DType a_values[5], b_values[5];
  for (int i = 0; i < 5; ++i) {
    a_values[i] = static_cast<DType>(i);
    b_values[i] = static_cast<DType>(4 - i);
  }
  const Tensor<TestDevice, 1, DType> x(a_values, Shape1(5)), y(b_values, Shape1(5));
  const auto near = [](double value, double expected, index_t i) {
    // The result of an integer function is truncated.
    const double e = std::is_integral_v<DType> ? std::trunc(expected) : expected;
    EXPECT_NEAR(value, e, Tolerance<DType>() * (1 + std::fabs(e))) << i;
  };
  for (index_t i = 0; i < 5; ++i) {
    const double a = static_cast<double>(i), b = 4 - a;
    near(Element(pow(x, y), i), std::pow(a, b), i);
    near(Element(pow(x, 2), i), a * a, i);
    near(Element(pow(2.0, x), i), std::exp2(a), i);
    near(Element(atan2(x, y), i), std::atan2(a, b), i);
    near(Element(atan2(x, 2), i), std::atan2(a, 2), i);
    near(Element(atan2(1, x), i), std::atan2(1, a), i);
    near(Element(maximum(x, y), i), std::fmax(a, b), i);
    near(Element(maximum(2, x), i), std::fmax(a, 2), i);
    near(Element(minimum(x, y), i), std::fmin(a, b), i);
    near(Element(minimum(x, 2.0), i), std::fmin(a, 2), i);
    if constexpr (!std::is_unsigned_v<DType>) {
      near(Element(leaky_relu(x - 2, 3), i), a < 2 ? 3 * (a - 2) : a - 2, i);
    }
    near(Element(logical_xor(x, y), i), (a != 0) != (b != 0), i);
    near(Element(logical_xor(x, true), i), a == 0, i);
    near(Element(x % 3, i), std::fmod(a, 3), i);
  }
}

/// Every kind of operand, and a whole statement.
TEST(Functions, TakeExpressionsOfEveryKind) {
  Guarded<2> a(Shape2(3, 17), 2, 1), out(Shape2(3, 17));
  a.FillRandom(-2, 2);
  Guarded<2> b(Shape2(17, 3));
  b.FillRandom(-2, 2, 5);
  *out = exp(*a) + tanh((*b).T()) * abs(*a - 1) + sqrt(ScalarExp<float>(4.0f) + 0 * *a);
  for (index_t y = 0; y < 3; ++y) {
    for (index_t x = 0; x < 17; ++x) {
      const double v = a.At(y * 17 + x), w = b.At(x * 3 + y);
      EXPECT_NEAR(out.At(y * 17 + x), std::exp(v) + std::tanh(w) * std::fabs(v - 1) + 2, 1e-5);
    }
  }
  EXPECT_TRUE(out.Intact());
  TensorContainer<TestDevice, 1> container(Shape1(2), -1.5f);
  EXPECT_EQ(Element(relu(container) + abs(container), 1), 1.5);
}

/// isnan, isinf and isfinite of tensors and expressions, beside those of numbers.
template <typename DType>
void CheckClassification() {
  using Limits = std::numeric_limits<DType>;
  const bool is_float = Limits::has_infinity;
  const DType nan = is_float ? Limits::quiet_NaN() : DType(2);
  const DType infinity = is_float ? Limits::infinity() : DType(3);
  DType values[7] = {nan, DType(0), infinity, DType(1), DType(infinity * DType(-1)),
                     Limits::max(), Limits::lowest()};
  const Tensor<TestDevice, 1, DType> x(values, Shape1(7));
  for (index_t i = 0; i < 7; ++i) {
    EXPECT_EQ(Element(isnan(x), i), is_float && i == 0) << i;
    EXPECT_EQ(Element(isinf(x * 1), i), is_float && (i == 2 || i == 4)) << i;
    EXPECT_EQ(Element(isfinite(x), i), !(is_float && (i < 1 || i == 2 || i == 4))) << i;
    EXPECT_EQ(Element(!isnan(x), i), !(is_float && i == 0)) << i;
    EXPECT_EQ(Element(isnan(x) || isinf(x), i), 1 - Element(isfinite(x), i)) << i;
    EXPECT_EQ(mshadow::isnan(values[i]), is_float && i == 0) << i;
    EXPECT_EQ(mshadow::isinf(values[i]), is_float && (i == 2 || i == 4)) << i;
  }
}

TEST(Functions, ClassifyNumbersElementByElement) {
  CheckClassification<float>();
  CheckClassification<double>();
  CheckClassification<half::half_t>();
  CheckClassification<bfloat::bf16_t>();
  CheckClassification<int32_t>();
  CheckClassification<uint8_t>();
  Guarded<2> q(Shape2(3, 17), 2, 1), r(Shape2(3, 17));
  *q = 1.0f;
  q.At(20) = NAN;
  q.At(40) = -HUGE_VALF;
  ForEachIsa([&] {
    *r = isnan(*q) + 2.0f * isinf(*q) + 4.0f * isfinite(*q);
    for (index_t i = 0; i < 51; ++i) EXPECT_EQ(r.At(i), i == 20 ? 1 : i == 40 ? 2 : 4) << i;
  });
  EXPECT_EQ(sum(isnan(*q)), 1);
}

}  // namespace

// A user's own functions are better matches than the library's.
namespace users {
struct Marked {};
template <typename E, typename DType, int etype>
Marked relu(const expr::Exp<E, DType, etype>&) {
  return {};
}
template <typename T>
Marked sigmoid(const T&) {
  return {};
}
template <typename A, typename B, typename DType, int ta, int tb>
Marked pow(const expr::Exp<A, DType, ta>&, const expr::Exp<B, DType, tb>&) {
  return {};
}
template <typename Device, int dim, typename DType>
bool operator==(const Tensor<Device, dim, DType>&, const Tensor<Device, dim, DType>&) {
  return true;
}

TEST(Functions, OfTheUserComeFirst) {
  const Tensor<testing::TestDevice, 1> x;
  static_assert(std::is_same_v<decltype(relu(x)), Marked>);
  static_assert(std::is_same_v<decltype(relu(x + 1)), Marked>);
  static_assert(std::is_same_v<decltype(sigmoid(x * x)), Marked>);
  static_assert(std::is_same_v<decltype(pow(x, x + 1)), Marked>);
  EXPECT_TRUE(x == x);
}
}  // namespace users
}  // namespace mshadow
