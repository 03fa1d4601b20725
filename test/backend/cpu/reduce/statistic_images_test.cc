// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/statistic_images.h>
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
TEST(StatisticImages, GroupsOfShortImagesAndLines) {
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
  const auto put = [](void* target, const float* from, std::ptrdiff_t i, std::ptrdiff_t n) {
    for (std::ptrdiff_t k = 0; k < n; ++k) static_cast<float*>(target)[i + k] = from[k];
  };
  testing::ForEachIsa([&] {
    detail::ReduceGroups<Kind, true>(plan, groups,
                                     detail::StatisticSink<float>{results.data(), put});
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
TEST(StatisticImages, ReducesThem) {
  for (index_t padding : {0, 3}) {
    for (const Shape<4>& s : {Shape4(9, 3, 5, 7), Shape4(70, 600, 2, 2), Shape4(600, 5, 4, 4)}) {
      Check<statistic::Mean<float>>(s, padding);
      Check<statistic::Var<float>>(s, padding);
    }
  }
}

}  // namespace
}  // namespace mshadow
