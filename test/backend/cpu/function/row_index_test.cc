// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/function/row_index.h>

#include "../../../extension/reference.h"

namespace mshadow {
namespace {

TEST(RowIndex, IntoRange) {
  const std::ptrdiff_t from[] = {-7, -3, -1, 0, 2, 3, 8};
  const std::ptrdiff_t clipped[] = {0, 0, 0, 0, 2, 2, 2}, wrapped[] = {2, 0, 2, 0, 2, 0, 2};
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(detail::IntoRange<true>(from[i], 3), clipped[i]) << from[i];
    EXPECT_EQ(detail::IntoRange<false>(from[i], 3), wrapped[i]) << from[i];
  }
}

TEST(RowIndex, CheckIndicesNamesTheFirst) {
  testing::Guarded<1> index(Shape1(4));
  const float values[] = {0, 2.9f, 3, -1};
  for (int i = 0; i < 4; ++i) index.At(i) = values[i];
  const auto error = [&](index_t rows) {
    return testing::ErrorOf([&] { detail::CheckIndices("F", "i", *index, rows); });
  };
  EXPECT_NE(error(4).find("F: i[3] = -1 is not one of 4 rows"), std::string::npos) << error(4);
  EXPECT_NE(error(3).find("F: i[2] = 3 is not one of 3 rows"), std::string::npos) << error(3);
  index.At(2) = index.At(3) = 0;
  EXPECT_EQ(error(3), "no error");
}

}  // namespace
}  // namespace mshadow
