// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/statistic_target.h>
#include <mshadow/tensor.h>

#include "testing.h"

namespace mshadow {
namespace {

TEST(StatisticTarget, PutsResultsIntoRows) {
  testing::ForEachIsa([] {
    testing::Guarded<2> a(Shape2(4, 5), 3);
    for (std::size_t i = 0; i < a.Size(); ++i) a.At(i) = 100;
    const auto plan = expr::MakePlan(*a);
    using Dst = std::decay_t<decltype(plan)>;
    const float results[] = {1, 2, 3, 4, 5, 6, 7, 8};
    detail::StatisticTarget<sv::saveto, float, Dst> saves{plan, 5};
    auto sink = saves.Sink();
    sink.put(sink.target, results, 3, 8);
    detail::StatisticTarget<sv::plusto, float, Dst> adds{plan, 5};
    sink = adds.Sink();
    sink.put(sink.target, results, 9, 8);
    for (int i = 0; i < 20; ++i) {
      const float saved = i >= 3 && i < 11 ? results[i - 3] : 100;
      ASSERT_EQ(a.At(i), saved + (i >= 9 && i < 17 ? results[i - 9] : 0)) << i;
    }
    EXPECT_TRUE(a.Intact());
  });
}

TEST(StatisticTarget, ScalesResults) {
  testing::Guarded<1> a(Shape1(5));
  for (int i = 0; i < 5; ++i) a.At(i) = 1;
  const auto plan = expr::MakePlan(*a);
  detail::ScaledTarget<sv::plusto, float, std::decay_t<decltype(plan)>> target{plan, 3};
  const auto sink = target.Sink();
  const float results[] = {20, 40};
  sink.put(sink.target, results, 2, 2);
  EXPECT_EQ(a.At(1), 1);
  EXPECT_EQ(a.At(2), 61);
  EXPECT_EQ(a.At(3), 121);
  EXPECT_EQ(a.At(4), 1);
}

}  // namespace
}  // namespace mshadow
