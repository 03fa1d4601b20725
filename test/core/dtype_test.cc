// SPDX-License-Identifier: Apache-2.0
#include "mshadow/core/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace {

using namespace mshadow;
using bfloat::bf16_t;
using mshadow::half::half2_t;
using mshadow::half::half_t;

template <typename T>
void ExpectType(int flag, int value, const std::string& text) {
  EXPECT_EQ(flag, value);
  EXPECT_EQ(DataType<T>::kFlag, flag);
  EXPECT_EQ(DataType<T>::kLanes, 1);
  EXPECT_EQ(mshadow_sizeof(flag), sizeof(T));
  EXPECT_EQ(dtype_string(flag), text);
}

TEST(DType, FlagsSizesAndNames) {
  ExpectType<float>(kFloat32, 0, "float");
  ExpectType<double>(kFloat64, 1, "double");
  ExpectType<half_t>(kFloat16, 2, "half");
  ExpectType<uint8_t>(kUint8, 3, "unsigned char");
  ExpectType<int32_t>(kInt32, 4, "int");
  ExpectType<int8_t>(kInt8, 5, "char");
  ExpectType<int64_t>(kInt64, 6, "long long");
  ExpectType<bool>(kBool, 7, "bool");
  ExpectType<int16_t>(kInt16, 8, "short");
  ExpectType<uint16_t>(kUint16, 9, "unsigned short");
  ExpectType<uint32_t>(kUint32, 10, "unsigned int");
  ExpectType<uint64_t>(kUint64, 11, "unsigned long long");
  ExpectType<bf16_t>(kBfloat16, 12, "bfloat16");
  EXPECT_EQ(DataType<half2_t>::kFlag, kFloat16);
  EXPECT_EQ(DataType<half2_t>::kLanes, 2);
  EXPECT_EQ(default_type_flag, kFloat32);
  EXPECT_EQ(index_type_flag, kInt32);
  EXPECT_EQ(sizeof(LapackIndex<void>::IndexT), 4u);
}

TEST(DType, UnknownFlagsThrow) {
  for (const int flag : {-1, 13, 1000}) {
    EXPECT_THROW(mshadow_sizeof(flag), Error);
    EXPECT_THROW(dtype_string(flag), Error);
  }
}

TEST(DType, Accumulators) {
  static_assert(std::is_same_v<Accumulator<half_t>, float>, "");
  static_assert(std::is_same_v<Accumulator<bf16_t>, float>, "");
  static_assert(std::is_same_v<AccumulatorOf<float>::type, float>, "");
  static_assert(std::is_same_v<Accumulator<double>, double>, "");
  static_assert(std::is_same_v<Accumulator<int8_t>, int8_t>, "");
  static_assert(std::is_same_v<DataType<half_t>::ScaleType, float>, "");
  static_assert(std::is_same_v<DataType<uint8_t>::ScaleType, uint8_t>, "");
}

template <typename T>
void ExpectClassified() {
  using Limits = std::numeric_limits<T>;
  volatile T nan = Limits::quiet_NaN();
  volatile T inf = Limits::infinity();
  volatile T max = Limits::max();
  EXPECT_TRUE(isnan_typed::IsNan(nan));
  EXPECT_FALSE(isnan_typed::IsNan(inf));
  EXPECT_FALSE(isnan_typed::IsNan(max));
  EXPECT_TRUE(isinf_typed::IsInf(inf));
  EXPECT_TRUE(isinf_typed::IsInf(-Limits::infinity()));
  EXPECT_FALSE(isinf_typed::IsInf(nan));
  EXPECT_FALSE(isinf_typed::IsInf(max));
  EXPECT_FALSE(isinf_typed::IsInf<T>(Limits::lowest()));
}

TEST(DType, NanAndInfinity) {
  ExpectClassified<float>();
  ExpectClassified<double>();
  ExpectClassified<long double>();
  ExpectClassified<half_t>();
  ExpectClassified<bf16_t>();
  volatile int i = std::numeric_limits<int>::max();
  EXPECT_FALSE(isnan_typed::IsNan(i) || isinf_typed::IsInf(i) || isinf_typed::IsInf(true));
  EXPECT_TRUE(mshadow::isnan(NAN) && mshadow::isinf(HUGE_VAL));
}

}  // namespace
