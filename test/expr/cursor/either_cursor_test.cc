// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/cursor/either_cursor.h>

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

/// A run reads its elements when it is made.
struct Buffered {
  static constexpr bool kRuns = true;
  const float* row_;
  std::ptrdiff_t* read_;
  float Eval(std::ptrdiff_t x) const { return row_[x]; }
  Plain Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    *read_ += *end - x;
    return Plain{const_cast<float*>(row_)};
  }
};

// A row that is one value repeated is longer than the row of the source it is taken from.
TEST(EitherCursor, DoesNotReadTheOther) {
  const float row[] = {0, 1, 2, 3, 4, 5, 6};
  std::ptrdiff_t read[] = {0, 0};
  using Cursor = expr::detail::EitherCursor<Threes, Buffered>;
  for (bool first : {true, false}) {
    std::ptrdiff_t end = 7;
    Cursor{Threes{const_cast<float*>(row)}, Buffered{row, &read[first]}, first}.Run(4, &end);
    EXPECT_EQ(end, first ? 6 : 7);
  }
  EXPECT_EQ(read[true], 0);
  EXPECT_EQ(read[false], 3);
}

TEST(EitherCursor, OfOneTypeIsThatType) {
  float a[] = {1}, b[] = {2};
  const auto chosen = expr::detail::Either(false, Plain{a}, Plain{b});
  static_assert(std::is_same_v<decltype(chosen), const Plain>);
  EXPECT_EQ(chosen.Eval(0), 2);
}

}  // namespace
}  // namespace mshadow
