// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/plan/cursors.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;

struct Plain {
  float* row_;
  float Eval(std::ptrdiff_t x) const { return row_[x]; }
  float& REval(std::ptrdiff_t x) { return row_[x]; }
};
struct Other : Plain {};

TEST(EitherCursor, IsOneOfTwo) {
  float a[] = {0, 1, 2, 3, 4, 5, 6}, b[] = {10, 11, 12, 13, 14, 15, 16};
  for (bool first : {true, false}) {
    auto either = expr::detail::Either(first, Plain{a}, Other{{b}});
    EXPECT_EQ(either.Eval(2), first ? 2 : 12);
    either.REval(2) += 0.5f;
    EXPECT_EQ((first ? a : b)[2], first ? 2.5f : 12.5f);
    either.REval(2) -= 0.5f;
  }
}

TEST(EitherCursor, OfOneTypeIsThatType) {
  float a[] = {1}, b[] = {2};
  const auto chosen = expr::detail::Either(false, Plain{a}, Plain{b});
  static_assert(std::is_same_v<decltype(chosen), const Plain>);
  EXPECT_EQ(chosen.Eval(0), 2);
}

}  // namespace
}  // namespace mshadow
