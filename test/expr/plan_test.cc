// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/plan.h>

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
  static constexpr int kCost = 3;
  SawCursor Row(std::ptrdiff_t) const { return SawCursor(); }
  PlanLayout Layout(std::ptrdiff_t cols) const { return {cols == 6 ? 2 : 1}; }
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

TEST(FlatRows, OfPlansThatSayNothingOrAskForMultiples) {
  EXPECT_EQ(FlatRows(Products(), 5), 1);
  EXPECT_EQ(FlatRows(Saw(), 6), 2);
  EXPECT_FALSE(expr::IsFlat(Saw(), 6));
  EXPECT_TRUE(expr::IsFlat(MakePlan(ScalarExp<float>(1.0f)), 3));
  Tensor<cpu, 2> padded(nullptr, Shape2(3, 5), 8, nullptr);
  EXPECT_FALSE(expr::IsFlat(MakePlan(padded), 5));
  EXPECT_TRUE(expr::IsFlat(MakePlan(padded), 8));
}

TEST(Gcd, OfRowsThatCanBeJoined) {
  EXPECT_EQ(Gcd(0, 0), 0);
  EXPECT_EQ(Gcd(0, 12), 12);
  EXPECT_EQ(Gcd(12, 0), 12);
  EXPECT_EQ(Gcd(1, 12), 1);
  EXPECT_EQ(Gcd(8, 12), 4);
  EXPECT_EQ(Gcd(12, 8), 4);
}

TEST(ReadsOf, TheOperandThatIsReadMost) {
  struct Sums : Products {
    std::ptrdiff_t reads;
    PlanLayout Layout(std::ptrdiff_t) const { return PlanLayout{}.Reading(reads); }
  };
  Sums few, many;
  few.reads = 3;
  many.reads = 500;
  EXPECT_EQ(ReadsOf(Products()), 1);
  EXPECT_EQ(ReadsOf(few, Products(), many), 500);
  few.reads = 0;
  EXPECT_EQ(ReadsOf(few), 1);
  many.reads = PTRDIFF_MAX;
  EXPECT_EQ(ReadsOf(many), 1 << 20);
}

TEST(Cost, OfAnUnknownOpIsThatOfALibraryFunction) {
  static_assert(kCostOf<Products> == 16 && kCostOf<Saw> == 3);
  static_assert(!kTransposedOf<Products>);
}

}  // namespace
}  // namespace mshadow
