// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/statistic_plan.h>
#include <mshadow/tensor.h>

#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

/// A block of rows [1, 1 + rows) and columns [2, 2 + cols), reduced to its rows or its columns.
template <bool rows, typename E>
void Check(const E& e, const Shape<2>& shape) {
  using Kind = statistic::Sum<double>;
  const auto plan = expr::MakePlan(e);
  using Src = std::decay_t<decltype(plan)>;
  const std::ptrdiff_t n = shape[0] - 2, cols = shape[1] - 3;
  testing::ForEachIsa([&] {
    const auto source = detail::StatisticSourceOf<Kind, rows, Src>::Make(
        plan, static_cast<std::ptrdiff_t>(shape.Size()), shape[1]);
    std::vector<double> acc(detail::kMaxStatisticLanes<Kind>, 7.0);
    int32_t aux = 0;
    statistic::NoScout scout;
    source.add(&source, {1, 1, n, 2, cols, -1, 0}, acc.data(), &aux, &scout);
    for (std::ptrdiff_t k = 0; k < (rows ? n : cols); ++k) {
      double sum = 0;
      for (std::ptrdiff_t i = 0; i < (rows ? cols : n); ++i) {
        const std::ptrdiff_t y = 1 + (rows ? k : i), x = 2 + (rows ? i : k);
        sum += static_cast<double>(expr::RowOf(plan, y).Eval(x));
      }
      ASSERT_NEAR(acc[k], sum, 1e-9) << k << " of " << n << " x " << cols;
    }
  });
}
template <typename E>
void CheckBoth(const E& e) {
  const Shape<2> shape = expr::ShapeCheck<2, E>::Check(e);
  Check<true>(e, shape);
  Check<false>(e, shape);
}

TEST(StatisticSource, OfEveryKindOfPlan) {
  testing::Guarded<2, double> a(Shape2(23, 45), 3), b(Shape2(23, 45));
  a.FillRandom(-1, 1, 5);
  b.FillRandom(-1, 1, 6);
  CheckBoth(*a);                                     // memory
  CheckBoth(*a * *b + 1.0);                          // computed in the loop
  CheckBoth(expr::concat<1>(*a, *b));                // runs
  CheckBoth(expr::pool<red::maximum>(*a, 3, 3, 1));  // computed in blocks
  CheckBoth(a->T());                                 // columns of memory
  CheckBoth(a->T() + b->T());
  testing::Guarded<2, half::half_t> h(Shape2(23, 45), 3);
  h.FillRandom(-1, 1, 7);
  CheckBoth(expr::tcast<double>(*h));
}

}  // namespace
}  // namespace mshadow
