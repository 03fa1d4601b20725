// SPDX-License-Identifier: Apache-2.0
// Special values and every instruction set; the errors in ULP are what test/ulp measures.
#include "mshadow/op/elementary.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernel.h"
#include "mshadow/core/half.h"

namespace {

using mshadow::half::half_t;
namespace op = mshadow::op;
using op_test::Check;
using op_test::RunOf;

#define MSHADOW_OPS(X)                                                                \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan)        \
  X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc)

/// On specials and on values everywhere, for types with `digits` bits.
template <typename T>
void CheckAll(const std::vector<T>& a, double relative) {
#define MSHADOW_CHECK(name) \
  Check<T>(#name, RunOf<op::name, 1, T>(), [](double x, double, double) { \
    return std::name(x); }, a, {}, {}, relative);
  MSHADOW_OPS(MSHADOW_CHECK)
#undef MSHADOW_CHECK
}

template <typename T>
std::vector<T> Dense() {
  std::vector<T> a = op_test::Specials<T>();
  for (int i = -1000; i <= 1000; ++i) a.push_back(T(i) / T(300));
  for (int i = -200; i <= 200; ++i) a.push_back(T(i) * T(0.37));
  return a;
}

// 4 ULP are up to 2^-21 of the result, where that is not subnormal.
TEST(Elementary, Float) { CheckAll(Dense<float>(), 0x1p-21); }
TEST(Elementary, Double) { CheckAll(Dense<double>(), 0x1p-50); }

TEST(Elementary, EveryHalf) {
  std::vector<half_t> a;
  for (int bits = 0; bits < 65536; ++bits) a.push_back(half_t::Binary(uint16_t(bits)));
  CheckAll(a, 0x1p-10);
}

TEST(Elementary, IntegersTruncateAndSaturate) {
  EXPECT_EQ(op::exp::Map(int32_t{1}), 2);
  EXPECT_EQ(op::exp::Map(int32_t{100}), 2147483647);
  EXPECT_EQ(op::exp::Map(uint8_t{6}), 255);
  EXPECT_EQ(op::log::Map(int32_t{0}), -2147483647 - 1);
  EXPECT_EQ(op::log::Map(int32_t{-1}), 0);
  EXPECT_EQ(op::log2::Map(int64_t{1} << 40), 40);
}

TEST(Elementary, ExactResults) {
  for (int k = -126; k <= 127; ++k) {
    EXPECT_EQ(op::exp2::Map(float(k)), std::ldexp(1.0f, k));
    EXPECT_EQ(op::log2::Map(std::ldexp(1.0f, k)), float(k));
  }
  EXPECT_EQ(op::exp::Map(0.0f), 1.0f);
  EXPECT_EQ(op::log::Map(1.0), 0.0);
  EXPECT_EQ(op::cos::Map(0.0), 1.0);
}

}  // namespace
