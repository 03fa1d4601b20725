// SPDX-License-Identifier: Apache-2.0
#include <mshadow/index.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "../error_of.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::ErrorOf;

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

template <typename DType>
Tensor<cpu, 1, DType> View(std::vector<DType>& v) {
  return Tensor<cpu, 1, DType>(v.data(), Shape1(static_cast<index_t>(v.size())));
}
using Indices = std::vector<int64_t>;

TEST(Argsort, IsStableWithNanLast) {
  std::vector<float> v = {3, kNan, -1, 3, kInf, -kInf, kNan, -1, 0};
  EXPECT_EQ(ToVector(argsort(View(v))), (Indices{5, 2, 7, 8, 0, 3, 4, 1, 6}));
  EXPECT_EQ(ToVector(argsort(View(v), false)), (Indices{4, 0, 3, 8, 2, 7, 5, 1, 6}));
  std::vector<float> zeros = {0.0f, -0.0f, 0.0f};
  EXPECT_EQ(ToVector(argsort(View(zeros))), (Indices{0, 1, 2}));
  std::vector<float> none;
  EXPECT_EQ(argsort(View(none)).size(0), 0u);
}
TEST(Argsort, ManyElementsOfEachType) {
  const auto check = [](auto zero) {
    using DType = decltype(zero);
    for (std::size_t n : {1u, 2u, 17u, 1000u, 20000u}) {
      std::vector<DType> v(n);
      uint32_t state = 7;
      for (DType& e : v) e = static_cast<DType>((state = state * 1664525u + 1013904223u) >> 26);
      Indices expected(n);
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(), [&](int64_t a, int64_t b) {
        return v[static_cast<std::size_t>(a)] < v[static_cast<std::size_t>(b)];
      });
      const std::vector<DType> before = v;
      EXPECT_EQ(ToVector(argsort(View(v))), expected) << n;
      EXPECT_EQ(v, before);
    }
  };
  check(0.0f);
  check(0.0);
  check(int32_t(0));
  check(uint8_t(0));
  check(int64_t(0));
}
TEST(Argsort, OfExpressionsAndConstViews) {
  std::vector<float> v = {3, 1, 2};
  EXPECT_EQ(ToVector(argsort(View(v) * -1.0f)), (Indices{0, 2, 1}));
  const Tensor<cpu, 1, const float> view(View(v));
  EXPECT_EQ(ToVector(argsort(view)), (Indices{1, 2, 0}));
  EXPECT_EQ(ToVector(unique(view)), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(ToVector(nonzero(view)), (Indices{0, 1, 2}));
}

TEST(Nonzero, IndicesInOrder) {
  std::vector<float> v = {0, 2, kNan, -0.0f, -1, 0};
  EXPECT_EQ(ToVector(nonzero(View(v))), (Indices{1, 2, 4}));
  EXPECT_EQ(ToVector(nonzero(View(v) > 0.5f)), (Indices{1}));
  std::vector<uint8_t> zeros(5), ones(5, 1), none;
  EXPECT_EQ(nonzero(View(zeros)).size(0), 0u);
  EXPECT_EQ(ToVector(nonzero(View(ones))), (Indices{0, 1, 2, 3, 4}));
  EXPECT_EQ(nonzero(View(none)).size(0), 0u);
}

TEST(Unique, AscendingWithOneNan) {
  std::vector<float> v = {3, kNan, -1, 3, 0, -0.0f, kNan, -kInf};
  const std::vector<float> result = ToVector(unique(View(v)));
  ASSERT_EQ(result.size(), 5u);
  EXPECT_EQ(std::vector<float>(result.begin(), result.end() - 1),
            (std::vector<float>{-kInf, -1, 0, 3}));
  EXPECT_TRUE(std::isnan(result.back()));
  std::vector<int> same(100, 7), none;
  EXPECT_EQ(ToVector(unique(View(same))), (std::vector<int>{7}));
  EXPECT_EQ(unique(View(none)).size(0), 0u);
}

TEST(Bincount, CountsEach) {
  std::vector<int> v = {3, 0, 3, 1, 3};
  EXPECT_EQ(ToVector(bincount(View(v))), (Indices{1, 1, 0, 3}));
  EXPECT_EQ(ToVector(bincount(View(v), 6)), (Indices{1, 1, 0, 3, 0, 0}));
  EXPECT_EQ(ToVector(bincount(View(v), 2)), (Indices{1, 1, 0, 3}));
  std::vector<uint8_t> bytes = {255, 0, 255};
  EXPECT_EQ(bincount(View(bytes)).size(0), 256u);
  std::vector<int64_t> none;
  EXPECT_EQ(bincount(View(none)).size(0), 0u);
  EXPECT_EQ(ToVector(bincount(View(none), 2)), (Indices{0, 0}));
}
TEST(Bincount, NamesWhatItCannotCount) {
  std::vector<int> v = {3, 0, -2};
  const std::string error = ErrorOf([&] { bincount(View(v)); });
  EXPECT_NE(error.find("element 2 of 3 is -2"), std::string::npos) << error;
}

}  // namespace
}  // namespace mshadow
