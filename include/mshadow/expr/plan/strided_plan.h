// SPDX-License-Identifier: Apache-2.0
// StridedPlan: whole or parts of rows of another plan, in another order: slices, crops, mirrors,
// tiles, axes that change places.
#ifndef MSHADOW_EXPR_PLAN_STRIDED_PLAN_H_
#define MSHADOW_EXPR_PLAN_STRIDED_PLAN_H_

#include "../reordered.h"
#include "blocks.h"
#include "cursors.h"
#include "plan.h"
#include "row_map.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// Columns of a StridedPlan: those of the source.
struct SameColumns {
  static constexpr int kCost = 0;
  static constexpr bool kContiguous = true;  // in memory, where the source's are
  static constexpr bool kFills = false;      // though the source does not
  static constexpr std::ptrdiff_t first = 0;
  template <typename C>
  MSHADOW_XINLINE C Of(const C& row) const {
    return row;
  }
  MSHADOW_XINLINE bool AreAll() const { return true; }
  /// FillBlock of these columns of the rows [y, end_y) of `src`.
  template <typename P, typename DType>
  MSHADOW_FORCE_INLINE void Fill(const P& src, DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    FillBlock(src, to, stride, y, end_y, x, end);
  }
};
/// Those from `first` on; all: they are no part.
struct ShiftedColumns : SameColumns {
  std::ptrdiff_t first;
  bool all;
  MSHADOW_XINLINE explicit ShiftedColumns(std::ptrdiff_t first_column, bool all_columns = false)
      : first(first_column), all(all_columns) {}
  template <typename C>
  MSHADOW_XINLINE ShiftCursor<C> Of(const C& row) const {
    return ShiftCursor<C>{row, first};
  }
  MSHADOW_XINLINE bool AreAll() const { return all; }
  template <typename P, typename DType>
  MSHADOW_FORCE_INLINE void Fill(const P& src, DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    FillBlock(src, to, stride, y, end_y, x + first, end + first);
  }
};

/// Element (y, x) is element x of columns.Of(row), where `row` is row rows(y) of `Src`.
template <typename Src, typename DType, typename Rows, typename Cols>
class StridedPlan {
 public:
  static constexpr PlanFacts kFacts =
      FactsOver<Access::kRows, Src>(Cols::kCost + kCostOf<Src>);
  StridedPlan(const Src& src, const Rows& rows, const Cols& columns)
      : src_(src), rows_(rows), columns_(columns) {}
  MSHADOW_XINLINE auto Row(std::ptrdiff_t y) const { return columns_.Of(RowOf(src_, rows_(y))); }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE DType& REval(index_t y, index_t x) { return Row(y).REval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const PlanLayout rows = rows_.Layout(LayoutOf(src_, cols));
    return columns_.AreAll() ? rows : rows.Joined(1);
  }
  template <bool fills = Cols::kFills || (Cols::kContiguous && kFillsOf<Src>)>
  MSHADOW_FORCE_INLINE auto Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const
      -> std::enable_if_t<fills> {
    for (std::ptrdiff_t n; y < end_y; y += n, to += n * stride) {
      const std::ptrdiff_t row = rows_(y);
      n = rows_.EvenStride() == 1 ? rows_.EvenRows(y) : 1;
      if (n > end_y - y) n = end_y - y;
      columns_.Fill(src_, to, stride, row, row + n, x, end);
    }
  }

 protected:
  Src src_;
  Rows rows_;
  Cols columns_;
};

/// The StridedPlan of `src`. Of a map it may be the map of its operands' StridedPlans.
template <typename Src, typename Rows, typename Columns>
inline auto MakeStrided(const Src& src, const Rows& rows, const Columns& columns) {
  if constexpr (kIsScalar<Src>) {
    return src;
  } else if constexpr (IsMap<Src>::value && !Columns::kFills) {
    return src.Replaced([&](const auto& operand) {
      return detail::MakeStrided(operand, rows, columns);
    });
  } else {
    using DType = ElementOfPlan<Src>;
    return StridedPlan<Src, DType, Rows, Columns>(src, rows, columns);
  }
}

/// The same as the base of the plan of a node whose operand has the plan Src.
template <typename Src, typename Rows, typename Columns>
class StridedOperand
    : public decltype(detail::MakeStrided(std::declval<const Src&>(), std::declval<const Rows&>(),
                                          std::declval<const Columns&>())) {
  using Base = decltype(detail::MakeStrided(std::declval<const Src&>(), std::declval<const Rows&>(),
                                            std::declval<const Columns&>()));

 public:
  template <typename E>
  StridedOperand(const E& src, const Rows& rows, const Columns& columns)
      : Base(detail::MakeStrided(MakePlanOf<Src>(src), rows, columns)) {}
};

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_STRIDED_PLAN_H_
