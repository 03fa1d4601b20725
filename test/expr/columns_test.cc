// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/columns.h>

#include <algorithm>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::Guarded;

/// Columns agree with Eval wherever they say that they reach.
template <int dim, typename E>
void Check(const E& e, std::ptrdiff_t most) {
  const auto plan = MakePlan(e);
  static_assert(kColumnsOf<decltype(plan)>);
  const Shape<2> shape = ShapeCheck<dim, E>::Check(e).FlatTo2D();
  const std::ptrdiff_t rows = shape[0], step = TileStep(plan);
  ASSERT_GT(step, 0);
  std::ptrdiff_t found = 0;
  for (std::ptrdiff_t y = 0; y < rows; ++y) {
    std::ptrdiff_t n = (rows - y + step - 1) / step;
    const auto columns = plan.Columns(y, &n);
    ASSERT_GE(n, 1);
    found = std::max(found, n);
    for (index_t x = 0; x < shape[1]; ++x) {
      const auto column = columns.Column(x);
      for (std::ptrdiff_t j = 0; j < n; ++j) {
        const index_t row = static_cast<index_t>(y + j * step);
        ASSERT_EQ(column.Eval(j), plan.Eval(row, x)) << y << ' ' << j;
      }
    }
  }
  EXPECT_EQ(found, most);
}

TEST(Columns, OfEveryNodeThatTransposes) {
  Guarded<2> a(Shape2(5, 7), 1);
  Guarded<4> b(Shape4(2, 3, 4, 5), 2);
  a.FillIota();
  b.FillIota();
  Check<2>(a->T(), 7);
  Check<2>(swapaxis<1, 0>(*a * 2.0f), 7);
  Check<4>(swapaxis<3, 1>(*b), 5);
  Check<4>(swapaxis<3, 2>(*b), 5);
  Check<4>(transpose(*b, Shape4(0, 3, 1, 2)), 5);
  Check<4>(transpose(*b, Shape4(3, 2, 0, 1)), 5);
  static_assert(!kColumnsOf<PlanOf<Tensor<cpu, 2>>>);
}

// Slices, of the axes before, at and after the one that was the last.
TEST(Columns, OfPartsOfWhatTransposes) {
  Guarded<2> a(Shape2(5, 7), 1);
  Guarded<4> b(Shape4(3, 4, 5, 6), 2);
  a.FillIota();
  b.FillIota();
  Check<2>(slice<0>(a->T(), 2, 6), 4);
  Check<2>(slice<1>(a->T(), 1, 4), 7);
  Check<2>(crop(a->T(), Shape2(3, 2), 1, 2), 3);
  Check<4>(slice<0>(swapaxis<3, 2>(*b), 1, 3), 6);
  Check<4>(slice<1>(swapaxis<3, 1>(*b), 1, 5), 4);
  Check<4>(slice<2>(swapaxis<3, 1>(*b), 1, 3), 6);
  Check<4>(slice<2>(slice<1>(swapaxis<3, 1>(*b), 1, 5), 2, 4), 4);
  Check<4>(unpad(transpose(*b, Shape4(0, 3, 1, 2)), 1, 2), 6);
  // One row of each image: none has a neighbour.
  EXPECT_EQ(TileStep(MakePlan(slice<2>(swapaxis<3, 2>(*b), 1, 2))), 0);
}

// Rows that change places: so many lie between neighbours.
TEST(Columns, StepOfRowsInAnotherOrder) {
  Guarded<3> a(Shape3(3, 4, 5));
  EXPECT_EQ(TileStep(MakePlan(swapaxis<2, 1>(*a))), 1);
  EXPECT_EQ(TileStep(MakePlan(swapaxis<1, 0>(swapaxis<2, 1>(*a)))), 3);
  EXPECT_EQ(TileStep(MakePlan(flip(swapaxis<2, 1>(*a), 1))), 1);
  EXPECT_EQ(TileStep(MakePlan(slice(swapaxis<2, 0>(*a), {0, 1, 0}, {5, 3, 3}))), 2);
}

}  // namespace
}  // namespace mshadow
