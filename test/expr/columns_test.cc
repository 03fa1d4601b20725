// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/columns.h>

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
  for (std::ptrdiff_t y = 0; y < rows; ++y) {
    std::ptrdiff_t n = (rows - y + step - 1) / step;
    const auto columns = plan.Columns(y, &n);
    ASSERT_GE(n, 1);
    ASSERT_LE(n, most);
    for (index_t x = 0; x < shape[1]; ++x) {
      const auto column = columns.Column(x);
      for (std::ptrdiff_t j = 0; j < n; ++j) {
        const index_t row = static_cast<index_t>(y + j * step);
        ASSERT_EQ(column.Eval(j), plan.Eval(row, x)) << y << ' ' << j;
      }
    }
  }
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

}  // namespace
}  // namespace mshadow
