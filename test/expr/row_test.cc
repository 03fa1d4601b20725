// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/row.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;

// A plan with Eval alone.
struct Products {
  double Eval(index_t y, index_t x) const { return 10.0 * y + x; }
};

// Cursors that offer a constant, or runs.
template <int kStep>
struct StepCursor {
  static constexpr bool kSpecializes = kStep == 0;
  std::ptrdiff_t step_;
  float Eval(std::ptrdiff_t x) const { return static_cast<float>(x * (kStep ? kStep : step_)); }
  template <typename F>
  void Specialize(const F& f) const {
    if (step_ == 2) {
      f(StepCursor<2>{2});
    } else {
      f(*this);
    }
  }
};
struct SawCursor {
  static constexpr bool kRuns = true;
  struct Tooth {
    std::ptrdiff_t first_;
    float Eval(std::ptrdiff_t x) const { return static_cast<float>(x - first_); }
  };
  float Eval(std::ptrdiff_t x) const { return static_cast<float>(x % 4); }
  Tooth Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    const std::ptrdiff_t first = x / 4 * 4;
    if (first + 4 < *end) *end = first + 4;
    return Tooth{first};
  }
};
struct Saw {
  SawCursor Row(std::ptrdiff_t) const { return SawCursor(); }
};

TEST(RowOf, WrapsAPlanThatHasOnlyEval) {
  EXPECT_EQ(RowOf(Products(), 7).Eval(3), 73.0);
  static_assert(!kSpecializesOf<RowCursor<Products>> && !kRunsOf<RowCursor<Products>>);
}

TEST(Specialize, HandsOutTheCursorWithTheConstantOnce) {
  int calls = 0;
  Specialize(StepCursor<0>{2}, [&](const auto& c) {
    ++calls;
    static_assert(sizeof(c) > 0);
    EXPECT_EQ(c.Eval(5), 10.0f);
  });
  Specialize(StepCursor<0>{3}, [&](const auto& c) {
    ++calls;
    EXPECT_EQ(c.Eval(5), 15.0f);
  });
  EXPECT_EQ(calls, 2);
}

TEST(RunOf, EndsWhereTheRunEnds) {
  std::ptrdiff_t end = 100;
  const auto tooth = RunOf(SawCursor(), 5, &end);
  EXPECT_EQ(end, 8);
  EXPECT_EQ(tooth.Eval(7), 3.0f);
  end = 6;
  RunOf(SawCursor(), 5, &end);
  EXPECT_EQ(end, 6);
  const StepCursor<1> whole{1};
  end = 100;
  RunOf(whole, 5, &end);
  EXPECT_EQ(end, 100) << "a row without runs is one";
}

}  // namespace
}  // namespace mshadow
