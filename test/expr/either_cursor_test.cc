// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/either_cursor.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;

struct Plain {
  float* row_;
  float Eval(std::ptrdiff_t x) const { return row_[x]; }
  float& REval(std::ptrdiff_t x) { return row_[x]; }
};
/// Runs of three.
struct Threes {
  static constexpr bool kRuns = true;
  float* row_;
  float Eval(std::ptrdiff_t x) const { return row_[x]; }
  float& REval(std::ptrdiff_t x) { return row_[x]; }
  Plain Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    const std::ptrdiff_t stop = x / 3 * 3 + 3;
    if (stop < *end) *end = stop;
    return Plain{row_};
  }
};

TEST(EitherCursor, IsOneOfTwo) {
  float a[] = {0, 1, 2, 3, 4, 5, 6}, b[] = {10, 11, 12, 13, 14, 15, 16};
  for (bool first : {true, false}) {
    auto either = expr::detail::Either(first, Plain{a}, Threes{b});
    EXPECT_EQ(either.Eval(2), first ? 2 : 12);
    either.REval(2) += 0.5f;
    EXPECT_EQ((first ? a : b)[2], first ? 2.5f : 12.5f);
    either.REval(2) -= 0.5f;
    float sum = 0;
    int runs = 0;
    ForEachRun(either, 1, 7, [&](const auto& run, std::ptrdiff_t begin, std::ptrdiff_t end) {
      ++runs;
      for (std::ptrdiff_t x = begin; x < end; ++x) sum += run.Eval(x);
    });
    EXPECT_EQ(sum, first ? 21 : 81);
    EXPECT_EQ(runs, first ? 1 : 3);
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
