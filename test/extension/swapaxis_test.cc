// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/swapaxis.h>

#include "permuted.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int a1, int a2, int dim>
void CheckSwapaxis(const Shape<dim>& shape) {
  Shape<dim> axes;
  for (int i = 0; i < dim; ++i) axes[i] = i == a1 ? a2 : i == a2 ? a1 : i;
  CheckPermutation(shape, axes, [](const auto& e) { return swapaxis<a1, a2>(e); });
}

TEST(SwapAxis, EveryPairOfAxes) {
  ForEachIsa([] {
    CheckSwapaxis<1, 0>(Shape2(5, 67));
    CheckSwapaxis<1, 0>(Shape2(65, 130));
    CheckSwapaxis<2, 0>(Shape3(70, 3, 66));
    CheckSwapaxis<1, 0>(Shape3(4, 5, 7));
    CheckSwapaxis<2, 1>(Shape4(2, 3, 5, 9));
    CheckSwapaxis<3, 1>(Shape4(2, 67, 3, 5));
    CheckSwapaxis<3, 0>(Shape4(3, 2, 2, 65));
    CheckSwapaxis<3, 1>(Shape5(2, 3, 2, 3, 4));
    CheckSwapaxis<4, 3>(Shape5(2, 1, 3, 2, 5));
    CheckSwapaxis<2, 1>(Shape3(3, 6, 6));
    CheckSwapaxis<2, 1>(Shape5(2, 3, 4, 2, 9));  // rows of the source in twos
    CheckSwapaxis<3, 1>(Shape5(2, 3, 2, 4, 11));
    CheckSwapaxis<2, 1>(Shape4(5, 21, 31, 37));  // on threads, which begin within rows
    CheckSwapaxis<1, 0>(Shape3(4, 4, 5));
    CheckSwapaxis<1, 0>(Shape2(0, 5));
  });
}

TEST(SwapAxis, GoldenValuesAndNegativeAxes) {
  Guarded<2> a(Shape2(2, 3)), out(Shape2(3, 2));
  a.FillIota();
  *out = swapaxis<1, 0>(*a);
  ExpectValues(out, {0, 3, 1, 4, 2, 5});
  *out = swapaxis<-1, -2>(*a);
  ExpectValues(out, {0, 3, 1, 4, 2, 5});
}

TEST(SwapAxis, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(3, 2)), out(Shape2(2, 3));
    a.FillIota();
    *out = swapaxis<1, 0>(*a);
    ExpectValues(out, {0, 2, 4, 1, 3, 5});
  });
}

// Around and inside of others, as the operand of reductions, and of rows that consist of runs.
TEST(SwapAxis, Nested) {
  Guarded<2> flat(Shape2(12, 10), 2);
  Guarded<3> out(Shape3(5, 4, 6)), middle(Shape3(4, 5, 6)), swapped(Shape3(6, 5, 4));
  FillWhole(flat, 1000);
  const std::vector<double> all = Values(flat);
  std::vector<double> expected, sums(6, 0.0), rows(5, 0.0);
  for (int i = 0; i < 120; ++i) {
    expected.push_back(all[(i / 6 % 4 * 5 + i / 24) * 6 + i % 6]);
    sums[i % 6] += all[i];
    rows[i / 6 % 5] += all[i];
  }
  *out = swapaxis<1, 0>(reshape(*flat, Shape3(4, 5, 6)));
  ExpectValues(out, expected);
  *middle = mirror(mirror(swapaxis<1, 0>(swapaxis<1, 0>(reshape(*flat, Shape3(4, 5, 6))))));
  ExpectValues(middle, all);
  *swapped = crop(swapaxis<2, 0>(reshape(*flat, Shape3(4, 5, 6))), Shape2(5, 4));
  EXPECT_EQ(swapped.At(4 * 5 + 4 + 2), all[2 * 30 + 6 + 1]);
  Guarded<1> six(Shape1(6)), five(Shape1(5));
  *six = sumall_except_dim<0>(swapaxis<2, 0>(reshape(*flat, Shape3(4, 5, 6))));
  ExpectValues(six, sums);
  *five = sumall_except_dim<1>(swapaxis<2, 0>(reshape(*flat, Shape3(4, 5, 6))));
  ExpectValues(five, rows);
  *five = sumall_except_dim<0>(swapaxis<1, 0>(*middle));
  ExpectValues(five, rows);
  *five = sumall_except_dim<2>(swapaxis<2, 1>(*middle));
  ExpectValues(five, rows);
}

TEST(SwapAxis, RowsOfATileAreNeighboursInMemory) {
  Tensor<TestDevice, 4> t(nullptr, Shape4(2, 3, 4, 5));
  EXPECT_EQ(TileStep(MakePlan(swapaxis<3, 1>(t))), 4);
  EXPECT_EQ(TileStep(MakePlan(swapaxis<3, 2>(t))), 1);
  EXPECT_EQ(TileStep(MakePlan(swapaxis<2, 1>(t))), 0);
  static_assert(!kTransposedOf<decltype(MakePlan(swapaxis<2, 1>(t)))>);
  EXPECT_EQ(TileStep(MakePlan(2.0f * swapaxis<3, 0>(t) + 1.0f)), 12);
}

}  // namespace
}  // namespace mshadow
