// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/reduce/statistic_block.h>
#include <mshadow/tensor.h>

#include "testing.h"

namespace mshadow {
namespace {

/// Element (y, x) is 100 y + x.
struct Numbered : testing::Guarded<2> {
  explicit Numbered(const Shape<2>& shape) : testing::Guarded<2>(shape, 3) {
    for (std::size_t i = 0; i < this->Size(); ++i) {
      this->At(i) = static_cast<float>(i / shape[1] * 100 + i % shape[1]);
    }
  }
};

TEST(StatisticBlock, OfMemoryAndOfAPlan) {
  Numbered a(Shape2(9, 7));
  const auto memory = expr::MakePlan(*a);
  const detail::BlockInMemory<float> rows{memory.Row(2).Pointer(1), 2 * memory.RowStride()};
  const auto plan = expr::MakePlan(*a * 2.0f);
  const detail::BlockOfPlan<double, std::decay_t<decltype(plan)>> twice{&plan, 2, 2, 1, 0};
  const detail::BlockOfPlan<double, std::decay_t<decltype(plan)>> flat{&plan, 2, 0, 1, 3};
  for (std::ptrdiff_t r = 0; r < 3; ++r) {
    for (std::ptrdiff_t i = 0; i < 5; ++i) {
      ASSERT_EQ(rows.Row(r)[i], 100 * (2 + 2 * r) + 1 + i);
      ASSERT_EQ(twice.Row(r)[i], 2 * (100 * (2 + 2 * r) + 1 + i));
    }
  }
  for (std::ptrdiff_t r = 0; r < 2; ++r) {
    for (std::ptrdiff_t i = 0; i < 3; ++i) ASSERT_EQ(flat.Row(r)[i], 2 * (201 + 3 * r + i));
  }
}

/// Rows of the block are columns of the plan, as far as it says that they go.
template <typename E>
void CheckTransposed(const E& e, std::ptrdiff_t y, std::ptrdiff_t most, std::ptrdiff_t expected) {
  const auto plan = expr::MakePlan(e);
  std::ptrdiff_t n = most;
  const detail::TransposedBlock<float, std::decay_t<decltype(plan)>> block(plan, y, 1, &n);
  ASSERT_EQ(n, expected);
  for (std::ptrdiff_t r = 0; r < 3; ++r) {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      ASSERT_EQ(block.Row(r)[i], expr::RowOf(plan, y + i).Eval(1 + r)) << r << ' ' << i;
    }
  }
}
TEST(StatisticBlock, Transposed) {
  Numbered a(Shape2(9, 7));
  CheckTransposed(a->T(), 2, 4, 4);
  CheckTransposed(a->T() + a->T(), 2, 4, 4);  // without Columns
  testing::Guarded<3> b(Shape3(2, 5, 6), 1);
  b.FillIota();
  CheckTransposed(expr::transpose(*b, Shape3(0, 2, 1)), 4, 8, 2);  // up to the end of an image
}

}  // namespace
}  // namespace mshadow
