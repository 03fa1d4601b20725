// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/plan/plan.h>

#include <mshadow/tensor.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace expr;

// Of a scalar every row is the same, and all can be joined.
TEST(Plan, OfAScalar) {
  const auto plan = MakePlan(ScalarExp<float>(2.5f));
  static_assert(std::is_same_v<std::decay_t<decltype(plan)>, PlanOf<ScalarExp<float>>>);
  static_assert(kFactsOf<PlanOf<ScalarExp<float>>>.one_row);
  static_assert(kCostOf<PlanOf<ScalarExp<float>>> == 0);
  EXPECT_EQ(plan.Eval(3, 4), 2.5f);
  EXPECT_EQ(RowOf(plan, 7).Eval(-1), 2.5f);
  EXPECT_TRUE(IsFlat(plan, 5));
}

// The plan of a view is that of its memory, whatever the type of the expression it stands in.
TEST(Plan, OfAView) {
  float data[12] = {0, 1, 2, 9, 4, 5, 6, 9, 8, 9, 10, 9};
  Tensor<cpu, 2> padded(data, Shape2(3, 3), 4, nullptr);
  auto plan = MakePlan(padded);
  EXPECT_EQ(plan.Eval(2, 1), 9.0f);
  plan.REval(2, 1) = 7.0f;
  EXPECT_EQ(data[9], 7.0f);
  EXPECT_EQ(RowOf(plan, 1).Pointer(2), data + 6);
  EXPECT_EQ(LayoutOf(plan, 3).join, 1);
  EXPECT_EQ(LayoutOf(plan, 4).join, 0);
}

}  // namespace
}  // namespace mshadow
