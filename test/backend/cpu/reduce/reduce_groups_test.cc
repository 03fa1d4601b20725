// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/reduce_groups.h>
#include <mshadow/tensor.h>

#include "testing.h"

namespace mshadow {
namespace {

/// The width of the columns that are added up first, and how many rows they have.
void ExpectGroups(const Shape<4>& shape, std::ptrdiff_t join, std::ptrdiff_t width,
                  std::ptrdiff_t rows) {
  SCOPED_TRACE(::testing::Message() << shape << " join " << join);
  const expr::AxisGroups groups = expr::AxisGroupsOf(shape, 0xdu);
  const detail::ImageGroups images = detail::ImageGroupsOf(groups, join);
  ASSERT_EQ(images.width, width);
  if (width == 0) return;
  EXPECT_EQ(images.groups.Reduced(), rows);
  EXPECT_EQ(images.groups.Results(), groups.Results() * width);
}
TEST(ImageGroups, GroupsOfShortImagesAndLines) {
  ExpectGroups(Shape4(8, 3, 5, 7), 0, 35, 8);     // whole images
  ExpectGroups(Shape4(8, 3, 5, 7), 1, 7, 40);     // their lines
  ExpectGroups(Shape4(8, 3, 6, 7), 2, 14, 24);    // two lines are one
  ExpectGroups(Shape4(8, 3, 50, 70), 0, 0, 0);    // large ones
  ExpectGroups(Shape4(2, 3, 5, 7), 0, 0, 0);      // few
  ExpectGroups(Shape4(8, 3, 5, 2000), 1, 0, 0);   // long lines
  ExpectGroups(Shape4(8, 1, 5, 7), 0, 0, 0);      // one result is one line
  ExpectGroups(Shape4(0, 3, 5, 7), 0, 0, 0);
  ExpectGroups(Shape4(1, 3, 1, 1), 0, 1, 1);      // a column of results
}

template <typename Kind>
void Check(const Shape<4>& shape, index_t padding) {
  SCOPED_TRACE(::testing::Message() << shape << " padded by " << padding);
  testing::Guarded<4> a(shape, padding);
  a.FillRandom(-1, 2, 3);
  const expr::AxisGroups groups = expr::AxisGroupsOf(shape, 0xdu);
  const auto plan = expr::MakePlan(*a);
  const detail::ImageGroups images =
      detail::ImageGroupsOf(groups, expr::FlatRows(plan, groups.cols));
  ASSERT_GT(images.width, 0);
  std::vector<float> results(shape[1]);
  const auto put = [](void* target, const void* from, std::ptrdiff_t i, std::ptrdiff_t n) {
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      static_cast<float*>(target)[i + k] = static_cast<const float*>(from)[k];
    }
  };
  testing::ForEachIsa([&] {
    detail::ReduceGroups<Kind>(expr::detail::ReadBy<cpu, Kind>(*a), groups, {results.data(), put});
    for (index_t c = 0; c < shape[1]; ++c) {
      double sum = 0, squares = 0;
      const std::size_t image = shape[2] * shape[3];
      for (std::size_t i = 0; i < shape[0] * image; ++i) {
        const double x = a.At((i / image * shape[1] + c) * image + i % image);
        sum += x;
        squares += x * x;
      }
      const double mean = sum / static_cast<double>(shape[0] * image);
      const double var = squares / static_cast<double>(shape[0] * image) - mean * mean;
      ASSERT_NEAR(results[c], Kind::kHasAux ? var : mean, 1e-5) << c;
    }
  });
}
TEST(ImageGroups, ReducesThem) {
  for (index_t padding : {0, 3}) {
    for (const Shape<4>& s : {Shape4(9, 3, 5, 7), Shape4(70, 600, 2, 2), Shape4(600, 5, 4, 4)}) {
      Check<statistic::Mean<float>>(s, padding);
      Check<statistic::Var<float>>(s, padding);
    }
  }
}

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
