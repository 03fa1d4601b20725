// SPDX-License-Identifier: Apache-2.0
#include <mshadow/core/scalar_value.h>

#include <limits>
#include <string>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using expr::detail::ExactScalar;
using mshadow::testing::ErrorOf;
using mshadow::testing::Guarded;

std::string Message(const std::string& type, const std::string& scalar) {
  return "mshadow: no element of type " + type + " equals the scalar " + scalar +
         "; convert the expression with tcast<T>(expression), or the scalar with a cast";
}

TEST(ScalarValue, WhatATypeHolds) {
  EXPECT_EQ(ExactScalar<int>(2.0), 2);
  EXPECT_EQ(ExactScalar<uint8_t>(255.0f), 255);
  EXPECT_EQ(ExactScalar<int8_t>(-128), -128);
  EXPECT_EQ(ExactScalar<int64_t>(-0x1p63), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ExactScalar<uint64_t>(std::numeric_limits<uint64_t>::max()), ~uint64_t{0});
  EXPECT_EQ(ExactScalar<uint64_t>(int64_t{5}), 5u);
  EXPECT_EQ(ExactScalar<bool>(1.0), true);
  EXPECT_EQ(ExactScalar<int>(half::half_t(3.0f)), 3);
  EXPECT_EQ(ExactScalar<float>(0.1), 0.1f);
  EXPECT_EQ(static_cast<float>(ExactScalar<half::half_t>(0.5)), 0.5f);
}

TEST(ScalarValue, WhatATypeDoesNotHold) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ErrorOf([] { ExactScalar<int>(0.5f); }), Message("int32_t", "0.5"));
  EXPECT_EQ(ErrorOf([] { ExactScalar<int>(0.1f); }), Message("int32_t", "0.1"));
  EXPECT_EQ(ErrorOf([] { ExactScalar<uint8_t>(300); }), Message("uint8_t", "300"));
  EXPECT_EQ(ErrorOf([] { ExactScalar<uint8_t>(-1); }), Message("uint8_t", "-1"));
  EXPECT_EQ(ErrorOf([] { ExactScalar<int>(0x1p31); }), Message("int32_t", "2147483648"));
  EXPECT_EQ(ErrorOf([] { ExactScalar<int64_t>(1e30f); }), Message("int64_t", "1e+30"));
  EXPECT_EQ(ErrorOf([&] { ExactScalar<int16_t>(nan); }), Message("int16_t", "nan"));
  EXPECT_EQ(ErrorOf([] { ExactScalar<bool>(2); }), Message("bool", "2"));
  EXPECT_THROW(ExactScalar<int64_t>(0x1p63), Error);
  EXPECT_THROW(ExactScalar<int64_t>(uint64_t{1} << 63), Error);
  EXPECT_THROW(ExactScalar<uint64_t>(int64_t{-1}), Error);
  EXPECT_THROW(ExactScalar<int>(half::half_t(0.25f)), Error);
}

/// f(t) on a tensor of fives throws, and leaves it as it is.
template <typename DType, typename F>
void Refuses(const F& f) {
  Guarded<2, DType> t(Shape2(2, 3), 1);
  *t = 5;
  EXPECT_THROW(f(*t), Error);
  for (std::size_t i = 0; i < t.Size(); ++i) EXPECT_EQ(t.At(i), DType(5));
}

TEST(ScalarValue, Operators) {
  Refuses<int>([](auto& t) { t = t * 0.5f; });
  Refuses<int>([](auto& t) { t = 0.5 * t; });
  Refuses<int>([](auto& t) { t = t + 0.5; });
  Refuses<int>([](auto& t) { t = t - 1e10; });
  Refuses<int>([](auto& t) { t = t / 2.5f; });
  Refuses<uint8_t>([](auto& t) { t = t + 300; });
  Refuses<uint8_t>([](auto& t) { t = t - (-1); });
  Refuses<uint32_t>([](auto& t) { t = t * -1; });
  Refuses<int8_t>([](auto& t) { t = t * 255; });
  Refuses<int>([](auto& t) { t = F<op::plus>(t, scalar(0.5f)); });
  Refuses<int>([](auto& t) { t = F<op::pow>(t, 0.5); });
  Guarded<1, uint8_t> u(Shape1(2));
  *u = 9;
  *u = *u / 2.0;
  EXPECT_EQ(u.At(1), 4);
  *u = *u * 3 + 255.0f;
  EXPECT_EQ(u.At(1), 11);
}

TEST(ScalarValue, Assignments) {
  Refuses<int>([](auto& t) { t *= 0.5f; });
  Refuses<int>([](auto& t) { t += 0.5; });
  Refuses<uint8_t>([](auto& t) { t -= 300; });
  Refuses<uint8_t>([](auto& t) { t /= -1; });
  Refuses<int>([](auto& t) { t = 0.5f; });
  Refuses<uint16_t>([](auto& t) { t = -1; });
  Refuses<int>([](auto& t) { slice<1>(t, 0, 2) = 0.5f; });
  Refuses<int>([](auto& t) { slice<1>(t, 0, 2) *= 0.5f; });
  Refuses<int>([](auto& t) { flip(t, 0) = 0.5f; });
  Refuses<int>([](auto& t) { concat<1>(t, t) = 0.5f; });
  TensorContainer<cpu, 1, int> c(Shape1(3), 5);
  EXPECT_THROW(c = 0.5f, Error);
  EXPECT_THROW(c *= 0.5f, Error);
  c = 7.0;
  c *= 2.0f;
  c += uint8_t(1);
  EXPECT_EQ(c[2], 15);
  TensorContainer<cpu, 1, uint8_t> d(Shape1(3), 5);
  d = 0;
  d += 255;
  EXPECT_EQ(d[2], 255);
  TensorContainer<cpu, 1> f(Shape1(3), 5.0f);
  f = 1;
  f *= 0.5;
  EXPECT_EQ(f[2], 0.5f);
}

TEST(ScalarValue, FactorsOfProductsAndSums) {
  TensorContainer<cpu, 2, int> a(Shape2(2, 2), 3), c(Shape2(2, 2), 5);
  TensorContainer<cpu, 1, int> sum(Shape1(2), 5);
  EXPECT_THROW((c = 0.5f * dot(a, a)), Error);
  EXPECT_THROW((sum = sum_rows(a) * 0.5), Error);
  EXPECT_EQ(c[0][0], 5);
  EXPECT_EQ(sum[0], 5);
  c = 2.0 * dot(a, a);
  EXPECT_EQ(c[1][1], 36);
}

}  // namespace
}  // namespace mshadow
