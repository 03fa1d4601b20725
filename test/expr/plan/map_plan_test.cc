// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/plan/map_plan.h>

#include <mshadow/tensor.h>

#include "extension/reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

struct Weighted {
  static constexpr int kCost = 3;
  MSHADOW_XINLINE static double Map(float a, double b, int c, float d) {
    return a + 10.0 * b + 100.0 * c + 1000.0 * d;
  }
};

// Four operands of three types, one of them one row for all.
TEST(MapPlan, AnyNumberOfOperands) {
  TensorContainer<cpu, 2> a(Shape2(3, 5)), d(Shape2(3, 5), 2.0f);
  TensorContainer<cpu, 2, double> b(Shape2(3, 5));
  TensorContainer<cpu, 2, int> c(Shape2(3, 5));
  for (index_t y = 0; y < 3; ++y) {
    for (index_t x = 0; x < 5; ++x) {
      a[y][x] = static_cast<float>(x);
      b[y][x] = y;
      c[y][x] = static_cast<int>(x + y);
    }
  }
  using Plan = expr::detail::MapPlan<Weighted, float, PlanOf<Tensor<cpu, 2>>,
                                     PlanOf<Tensor<cpu, 2, double>>, PlanOf<Tensor<cpu, 2, int>>,
                                     PlanOf<ScalarExp<float>>>;
  const Plan plan(static_cast<const Tensor<cpu, 2>&>(a),
                  static_cast<const Tensor<cpu, 2, double>&>(b),
                  static_cast<const Tensor<cpu, 2, int>&>(c), ScalarExp<float>(2.0f));
  static_assert(std::is_same_v<ElementOfPlan<Plan>, float>);
  static_assert(kCostOf<Plan> == 3 + kCostOf<PlanOf<Tensor<cpu, 2>>> +
                                     kCostOf<PlanOf<Tensor<cpu, 2, double>>> +
                                     kCostOf<PlanOf<Tensor<cpu, 2, int>>>);
  for (index_t y = 0; y < 3; ++y) {
    for (index_t x = 0; x < 5; ++x) {
      const float expected = static_cast<float>(2000 + x + 10 * y + 100 * (x + y));
      EXPECT_EQ(plan.Eval(y, x), expected);
      EXPECT_EQ(RowOf(plan, y).Eval(x), expected);
    }
  }
}

// A map of what fills, fills; else it has a loop of its own.
TEST(MapPlan, FillsWhereAnOperandDoes) {
  Guarded<2> a(Shape2(3, 1100), 2), b(a->shape_, 1);
  FillWhole(a, 9);
  FillWhole(b, 7, 2);
  static_assert(!kFillsOf<PlanOf<decltype(*a + *b)>>);
  const auto plan = MakePlan(*a - roll(*b, 3, 1) * 2.0f);
  static_assert(kFillsOf<decltype(plan)>);
  std::vector<float> to(2 * 1100, -1.0f);
  plan.Fill(to.data(), 1097, 1, 3, 2, 1098);
  for (index_t y = 1; y < 3; ++y) {
    for (index_t x = 2; x < 1098; ++x) {
      ASSERT_EQ(to[(y - 1) * 1097 + x - 2], (*a)[y][x] - 2 * (*b)[y][(x + 1097) % 1100]) << x;
    }
  }
  EXPECT_EQ(to[1096], -1.0f);
}

// One operand is computed in blocks, whichever it is, and whatever its type.
TEST(MapPlan, OneOperandInBlocks) {
  ForEachIsa([&] {
    for (index_t columns : {1, 5, 64, 3000}) {
      SCOPED_TRACE(columns);
      Guarded<2> a(Shape2(7, 2 * columns), 1), b(Shape2(7, columns), 3), out(b->shape_, 2);
      Guarded<2, double> wide(b->shape_, 1);
      FillWhole(a, 9);
      FillWhole(b, 7, 2);
      std::vector<double> first, last, cast;
      for (index_t i = 0; i < 7 * columns; ++i) {
        const std::size_t y = i / columns, x = i % columns;
        const std::size_t from = y * 2 * columns + 2 * x;
        const double pooled = std::max(a.At(from), a.At(from + 1));
        first.push_back(std::min(std::max(pooled, 3.0), 6.0));
        last.push_back(b.At(i) != 0 ? 5 : pooled);
        cast.push_back(0.5 * pooled);
      }
      const auto pooled = pool<red::maximum>(*a, 1, 2, 1, 2);
      *out = clip(pooled, 3.0f, 6.0f);
      ExpectValues(out, first);
      *out = F<op::where>(*b, 5.0f, pooled);
      ExpectValues(out, last);
      *wide = tcast<double>(pooled) * 0.5;
      ExpectValues(wide, cast);
    }
  });
}

}  // namespace
}  // namespace mshadow
