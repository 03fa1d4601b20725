// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/one_hot.h>

#include <algorithm>
#include <limits>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <typename IDType>
void CheckOneHot(index_t count, index_t choices, index_t pad) {
  Guarded<1, IDType> index(Shape1(count));
  FillWhole(index, choices + 2);  // some are out of range
  Guarded<2> out(Shape2(count, choices), pad, 1);
  std::vector<double> expected;
  for (std::size_t i = 0; i < out.Size(); ++i) {
    expected.push_back(static_cast<float>(index.At(i / choices)) == i % choices ? 1 : 0);
  }
  *out = one_hot_encode(*index, choices);
  ExpectValues(out, expected);
  for (double& value : expected) value += 2 * value + 1;
  *out += one_hot_encode(*index + IDType(0), choices) * 2.0f + 1.0f;
  ExpectValues(out, expected);
}

TEST(OneHot, Rows) {
  ForEachIsa([] {
    CheckOneHot<float>(37, 10, 0);
    CheckOneHot<int32_t>(3, 70, 3);
    CheckOneHot<int32_t>(0, 5, 0);
    CheckOneHot<int32_t>(3, 0, 0);
    CheckOneHot<int32_t>(1000, 10, 0);  // more than are filled at once
    CheckOneHot<int32_t>(2, 5000, 0);
  });
}

TEST(OneHot, EveryDTypeOfTheIndex) {
  ForEachDType([](auto zero) { CheckOneHot<decltype(zero)>(9, 5, 1); });
}

TEST(OneHot, NoColumnForOtherIndices) {
  Guarded<1> index(Shape1(5));
  const float values[] = {-1, 3, 2.5f, std::numeric_limits<float>::quiet_NaN(), 1e30f};
  for (int i = 0; i < 5; ++i) index.At(i) = values[i];
  Guarded<2> out(Shape2(5, 3));
  *out = one_hot_encode(*index, 3);
  std::vector<double> expected(15, 0.0);
  expected[8] = 1;
  ExpectValues(out, expected);
}

TEST(OneHot, NestedAndReduced) {
  Guarded<2, int32_t> flat(Shape2(2, 3), 1);
  FillWhole(flat, 4);
  Guarded<2> out(Shape2(6, 4));
  Guarded<1> counts(Shape1(4));
  std::vector<double> expected, count(4, 0.0);
  for (int i = 0; i < 24; ++i) {
    expected.push_back(flat.At(i / 4) == 3 - i % 4 ? 1 : 0);
    count[3 - i % 4] += expected[i];
  }
  *out = mirror(one_hot_encode(reshape(*flat, Shape1(6)), 4));
  ExpectValues(out, expected);
  *counts = sum_rows(one_hot_encode(reshape(*flat, Shape1(6)), 4));
  ExpectValues(counts, count);
}

// Threads share the columns of rows this wide.
TEST(OneHot, PartsOfRows) {
  const index_t cols = 1 << 18;
  Guarded<1, int32_t> index(Shape1(1));
  Guarded<2> out(Shape2(1, cols));
  float* row = out->dptr_;
  for (index_t column : {index_t{0}, cols / 2 - 1, cols / 2, cols - 1}) {
    index.At(0) = static_cast<int32_t>(column);
    *out = -1;
    *out = one_hot_encode(*index, cols);
    WaitForDevice();
    EXPECT_EQ(std::count(row, row + cols, 0.0f), cols - 1);
    EXPECT_EQ(row[column], 1);
    EXPECT_TRUE(out.Intact());
  }
}

TEST(OneHot, Errors) {
  Guarded<1> index(Shape1(3));
  Guarded<2> out(Shape2(3, 4));
  EXPECT_NE(ErrorOf([&] { *out = one_hot_encode(*index, 5); }).find("eshape: (3,5) dshape:(3,4)"),
            std::string::npos);
}

}  // namespace
}  // namespace mshadow
