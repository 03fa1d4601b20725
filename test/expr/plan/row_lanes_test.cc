// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/plan/row_lanes.h>

#include <string>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace expr {
namespace {

// Of four lanes: vectors of them, then what is left of two and of one.
TEST(RowLanes, FoldsBeforeTheRest) {
  const std::string row = "abcdefghijk";
  const auto reduce = [&row](std::ptrdiff_t x) {
    std::string acc[] = {"0", "1", "2", "3"};
    return detail::ReduceInLanes<4>(
        acc, x, 11, [&row](std::ptrdiff_t i) { return row.substr(i, 1); },
        [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; });
  };
  EXPECT_EQ(reduce(11), "((02)(13))");
  EXPECT_EQ(reduce(10), "(((02)(13))k)");
  EXPECT_EQ(reduce(9), "(((02)j)((13)k))");
  const std::string even = "((((0a)e)((2c)g))i)", odd = "((((1b)f)((3d)h))j)";
  EXPECT_EQ(reduce(0), "((" + even + odd + ")k)");
}

}  // namespace
}  // namespace expr
}  // namespace mshadow
