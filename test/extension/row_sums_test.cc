// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/row_sums.h>

#include <gtest/gtest.h>

namespace mshadow {
namespace {

// Rows 3 and 2051 share an entry of the table; only one of them is named often.
TEST(RowSums, OfRowsThatAreNamedOften) {
  const auto names = [](const auto& name) {
    for (int i = 0; i < 1500; ++i) {
      name(3);
      if (i % 3 == 0) name(2051);
      name(-1);
    }
  };
  const expr::detail::NamedRows rows(3000, 1000, names), none(3000, 1500, names);
  EXPECT_TRUE(none.rows().empty());
  ASSERT_EQ(rows.rows().size(), 1U);
  EXPECT_EQ(rows.SlotOf(3), 1U);
  EXPECT_EQ(rows.SlotOf(2051), 0U);
  expr::detail::RowSums<float> sums(&rows, 2);
  EXPECT_EQ(sums.Next(2051), nullptr);
  for (int i = 0; i < 1500; ++i) {
    float* const to = sums.Next(3);
    to[0] += 1.0f;
    to[1] += 2.0f;
  }
  sums.ForEach([](std::ptrdiff_t row, const double* total) {
    EXPECT_EQ(row, 3);
    EXPECT_EQ(total[0], 1500);
    EXPECT_EQ(total[1], 3000);
  });
}

}  // namespace
}  // namespace mshadow
