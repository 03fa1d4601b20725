// SPDX-License-Identifier: Apache-2.0
#include <mshadow/core/has_member.h>

#include <gtest/gtest.h>

namespace has_member_test {

MSHADOW_HAS_MEMBER_(HasRow, Row(0))
MSHADOW_HAS_MEMBER_(HasValue, value)
MSHADOW_MEMBER_OR_(kCostOf, kCost, 16)
MSHADOW_MEMBER_TYPE_OR_(ElementOf, Element, T)

struct Nothing {};
struct All {
  static constexpr int kCost = 3;
  using Element = float;
  int value;
  int Row(int y) const { return y; }
};
struct NotConst {
  int Row(int y) { return y; }
};

static_assert(HasRow<All>::value && !HasRow<Nothing>::value && !HasRow<NotConst>::value);
static_assert(HasValue<All>::value && !HasValue<Nothing>::value && !HasValue<int>::value);
static_assert(kCostOf<All> == 3 && kCostOf<Nothing> == 16);

TEST(HasMember, TypesFallBack) {
  EXPECT_TRUE((std::is_same_v<ElementOf<All>::Type, float>));
  EXPECT_TRUE((std::is_same_v<ElementOf<Nothing>::Type, Nothing>));
}

}  // namespace has_member_test
