// SPDX-License-Identifier: Apache-2.0
#include "mshadow/op/reducer.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace {

using namespace mshadow;
using bfloat::bf16_t;
using mshadow::half::half_t;

template <typename Reducer, typename DType>
DType Reduced(const std::vector<DType>& values) {
  DType init;
  Reducer::template SetInitValue<DType>(init);
  volatile DType dst = init;
  for (const DType value : values) Reducer::template Reduce<DType>(dst, value);
  Reducer::Finalize(dst);
  // Merging with a reduction over nothing changes nothing.
  volatile DType nothing = init;
  Reducer::template Merge<DType>(dst, nothing);
  return dst;
}

template <typename Reducer, typename DType>
DType Combined(const std::vector<DType>& values) {
  DType dst;
  Reducer::SetInitValue(dst);
  for (const DType value : values) dst = Reducer::Combine(dst, value);
  return dst;
}

template <typename Reducer, typename DType>
void ExpectReduces(const std::vector<DType>& values, double want) {
  const double reduced = static_cast<double>(Reduced<Reducer, DType>(values));
  const double combined = static_cast<double>(Combined<Reducer, DType>(values));
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(reduced) && std::isnan(combined));
  } else {
    EXPECT_EQ(reduced, want);
    EXPECT_EQ(combined, want);
  }
}

template <typename DType>
void ExpectNumbers() {
  const std::vector<DType> v = {DType(3), DType(1), DType(7), DType(7), DType(2)};
  ExpectReduces<red::sum, DType>(v, 20);
  ExpectReduces<red::maximum, DType>(v, 7);
  ExpectReduces<red::minimum, DType>(v, 1);
  EXPECT_EQ(red::sum::PartialGrad(DType(7), DType(3)), DType(1));
  EXPECT_EQ(red::maximum::PartialGrad(DType(7), DType(3)), DType(0));
  EXPECT_EQ(red::maximum::PartialGrad(DType(7), DType(7)), DType(1));
  EXPECT_EQ(red::minimum::PartialGrad(DType(1), DType(1)), DType(1));
  EXPECT_EQ(red::minimum::PartialGrad(DType(1), DType(2)), DType(0));
  // Over nothing.
  ExpectReduces<red::sum, DType>({}, 0);
  ExpectReduces<red::maximum, DType>({}, static_cast<double>(red::limits::NegInfValue<DType>()));
  ExpectReduces<red::minimum, DType>({}, static_cast<double>(red::limits::PosInfValue<DType>()));
  // The lowest value of the type wins against the start of a maximum, and the other way round.
  const DType lowest = red::limits::MinValue<DType>();
  const DType highest = red::limits::MaxValue<DType>();
  ExpectReduces<red::maximum, DType>({lowest, lowest}, static_cast<double>(lowest));
  ExpectReduces<red::minimum, DType>({highest, highest}, static_cast<double>(highest));
}

TEST(Reducer, EveryNumberType) {
  ExpectNumbers<float>();
  ExpectNumbers<double>();
  ExpectNumbers<half_t>();
  ExpectNumbers<bf16_t>();
  ExpectNumbers<uint8_t>();
  ExpectNumbers<int8_t>();
  ExpectNumbers<int16_t>();
  ExpectNumbers<uint16_t>();
  ExpectNumbers<int32_t>();
  ExpectNumbers<uint32_t>();
  ExpectNumbers<int64_t>();
  ExpectNumbers<uint64_t>();
  ExpectReduces<red::maximum, bool>({false, true, false}, 1);
  ExpectReduces<red::minimum, bool>({true, false}, 0);
  ExpectReduces<red::sum, bool>({true, true}, 1);
}

template <typename DType>
void ExpectSpecialValues() {
  const DType inf = std::numeric_limits<DType>::infinity();
  const DType nan = std::numeric_limits<DType>::quiet_NaN();
  const DType one(1.0f);
  ExpectReduces<red::maximum, DType>({-inf, -inf}, -HUGE_VAL);
  ExpectReduces<red::minimum, DType>({inf, inf}, HUGE_VAL);
  ExpectReduces<red::maximum, DType>({one, inf, -inf}, HUGE_VAL);
  ExpectReduces<red::minimum, DType>({one, inf, -inf}, -HUGE_VAL);
  for (const auto& v : {std::vector<DType>{nan},
                        {nan, one, inf},
                        {one, nan, -inf},
                        {inf, one, nan},
                        {-inf, nan},
                        {nan, -inf},
                        {nan, nan}}) {
    ExpectReduces<red::maximum, DType>(v, NAN);
    ExpectReduces<red::minimum, DType>(v, NAN);
    ExpectReduces<red::sum, DType>(v, NAN);
  }
  ExpectReduces<red::sum, DType>({inf, one}, HUGE_VAL);
  ExpectReduces<red::sum, DType>({inf, -inf}, NAN);
}

TEST(Reducer, InfinityAndNan) {
  ExpectSpecialValues<float>();
  ExpectSpecialValues<double>();
  ExpectSpecialValues<half_t>();
  ExpectSpecialValues<bf16_t>();
}

