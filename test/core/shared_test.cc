// SPDX-License-Identifier: Apache-2.0
#include <mshadow/core/shared.h>

#include <gtest/gtest.h>

#include <utility>

namespace mshadow {
namespace {

struct Counted {
  static inline int live = 0;
  int number;
  explicit Counted(int n) : number(n) { ++live; }
  ~Counted() { --live; }
};
using Owner = expr::detail::Shared<Counted>;

TEST(Shared, TheLastOwnerDestroysTheObject) {
  {
    Owner none, a = Owner::Make(3);
    EXPECT_EQ(none.get(), nullptr);
    EXPECT_TRUE(none.IsSole() && a.IsSole());
    Owner b = a;
    EXPECT_EQ(b.get(), a.get());
    EXPECT_EQ(b.get()->number, 3);
    EXPECT_FALSE(a.IsSole());
    Owner c = std::move(a);
    EXPECT_EQ(a.get(), nullptr);
    b = Owner::Make(4);
    EXPECT_EQ(Counted::live, 2);
    EXPECT_TRUE(c.IsSole());
    c = b;
    EXPECT_EQ(Counted::live, 1);
    c = none;
    b = Owner(b);
    EXPECT_EQ(b.get()->number, 4);
  }
  EXPECT_EQ(Counted::live, 0);
}

}  // namespace
}  // namespace mshadow
