// SPDX-License-Identifier: Apache-2.0
#include "mshadow/op/saver.h"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "mshadow/core/dtype.h"

namespace {

using namespace mshadow;

// `Saver::Save` must do what the operator of the saver does, whatever the element type.
template <typename Saver, typename DType>
void ExpectSaves(double a, double b, double want) {
  DType dst = static_cast<DType>(a);
  Saver::template Save<DType>(dst, static_cast<DType>(b));
  EXPECT_EQ(static_cast<double>(dst), want);
  const DType mapped = Saver::OPType::Map(static_cast<DType>(a), static_cast<DType>(b));
  EXPECT_EQ(static_cast<double>(mapped), want);
}

template <typename DType>
void ExpectAll() {
  ExpectSaves<sv::saveto, DType>(6, 3, 3);
  ExpectSaves<sv::plusto, DType>(6, 3, 9);
  ExpectSaves<sv::minusto, DType>(6, 3, 3);
  ExpectSaves<sv::multo, DType>(6, 3, 18);
  ExpectSaves<sv::divto, DType>(6, 3, 2);
}

TEST(Saver, EveryNumberType) {
  ExpectAll<float>();
  ExpectAll<double>();
  ExpectAll<mshadow::half::half_t>();
  ExpectAll<bfloat16>();
  ExpectAll<uint8_t>();
  ExpectAll<int8_t>();
  ExpectAll<int16_t>();
  ExpectAll<uint16_t>();
  ExpectAll<int32_t>();
  ExpectAll<uint32_t>();
  ExpectAll<int64_t>();
  ExpectAll<uint64_t>();
  ExpectSaves<sv::saveto, bool>(0, 1, 1);
  ExpectSaves<sv::plusto, bool>(0, 1, 1);
}

template <typename Saver>
void ExpectBlas(float alpha, float beta) {
  EXPECT_EQ(Saver::AlphaBLAS(), alpha);
  EXPECT_EQ(Saver::BetaBLAS(), beta);
  static_assert(std::is_same_v<decltype(Saver::AlphaBLAS()), default_real_t>, "");
}

TEST(Saver, BlasFactors) {
  ExpectBlas<sv::saveto>(1, 0);
  ExpectBlas<sv::plusto>(1, 1);
  ExpectBlas<sv::minusto>(-1, 1);
}

// What a / b gives: no trap for a zero divisor, nor for the one quotient that does not fit.
TEST(Saver, DividesIntegersAsTheOperatorDoes) {
  int a = 7;
  sv::divto::Save<int>(a, 0);
  EXPECT_EQ(a, 0);
  a = std::numeric_limits<int>::lowest();
  int b = op::div::Map(a, -1);
  sv::divto::Save<int>(a, -1);
  EXPECT_EQ(a, b);
}

TEST(Saver, OperatorTypes) {
  static_assert(std::is_same_v<sv::saveto::OPType, op::right>, "");
  static_assert(std::is_same_v<sv::plusto::OPType, op::plus>, "");
  static_assert(std::is_same_v<sv::minusto::OPType, op::minus>, "");
  static_assert(std::is_same_v<sv::multo::OPType, op::mul>, "");
  static_assert(std::is_same_v<sv::divto::OPType, op::div>, "");
}

TEST(Saver, IntegersWrap) {
  constexpr int kLowest = std::numeric_limits<int>::min();
  constexpr int kHighest = std::numeric_limits<int>::max();
  int a = kHighest;
  sv::plusto::Save(a, 1);
  EXPECT_EQ(a, kLowest);
  sv::minusto::Save(a, 1);
  EXPECT_EQ(a, kHighest);
  sv::multo::Save(a, kHighest);
  EXPECT_EQ(a, 1);
}

}  // namespace
