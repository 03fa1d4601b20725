// SPDX-License-Identifier: Apache-2.0
// Rows of plans: RowOf, and what engines do with a cursor whose row consists of runs.
#ifndef MSHADOW_EXPR_ROW_H_
#define MSHADOW_EXPR_ROW_H_

#include <type_traits>
#include <utility>

#include "../core/has_member.h"
#include "cursor/filled_cursor.h"
#include "exp.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

MSHADOW_HAS_MEMBER_(HasRow, Row(std::ptrdiff_t()))
MSHADOW_HAS_MEMBER_(HasPointer, Pointer(std::ptrdiff_t()))

/// One value for a whole row.
template <typename DType>
struct ValueCursor {
  static constexpr bool kPacks = true;
  DType value_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t) const { return value_; }
};

/// A row of a plan that has only Eval.
template <typename P>
struct EvalCursor {
  P plan_;
  index_t y_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const {
    return plan_.Eval(y_, static_cast<index_t>(x));
  }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) {
    return plan_.REval(y_, static_cast<index_t>(x));
  }
};

template <typename C, typename DType, typename = void>
struct HasFillRow : std::false_type {};
template <typename C, typename DType>
struct HasFillRow<C, DType,
                  std::void_t<decltype(std::declval<const C&>().FillRow(
                      std::declval<DType*>(), std::ptrdiff_t(), std::ptrdiff_t()))>>
    : std::true_type {};

}  // namespace detail

/// How a plan computes many elements at a time: not at all, or by its Fill.
enum class Fills {
  kNothing,
  kParts,  ///< parts of rows, but as an operand of a map it is better read run by run
  kBlocks  ///< as an operand of a map too, which computes blocks of it aside, see blocks.h
};

MSHADOW_MEMBER_OR_(kFillsOf, kFills, Fills::kNothing)

/// The cursor of row `y`: plan.Row(y), or one that calls plan.Eval(y, x). It may refer to the plan.
template <typename P>
MSHADOW_XINLINE auto RowOf(const P& plan, std::ptrdiff_t y) {
  if constexpr (kFillsOf<P> == Fills::kBlocks) {
    return detail::FilledCursor<P, decltype(plan.Row(y))>{plan.Row(y), &plan, y};
  } else if constexpr (detail::HasRow<P>::value) {
    return plan.Row(y);
  } else {
    return detail::EvalCursor<P>{plan, static_cast<index_t>(y)};
  }
}

/// to[(v - y) * stride + u - x] = element (v, u) of a plan that fills, for v in [y, end_y) and u in
/// [x, end).
template <typename P, typename DType>
MSHADOW_FORCE_INLINE void FillBlock(const P& plan, DType* to, std::ptrdiff_t stride,
                                    std::ptrdiff_t y, std::ptrdiff_t end_y, std::ptrdiff_t x,
                                    std::ptrdiff_t end) {
  if constexpr (detail::FillsBlocks<P>::value) {
    plan.Fill(to, stride, y, end_y, x, end);
  } else {
    for (; y < end_y; ++y, to += stride) plan.Row(y).FillRow(to, x, end);
  }
}

/// The type of RowOf(plan, y).
template <typename P>
using RowCursor = decltype(RowOf(std::declval<const P&>(), std::ptrdiff_t()));

/// The element type of a plan.
template <typename P>
using ElementOfPlan = std::decay_t<decltype(std::declval<RowCursor<P>&>().Eval(0))>;

/// Does the cursor C offer forms of itself with constants?
MSHADOW_MEMBER_OR_(kSpecializesOf, kSpecializes, false)

/// Calls f(cursor), or f with what cursor.Specialize makes of it.
template <typename C, typename F>
MSHADOW_FORCE_INLINE void Specialize(const C& cursor, const F& f) {
  if constexpr (kSpecializesOf<C>) {
    cursor.Specialize(f);
  } else {
    f(cursor);
  }
}

/// Do rows of the cursor C consist of runs?
MSHADOW_MEMBER_OR_(kRunsOf, kRuns, false)

/// May a loop over the cursor C ask it for its elements as it is?
template <typename C>
inline constexpr bool kPlainOf = !kRunsOf<C> && !kSpecializesOf<C>;

/// A cursor for the columns [x, *end) of a row; lowers *end where the run ends before.
template <typename C>
MSHADOW_FORCE_INLINE auto RunOf(const C& row, [[maybe_unused]] std::ptrdiff_t x,
                           [[maybe_unused]] std::ptrdiff_t* end) {
  if constexpr (kRunsOf<C>) {
    return row.Run(x, end);
  } else {
    return row;
  }
}

/// The type of RunOf(cursor, x, &end).
template <typename C>
using RunCursor = decltype(RunOf(std::declval<const C&>(), std::ptrdiff_t(), nullptr));

/// Calls f(cursor, begin, end) for the parts of the columns [x, end) of a row, with the cursor that
/// is fastest there: that of the run, with constants if it offers any.
template <typename C, typename F>
MSHADOW_FORCE_INLINE void ForEachRun(const C& row, std::ptrdiff_t x, std::ptrdiff_t end,
                                     const F& f) {
  if constexpr (kRunsOf<C>) {
    while (x < end) {
      std::ptrdiff_t stop = end;
      const auto run = RunOf(row, x, &stop);
      expr::Specialize(run, [&](const auto& cursor) MSHADOW_INLINE_LAMBDA { f(cursor, x, stop); });
      x = stop;
    }
  } else {
    expr::Specialize(row, [&](const auto& cursor) MSHADOW_INLINE_LAMBDA { f(cursor, x, end); });
  }
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_ROW_H_
