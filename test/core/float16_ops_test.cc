// SPDX-License-Identifier: Apache-2.0
// The members, operators and limits that storage floats share, of one that the library lacks.
#include "mshadow/core/float16_ops.h"

#include <gtest/gtest.h>
#include <mshadow/core/half.h>
#include <mshadow/op/binary.h>
#include <mshadow/op/elementary.h>
#include <mshadow/op/math/convert.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace tiny {

/// E5M2, the upper half of a half_t, rounded towards 0.
float BitsToFloat(uint8_t bits) {
  return mshadow::half::BitsToFloat(static_cast<uint16_t>(bits << 8));
}
uint8_t FloatToBits(float value) {
  const uint16_t bits = mshadow::half::FloatToBits(value);
  return static_cast<uint8_t>(std::isnan(value) ? 0x7e | bits >> 8 : bits >> 8);
}

class fp8_t : public mshadow::float16::Tag {
 public:
  uint8_t bits_;
  template <typename T>
  using Mixed = std::conditional_t<std::is_floating_point_v<T>, T, float>;
  MSHADOW_FLOAT16_MEMBERS_(fp8_t, uint8_t, bits_)
};

}  // namespace tiny

template <>
class std::numeric_limits<tiny::fp8_t> : public mshadow::float16::Limits<tiny::fp8_t, 3, 8> {};

namespace {

using namespace mshadow;
using tiny::fp8_t;

TEST(Float16Ops, EveryNumberComesBack) {
  static_assert(std::is_trivially_copyable_v<fp8_t> && sizeof(fp8_t) == 1, "a storage type");
  for (int bits = 0; bits < 256; ++bits) {
    const fp8_t a = fp8_t::Binary(static_cast<uint8_t>(bits));
    if (a != a) continue;
    EXPECT_EQ(fp8_t(float(a)).bits_, bits);
    EXPECT_EQ(float(-a), -float(a));
    EXPECT_EQ(float(+a), float(a));
  }
}

TEST(Float16Ops, ArithmeticAndConversions) {
  const fp8_t a(1.5f), b(2);
  static_assert(std::is_same_v<decltype(a + b), fp8_t> && std::is_same_v<decltype(a + 1), float> &&
                    std::is_same_v<decltype(a * 1.0), double>,
                "with its own kind it stays, else it is what Mixed says");
  EXPECT_EQ(float(a * b), 3.0f);
  EXPECT_TRUE(a < b && b >= a && a == 1.5f);
  fp8_t c = a;
  c += b;
  EXPECT_EQ(float(c), 3.5f);
  c = int64_t{6};
  EXPECT_EQ(float(c), 6.0f);
  volatile fp8_t d = a;
  d = 4;
  EXPECT_EQ(float(d), 4.0f);
  EXPECT_EQ(float(op::plus::Map(a, b)), 3.5f);
  EXPECT_EQ(float(op::exp::Map(fp8_t(0.0f))), 1.0f);
}

TEST(Float16Ops, Limits) {
  using Limits = std::numeric_limits<fp8_t>;
  EXPECT_EQ(float((Limits::max)()), 57344.0f);
  EXPECT_EQ(float(Limits::lowest()), -57344.0f);
  EXPECT_EQ(float((Limits::min)()), 0x1p-14f);
  EXPECT_EQ(float(Limits::denorm_min()), 0x1p-16f);
  EXPECT_EQ(float(Limits::epsilon()), 0.25f);
  EXPECT_TRUE(std::isinf(float(Limits::infinity())) && std::isnan(float(Limits::quiet_NaN())));
  EXPECT_EQ(float(op::math::Saturate<fp8_t>(1e9f)), 57344.0f);
  EXPECT_EQ(float(op::math::Saturate<fp8_t>(half::half_t(-65504.0f))), -57344.0f);
  EXPECT_EQ(float(op::math::Saturate<half::half_t>(fp8_t(7.0f))), 7.0f);
}

}  // namespace
