// SPDX-License-Identifier: Apache-2.0
// FilledCursor: a row of a plan that computes blocks of elements, see Fill in plan.h.
#ifndef MSHADOW_EXPR_CURSOR_FILLED_CURSOR_H_
#define MSHADOW_EXPR_CURSOR_FILLED_CURSOR_H_

#include <type_traits>
#include <utility>

#include "buffer_cursor.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// True if the plan P fills blocks of rows itself. Else the cursors of its rows do.
template <typename P, typename = void>
struct FillsBlocks : std::false_type {};
template <typename P>
struct FillsBlocks<P, std::void_t<decltype(&P::Fill)>> : std::true_type {};

/// Row y_ of *plan_. Its runs are filled into a buffer; single elements are those of Row.
template <typename P, typename Row>
struct FilledCursor : public Row {
  static constexpr bool kRuns = true;
  static constexpr bool kSpecializes = false;
  using DType = std::decay_t<decltype(std::declval<const Row&>().Eval(std::ptrdiff_t()))>;
  using Buffer = BufferCursor<DType, DType>;
  const P* plan_;
  std::ptrdiff_t y_;
  MSHADOW_FORCE_INLINE Buffer Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    Buffer run;
    run.begin_ = x;
    if (*end - x > Buffer::kMax) *end = x + Buffer::kMax;
    FillRow(run.value_, x, *end);
    return run;
  }
  /// to[i] = element x + i for x + i < end.
  MSHADOW_FORCE_INLINE void FillRow(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (FillsBlocks<P>::value) {
      plan_->Fill(to, 0, y_, y_ + 1, x, end);
    } else {
      Row::FillRow(to, x, end);
    }
  }
};

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_CURSOR_FILLED_CURSOR_H_
