// SPDX-License-Identifier: Apache-2.0
// Rows of plans: RowOf, kFillsOf.
#ifndef MSHADOW_EXPR_PLAN_ROW_H_
#define MSHADOW_EXPR_PLAN_ROW_H_

#include <type_traits>
#include <utility>

#include "../../core/has_member.h"
#include "../exp.h"

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

/// In place of the destination of Fill.
struct AnyPointer {
  template <typename T>
  operator T*() const;  // NOLINT: implicit
};
MSHADOW_HAS_MEMBER_(HasFill, Fill(AnyPointer(), std::ptrdiff_t(), std::ptrdiff_t(),
                                  std::ptrdiff_t(), std::ptrdiff_t(), std::ptrdiff_t()))

}  // namespace detail

/// True if many elements of the plan P at once cost less than one by one: it has Fill.
template <typename P>
inline constexpr bool kFillsOf = detail::HasFill<P>::value;

/// The cursor of row `y`: plan.Row(y), or one that calls plan.Eval(y, x). It may refer to the plan.
template <typename P>
MSHADOW_XINLINE auto RowOf(const P& plan, std::ptrdiff_t y) {
  if constexpr (detail::HasRow<P>::value) {
    return plan.Row(y);
  } else {
    return detail::EvalCursor<P>{plan, static_cast<index_t>(y)};
  }
}

/// The type of RowOf(plan, y).
template <typename P>
using RowCursor = decltype(RowOf(std::declval<const P&>(), std::ptrdiff_t()));

/// The element type of a plan.
template <typename P>
using ElementOfPlan = std::decay_t<decltype(std::declval<RowCursor<P>&>().Eval(0))>;

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_ROW_H_
