// SPDX-License-Identifier: Apache-2.0
#include "mshadow/core/type_switch.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>
#include <utility>

namespace {

using mshadow::Error;

const std::set<int> kReal = {mshadow::kFloat32, mshadow::kFloat64, mshadow::kFloat16};
const std::set<int> kBasic = {mshadow::kFloat32,  mshadow::kFloat64, mshadow::kFloat16,
                              mshadow::kBfloat16, mshadow::kUint8,   mshadow::kInt8,
                              mshadow::kInt32,    mshadow::kInt64};
const std::set<int> kMoreIntegers = {mshadow::kInt16, mshadow::kUint16, mshadow::kUint32,
                                     mshadow::kUint64};

std::set<int> Union(std::set<int> a, const std::set<int>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

// Runs `visit(flag)`, which returns the flag of the type that was bound, for every flag: it must be
// the flag asked for where that is supported, and an error with the names in it elsewhere.
template <typename Visit>
void ExpectSupports(const std::string& macro, const std::set<int>& supported, Visit visit) {
  for (int flag = -1; flag <= 13; ++flag) {
    if (supported.count(flag) != 0) {
      EXPECT_EQ(visit(flag), flag) << macro;
      continue;
    }
    try {
      visit(flag);
      ADD_FAILURE() << macro << " took " << flag;
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(macro), std::string::npos) << text;
      EXPECT_NE(text.find("type enum " + std::to_string(flag)), std::string::npos) << text;
      if (flag >= 0 && flag < 13) {
        EXPECT_NE(text.find(mshadow::dtype_string(flag)), std::string::npos) << text;
      } else {
        EXPECT_NE(text.find("Unknown"), std::string::npos) << text;
      }
    }
  }
}

TEST(TypeSwitch, BindsTheTypeOfTheFlag) {
  ExpectSupports("MSHADOW_TYPE_SWITCH", kBasic, [](int flag) {
    MSHADOW_TYPE_SWITCH(flag, DType, { return mshadow::DataType<DType>::kFlag; });
  });
  ExpectSupports("MSHADOW_TYPE_SWITCH_WITH_BOOL", Union(kBasic, {mshadow::kBool}), [](int flag) {
    MSHADOW_TYPE_SWITCH_WITH_BOOL(flag, DType, { return mshadow::DataType<DType>::kFlag; });
  });
  ExpectSupports("MSHADOW_TYPE_SWITCH_EXT", Union(kBasic, kMoreIntegers), [](int flag) {
    MSHADOW_TYPE_SWITCH_EXT(flag, DType, { return mshadow::DataType<DType>::kFlag; });
  });
  ExpectSupports("MSHADOW_TYPE_SWITCH_EXT_WITH_BOOL",
                 Union(Union(kBasic, kMoreIntegers), {mshadow::kBool}), [](int flag) {
                   MSHADOW_TYPE_SWITCH_EXT_WITH_BOOL(flag, DType,
                                                     { return mshadow::DataType<DType>::kFlag; });
                 });
  ExpectSupports(
      "MSHADOW_SGL_DBL_TYPE_SWITCH", {mshadow::kFloat32, mshadow::kFloat64}, [](int flag) {
        MSHADOW_SGL_DBL_TYPE_SWITCH(flag, DType, { return mshadow::DataType<DType>::kFlag; });
      });
  ExpectSupports("MSHADOW_REAL_TYPE_SWITCH", kReal, [](int flag) {
    MSHADOW_REAL_TYPE_SWITCH(flag, DType, { return mshadow::DataType<DType>::kFlag; });
  });
  ExpectSupports("MSHADOW_IDX_TYPE_SWITCH", {mshadow::kInt64}, [](int flag) {
    MSHADOW_IDX_TYPE_SWITCH(flag, DType, { return mshadow::DataType<DType>::kFlag; });
  });
}

TEST(TypeSwitch, WithHalf2BindsTwoLanes) {
  const std::set<int> supported = {mshadow::kFloat32, mshadow::kFloat64, mshadow::kFloat16,
                                   mshadow::kUint8,   mshadow::kInt32,   mshadow::kInt64};
  ExpectSupports("MSHADOW_TYPE_SWITCH_WITH_HALF2", supported, [](int flag) {
    MSHADOW_TYPE_SWITCH_WITH_HALF2(flag, DType, {
      EXPECT_EQ(mshadow::DataType<DType>::kLanes, flag == mshadow::kFloat16 ? 2 : 1);
      return mshadow::DataType<DType>::kFlag;
    });
  });
}

TEST(TypeSwitch, RealExBindsTheAccumulator) {
  ExpectSupports("MSHADOW_REAL_TYPE_SWITCH_EX", Union(kReal, {mshadow::kBfloat16}), [](int flag) {
    MSHADOW_REAL_TYPE_SWITCH_EX(flag, DType, DLargeType, {
      const bool wide = flag == mshadow::kFloat64;
      EXPECT_TRUE(
          (std::is_same_v<DLargeType, std::conditional_t<sizeof(DType) == 8, double, float>>));
      EXPECT_EQ(sizeof(DLargeType), wide ? 8u : 4u);
      return mshadow::DataType<DType>::kFlag;
    });
  });
}

template <typename Outer>
int Nested(int outer, int inner) {
  int size = 0;
  MSHADOW_TYPE_SWITCH(outer, XType, {
    MSHADOW_TYPE_SWITCH(inner, YType, {
      const std::pair<XType, YType> both = {XType(1), YType(2)};
      size = static_cast<int>(sizeof(both.first) * 100 + sizeof(both.second) + sizeof(Outer));
    });
  });
  return size;
}

TEST(TypeSwitch, NestsInTemplatesWithCommasInTheBody) {
  EXPECT_EQ(Nested<char>(mshadow::kFloat64, mshadow::kUint8), 802);
  EXPECT_EQ(Nested<char>(mshadow::kFloat16, mshadow::kInt32), 205);
}

TEST(TypeSwitch, BreakLeavesTheSwitch) {
  int reached = 0;
  MSHADOW_TYPE_SWITCH(mshadow::kInt8, DType, {
    reached = 1;
    if (sizeof(DType) == 1) break;
    reached = 2;
  });
  EXPECT_EQ(reached, 1);
}

}  // namespace
