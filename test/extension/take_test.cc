// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/take.h>

#include <algorithm>
#include <limits>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <typename IDType, typename DType>
void CheckTake(index_t count, index_t rows, index_t cols, index_t pad) {
  Guarded<1, IDType> index(Shape1(count));
  Guarded<2, DType> w(Shape2(rows, cols), pad, 1), out(Shape2(count, cols), pad);
  FillWhole(index, rows);
  FillWhole(w, 40);
  std::vector<double> expected;
  for (std::size_t i = 0; i < out.Size(); ++i) {
    const std::size_t row = static_cast<std::size_t>(static_cast<float>(index.At(i / cols)));
    expected.push_back(static_cast<float>(w.At(row * cols + i % cols)));
  }
  *out = take(*index, *w);
  ExpectValues(out, expected);
  for (double& value : expected) value += 2 * value + 1;
  *out += take(*index + IDType(0), *w * DType(2)) + DType(1);
  ExpectValues(out, expected);
}

TEST(Take, Rows) {
  ForEachIsa([] {
    CheckTake<float, float>(7, 5, 33, 0);
    CheckTake<float, float>(1, 9, 1, 3);
    CheckTake<int32_t, float>(0, 5, 3, 0);
    CheckTake<int32_t, float>(40, 3, 67, 2);
  });
}

TEST(Take, EveryDTypeOfTheIndexAndOfTheSource) {
  ForEachDType([](auto zero) {
    CheckTake<decltype(zero), float>(6, 5, 4, 0);
    CheckTake<int64_t, decltype(zero)>(6, 5, 4, 1);
  });
}

TEST(Take, ClipsAsNumPyDoes) {
  Guarded<2> w(Shape2(3, 2)), out(Shape2(6, 2));
  w.FillIota();
  Guarded<1> index(Shape1(6));
  const float values[] = {-1, 3, 1.9f, -1e30f, 1e30f, std::numeric_limits<float>::quiet_NaN()};
  for (int i = 0; i < 6; ++i) index.At(i) = values[i];
  *out = take(*index, *w);
  ExpectValues(out, {0, 1, 4, 5, 2, 3, 0, 1, 4, 5, 0, 1});
}

TEST(Take, ElementsOfAVector) {
  Guarded<1, int32_t> index(Shape1(100));
  Guarded<1> v(Shape1(37)), out(Shape1(100));
  FillWhole(index, 40);  // some are clipped
  FillWhole(v, 90);
  std::vector<double> expected;
  for (std::size_t i = 0; i < 100; ++i) expected.push_back(v.At(std::min(index.At(i), 36)));
  *out = take(*index, *v);
  ExpectValues(out, expected);
  for (double& value : expected) value += 2 * value + 1;
  *out += take(*index, *v * 2.0f) + 1.0f;
  ExpectValues(out, expected);
  Guarded<1, int32_t> none(Shape1(0));
  Guarded<1> nothing(Shape1(0));
  *nothing = take(*none, *v);
  EXPECT_NE(ErrorOf([&] { *out = take(*index, *nothing); }).find("no row can be taken"),
            std::string::npos);
}

TEST(Take, NestedAndReduced) {
  Guarded<1, int32_t> index(Shape1(4));
  const int32_t values[] = {2, 0, 2, 1};
  for (int i = 0; i < 4; ++i) index.At(i) = values[i];
  Guarded<2> w(Shape2(3, 5), 1), out(Shape2(4, 5)), flat(Shape2(5, 3));
  FillWhole(w, 100);
  std::vector<double> expected, sums(5, 0.0);
  for (int i = 0; i < 20; ++i) {
    expected.push_back(w.At(values[i / 5] * 5 + i % 5));
    sums[i % 5] += expected[i];
  }
  *flat = reshape(*w, flat->shape_);
  *out = mirror(take(*index, mirror(reshape(*flat, Shape2(3, 5)))));
  ExpectValues(out, expected);
  Guarded<1> sum(Shape1(5));
  *sum = sum_rows(take(*index, *w));
  ExpectValues(sum, sums);
}

TEST(Take, OfItself) {
  Guarded<1, int32_t> index(Shape1(3));
  for (int i = 0; i < 3; ++i) index.At(i) = 2 - i;
  Guarded<2> w(Shape2(3, 2));
  w.FillIota();
  *w = take(*index, *w);
  ExpectValues(w, {4, 5, 2, 3, 0, 1});
}

TEST(Take, Errors) {
  Guarded<1> index(Shape1(3));
  Guarded<2> w(Shape2(0, 2)), out(Shape2(3, 2));
  EXPECT_NE(ErrorOf([&] { take(*index, *w); }).find("a source of shape (0,2)"), std::string::npos);
  Guarded<2> wide(Shape2(2, 5));
  EXPECT_NE(ErrorOf([&] { *out = take(*index, *wide); }).find("(3,5)"), std::string::npos);
}

}  // namespace
}  // namespace mshadow
