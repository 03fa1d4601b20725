// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/plan/row.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;

// A plan with Eval alone.
struct Products {
  double Eval(index_t y, index_t x) const { return 10.0 * y + x; }
};

// One that computes many at once, where `fills`.
template <bool fills>
struct Blocks {
  float Eval(index_t, index_t x) const { return static_cast<float>(x); }
  template <bool there = fills>
  auto Fill(float*, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t,
            std::ptrdiff_t) const -> std::enable_if_t<there> {}
};

TEST(RowOf, WrapsAPlanThatHasOnlyEval) {
  EXPECT_EQ(RowOf(Products(), 7).Eval(3), 73.0);
}

TEST(Fills, WherePlansHaveTheMember) {
  static_assert(kFillsOf<Blocks<true>> && !kFillsOf<Blocks<false>> && !kFillsOf<Products>);
  static_assert(std::is_same_v<ElementOfPlan<Blocks<true>>, float>);
}

}  // namespace
}  // namespace mshadow
