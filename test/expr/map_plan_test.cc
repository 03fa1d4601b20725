// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/map_plan.h>

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

/// Runs end at multiples of `length`.
struct Parts {
  static constexpr bool kRuns = true;
  std::ptrdiff_t length;
  float Eval(std::ptrdiff_t x) const { return static_cast<float>(x); }
  Parts Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    const std::ptrdiff_t stop = (x / length + 1) * length;
    if (stop < *end) *end = stop;
    return *this;
  }
};

TEST(MapCursor, RunsEndWhereTheFirstOperandsDoes) {
  const expr::detail::MapCursor<op::plus, float, Parts, Parts> row{{{6}}, {{4}}};
  std::vector<std::ptrdiff_t> ends;
  for (std::ptrdiff_t x = 0, end; x < 13; x = end) {
    end = 13;
    EXPECT_EQ(row.Run(x, &end).Eval(x), 2 * static_cast<float>(x));
    ends.push_back(end);
  }
  EXPECT_EQ(ends, (std::vector<std::ptrdiff_t>{4, 6, 8, 12, 13}));
}

// One operand is computed in blocks, whichever it is, and whatever its type.
TEST(MapPlan, OneOperandInBlocks) {
  const auto blocks = [](const auto& e) {
    return kFillsOf<std::decay_t<decltype(MakePlan(e))>> == Fills::kBlocks;
  };
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
      EXPECT_TRUE(blocks(clip(pooled, 3.0f, 6.0f)));
      *out = clip(pooled, 3.0f, 6.0f);
      ExpectValues(out, first);
      EXPECT_TRUE(blocks(F<op::where>(*b, 5.0f, pooled)));
      *out = F<op::where>(*b, 5.0f, pooled);
      ExpectValues(out, last);
      EXPECT_TRUE(blocks(tcast<double>(pooled) * 0.5));
      *wide = tcast<double>(pooled) * 0.5;
      ExpectValues(wide, cast);
    }
  });
}

}  // namespace
}  // namespace mshadow
