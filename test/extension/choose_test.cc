// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/choose.h>

#include <limits>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <typename IDType, typename DType>
void CheckChoose(index_t rows, index_t cols, index_t pad) {
  Guarded<2, DType> a(Shape2(rows, cols), pad, 1);
  Guarded<1, IDType> index(Shape1(rows));
  Guarded<1, DType> out(Shape1(rows), 0, 1);
  FillWhole(a, 40);
  FillWhole(index, cols, 2);
  std::vector<double> expected;
  for (std::size_t i = 0; i < out.Size(); ++i) {
    const std::size_t column = static_cast<std::size_t>(static_cast<float>(index.At(i)));
    expected.push_back(static_cast<float>(a.At(i * cols + column)));
  }
  *out = mat_choose_row_element(*a, *index);
  ExpectValues(out, expected);
  for (double& value : expected) value += 2 * value + 1;
  *out += mat_choose_row_element(*a * DType(2), *index + IDType(0)) + DType(1);
  ExpectValues(out, expected);
}

TEST(Choose, OneOfEachRow) {
  ForEachIsa([] {
    CheckChoose<float, float>(37, 10, 0);
    CheckChoose<int32_t, float>(1, 70, 3);
    CheckChoose<int32_t, float>(0, 5, 0);
  });
}

TEST(Choose, EveryDTypeOfTheIndexAndOfTheSource) {
  ForEachDType([](auto zero) {
    CheckChoose<decltype(zero), float>(6, 5, 0);
    CheckChoose<int32_t, decltype(zero)>(6, 5, 1);
  });
}

TEST(Choose, Clips) {
  Guarded<2> a(Shape2(4, 3));
  a.FillIota();
  Guarded<1> index(Shape1(4)), out(Shape1(4));
  const float values[] = {-2, 3, 1e30f, std::numeric_limits<float>::quiet_NaN()};
  for (int i = 0; i < 4; ++i) index.At(i) = values[i];
  *out = mat_choose_row_element(*a, *index);
  ExpectValues(out, {0, 5, 8, 9});
}

TEST(Choose, NestedReducedAndInPlace) {
  Guarded<2> flat(Shape2(6, 4), 1);
  FillWhole(flat, 100);
  Guarded<1> index(Shape1(8)), out(Shape1(8)), sum(Shape1(8));
  FillWhole(index, 3);
  std::vector<double> expected;
  for (int i = 0; i < 8; ++i) {
    expected.push_back(flat.At(i * 3 + 2 - static_cast<int>(index.At(i))));
  }
  *out = mat_choose_row_element(mirror(reshape(*flat, Shape2(8, 3))), *index);
  ExpectValues(out, expected);
  *sum = sumall_except_dim<0>(mat_choose_row_element(mirror(reshape(*flat, Shape2(8, 3))), *index));
  ExpectValues(sum, expected);
  *index = mat_choose_row_element(mirror(reshape(*flat, Shape2(8, 3))), *index);
  ExpectValues(index, expected);
}

TEST(Choose, Errors) {
  Guarded<2> a(Shape2(3, 4)), empty(Shape2(3, 0));
  Guarded<1> index(Shape1(3)), two(Shape1(2));
  EXPECT_NE(ErrorOf([&] { mat_choose_row_element(*a, *two); })
                .find("a source of shape (3,4) by an index of shape (2,)"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { mat_choose_row_element(*empty, *index); }), "no error");
}

}  // namespace
}  // namespace mshadow
