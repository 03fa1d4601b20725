// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/fill.h>

#include <limits>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <typename IDType, typename DType>
void CheckFill(index_t rows, index_t cols, index_t pad) {
  Guarded<2, DType> a(Shape2(rows, cols), pad, 1), out(Shape2(rows, cols), pad);
  Guarded<1, DType> val(Shape1(rows));
  Guarded<1, IDType> index(Shape1(rows));
  FillWhole(a, 40);
  FillWhole(val, 40, 3);
  FillWhole(index, cols + 2, 2);  // some are out of range
  std::vector<double> expected = Values(a);
  for (std::size_t i = 0; i < val.Size(); ++i) {
    const std::size_t column = static_cast<std::size_t>(static_cast<float>(index.At(i)));
    if (column < std::size_t(cols)) expected[i * cols + column] = static_cast<float>(val.At(i));
  }
  *out = mat_fill_row_element(*a, *val, *index);
  ExpectValues(out, expected);
  for (double& value : expected) value += 2 * value + 1;
  *out += mat_fill_row_element(*a * DType(2), *val * DType(2), *index + IDType(0)) + DType(1);
  ExpectValues(out, expected);
}

TEST(Fill, OneOfEachRow) {
  ForEachIsa([] {
    CheckFill<float, float>(37, 10, 0);
    CheckFill<int32_t, float>(3, 70, 3);
    CheckFill<int32_t, float>(0, 5, 0);
  });
}

TEST(Fill, EveryDTypeOfTheIndexAndOfTheSource) {
  ForEachDType([](auto zero) {
    CheckFill<decltype(zero), float>(6, 5, 0);
    CheckFill<int32_t, decltype(zero)>(6, 5, 1);
  });
}

TEST(Fill, LeavesRowsOfOtherIndices) {
  Guarded<2> a(Shape2(5, 3)), out(Shape2(5, 3));
  *a = 0.0f;
  Guarded<1> index(Shape1(5)), val(Shape1(5));
  *val = 7.0f;
  const float values[] = {-1, 3, 2.5f, std::numeric_limits<float>::quiet_NaN(), 1e30f};
  for (int i = 0; i < 5; ++i) index.At(i) = values[i];
  *out = mat_fill_row_element(*a, *val, *index);
  std::vector<double> expected(15, 0.0);
  expected[8] = 7;
  ExpectValues(out, expected);
}

TEST(Fill, NestedReducedAndInPlace) {
  Guarded<2> flat(Shape2(6, 4), 1), a(Shape2(8, 3));
  FillWhole(flat, 100);
  Guarded<1> index(Shape1(8)), sum(Shape1(3));
  FillWhole(index, 3);
  std::vector<double> expected, sums(3, 0.0);
  for (int i = 0; i < 24; ++i) {
    expected.push_back(2 - i % 3 == static_cast<int>(index.At(i / 3)) ? index.At(i / 3)
                                                                      : flat.At(i));
    sums[2 - i % 3] += expected[i];
  }
  *a = mirror(mat_fill_row_element(mirror(reshape(*flat, Shape2(8, 3))), *index, *index));
  ExpectValues(a, expected);
  *sum = sum_rows(mat_fill_row_element(mirror(reshape(*flat, Shape2(8, 3))), *index, *index));
  ExpectValues(sum, sums);
  *a = reshape(*flat, a->shape_);
  *a = mat_fill_row_element(*a, *index, 2.0f - *index);
  ExpectValues(a, expected);
}

TEST(Fill, Errors) {
  Guarded<2> a(Shape2(3, 4));
  Guarded<1> three(Shape1(3)), two(Shape1(2));
  EXPECT_NE(ErrorOf([&] { mat_fill_row_element(*a, *three, *two); })
                .find("source (3,4), val (3,), index (2,)"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { mat_fill_row_element(*a, *two, *three); }), "no error");
}

}  // namespace
}  // namespace mshadow