TEST(Reducer, Limits) {
  using namespace red::limits;
  EXPECT_EQ(MinValue<float>(), -FLT_MAX);
  EXPECT_EQ(MaxValue<float>(), FLT_MAX);
  EXPECT_EQ(MinValue<double>(), -DBL_MAX);
  EXPECT_EQ(MaxValue<double>(), DBL_MAX);
  EXPECT_EQ(MinValue<half_t>().half_, 0xFBFF);
  EXPECT_EQ(MaxValue<half_t>().half_, 0x7BFF);
  EXPECT_EQ(NegInfValue<half_t>().half_, 0xFC00);
  EXPECT_EQ(PosInfValue<half_t>().half_, 0x7C00);
  EXPECT_EQ(MinValue<bf16_t>().bf16_, 0xFF7F);
  EXPECT_EQ(MaxValue<bf16_t>().bf16_, 0x7F7F);
  EXPECT_EQ(NegInfValue<bf16_t>().bf16_, 0xFF80);
  EXPECT_EQ(PosInfValue<bf16_t>().bf16_, 0x7F80);
  EXPECT_EQ(NegInfValue<float>(), -HUGE_VALF);
  EXPECT_EQ(PosInfValue<double>(), HUGE_VAL);
  EXPECT_EQ(MinValue<uint8_t>(), 0);
  EXPECT_EQ(PosInfValue<uint8_t>(), 255);
  EXPECT_EQ(NegInfValue<int8_t>(), -128);
  EXPECT_EQ(MinValue<int32_t>(), INT32_MIN);
  EXPECT_EQ(MaxValue<int64_t>(), INT64_MAX);
  EXPECT_EQ(MaxValue<uint32_t>(), UINT32_MAX);
  EXPECT_EQ(MinValue<bool>(), false);
  EXPECT_EQ(PosInfValue<bool>(), true);
}

// Sums `values` with a residual; `parts` partial sums are merged at the end.
template <typename DType>
std::pair<DType, DType> CompensatedSum(const std::vector<DType>& values, size_t parts) {
  std::vector<std::pair<DType, DType>> sums(parts);
  for (auto& part : sums) red::sum::SetInitValue(part.first, part.second);
  for (size_t i = 0; i < values.size(); ++i) {
    auto& part = sums[i * parts / values.size()];
    red::sum::Reduce<DType>(part.first, values[i], part.second);
  }
  for (size_t i = 1; i < parts; ++i) {
    red::sum::Merge<DType>(sums[0].first, sums[0].second, sums[i].first, sums[i].second);
  }
  red::sum::Finalize<DType>(sums[0].first, sums[0].second);
  return sums[0];
}

TEST(Reducer, SumWithResidualIsCompensated) {
  std::vector<float> values(100000);
  double want = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(1.0 + 1.0 / static_cast<double>(i + 1));
    want += values[i];
  }
  double plain_error = 0;
  {
    float plain = 0;
    for (const float value : values) plain += value;
    plain_error = std::abs(plain - want);
  }
  for (const size_t parts : {1u, 2u, 7u, 64u}) {
    const auto [value, residual] = CompensatedSum(values, parts);
    EXPECT_NEAR(value, want, 0.004) << parts;  // half of the last place of a float near 10^5
    // With the residual the sum is known to more digits than the float holds.
    EXPECT_NEAR(static_cast<double>(value) - residual, want, 0.0005) << parts;
    EXPECT_GT(plain_error, 0.02);
  }
  std::vector<half_t> ones(4096, half_t(1));
  EXPECT_EQ(CompensatedSum(ones, 1).first, 4096.0f);
  EXPECT_EQ(CompensatedSum(ones, 5).first, 4096.0f);
}

TEST(Reducer, SumWithResidualKeepsInfinity) {
  const float inf = HUGE_VALF;
  for (const size_t parts : {1u, 2u}) {
    EXPECT_EQ(CompensatedSum<float>({1.0f, inf, 2.0f, 3.0f}, parts).first, inf);
    EXPECT_EQ(CompensatedSum<float>({1.0f, 2.0f, 3.0f, -inf}, parts).first, -inf);
    EXPECT_EQ(CompensatedSum<float>({FLT_MAX, FLT_MAX, FLT_MAX, 0.0f}, parts).first, inf);
  }
}

template <typename Reducer>
void ExpectIgnoresResidual(float want) {
  float init;
  float residual = 42;
  Reducer::SetInitValue(init, residual);
  volatile float dst = init;
  volatile float dst_residual = residual;
  Reducer::template Reduce<float>(dst, 5.0f, dst_residual);
  volatile float src = 9;
  volatile float src_residual = 43;
  Reducer::Merge(dst, dst_residual, src, src_residual);
  Reducer::Finalize(dst, dst_residual);
  EXPECT_EQ(dst, want);
  EXPECT_EQ(dst_residual, 42.0f);
}

TEST(Reducer, ExtremesIgnoreTheResidual) {
  ExpectIgnoresResidual<red::maximum>(9);
  ExpectIgnoresResidual<red::minimum>(5);
}

TEST(Reducer, IntegersWrap) {
  constexpr int kLowest = std::numeric_limits<int>::min();
  constexpr int kHighest = std::numeric_limits<int>::max();
  EXPECT_EQ(red::sum::Combine(kHighest, 1), kLowest);
  volatile int sum = kLowest;
  red::sum::Reduce(sum, -1);
  EXPECT_EQ(sum, kHighest);
}

}  // namespace
