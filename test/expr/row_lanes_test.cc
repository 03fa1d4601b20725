// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/row_lanes.h>

#include <string>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace expr {
namespace {

// Each element once, in a lane that there is, whatever the length.
TEST(RowLanes, EachElementOnce) {
  for (std::ptrdiff_t n = 0; n < 150; ++n) {
    std::vector<int> seen(n);
    int highest = -1;
    detail::InLanes<64>(3, 3 + n, [&](int lane, std::ptrdiff_t x) {
      ++seen.at(x - 3);
      highest = lane > highest ? lane : highest;
    });
    EXPECT_EQ(seen, std::vector<int>(n, 1)) << n;
    EXPECT_LT(highest, 64);
    EXPECT_GE(highest, n < 64 ? -1 : 63);
  }
}

// Of eight lanes: halves, then quarters, each lane once.
TEST(RowLanes, FoldsPairwise) {
  std::string lanes[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  const auto combine = [](const std::string& a, const std::string& b) {
    return "(" + a + b + ")";
  };
  EXPECT_EQ(detail::FoldLanes<8>(lanes, combine), "(((ae)(cg))((bf)(dh)))");
}

}  // namespace
}  // namespace expr
}  // namespace mshadow
