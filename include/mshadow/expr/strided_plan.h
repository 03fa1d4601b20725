// SPDX-License-Identifier: Apache-2.0
// StridedPlan: whole or parts of rows of another plan, in another order: slices, crops, mirrors,
// tiles, axes that change places.
#ifndef MSHADOW_EXPR_STRIDED_PLAN_H_
#define MSHADOW_EXPR_STRIDED_PLAN_H_

#include "columns.h"
#include "cursor/shift_cursor.h"
#include "gather_rows.h"
#include "plan.h"
#include "reordered.h"
#include "row_map.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// Columns of a StridedPlan: those of the source.
struct SameColumns {
  static constexpr int kCost = 0;
  static constexpr bool kContiguous = true;  // in memory, where the source's are
  static constexpr bool kMayMirror = false;
  static constexpr std::ptrdiff_t first = 0;
  template <typename C>
  MSHADOW_XINLINE C Of(const C& row) const {
    return row;
  }
  MSHADOW_XINLINE bool AreAll() const { return true; }
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
};

/// Columns of a plan, from `first_` on.
template <typename C>
struct ShiftedSourceColumns {
  C columns_;
  std::ptrdiff_t first_;
  MSHADOW_XINLINE auto Column(std::ptrdiff_t x) const { return columns_.Column(x + first_); }
  template <typename S = C>
  MSHADOW_XINLINE auto ColumnStride() const -> decltype(std::declval<const S&>().ColumnStride()) {
    return columns_.ColumnStride();
  }
};

/// Element (y, x) is element x of columns.Of(row), where `row` is row rows(y) of `Src`.
template <typename Src, typename DType, typename Rows, typename Cols>
class StridedPlan {
  /// True if rows are slices, whose neighbours stay neighbours.
  static constexpr bool kKeepsParts = Cols::kContiguous && Rows::kMostAxes <= 2;

 public:
  static constexpr PlanFacts kFacts =
      FactsOver<Access::kRows, Src>(Cols::kCost + kCostOf<Src>);
  static constexpr Fills kFills = Cols::kContiguous ? kFillsOf<Src> : Fills::kNothing;
  StridedPlan(const Src& src, const Rows& rows, const Cols& columns)
      : src_(src), rows_(rows), columns_(columns) {}
  MSHADOW_XINLINE auto Row(std::ptrdiff_t y) const { return columns_.Of(RowOf(src_, rows_(y))); }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE DType& REval(index_t y, index_t x) { return Row(y).REval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const PlanLayout rows = rows_.Layout(LayoutOf(src_, cols));
    return columns_.AreAll() ? rows : rows.Joined(1);
  }
  template <typename P = Src>
  MSHADOW_XINLINE std::enable_if_t<Cols::kContiguous && kRowsInMemory<P>, MemoryRows<DType>>
  Memory(std::ptrdiff_t y) const {
    return rows_.Memory(MemoryOf(src_, rows_(y)), y).From(columns_.first);
  }
  /// Columns of the source; lowers *n to the rows that are neighbours here too.
  template <typename P = Src>
  MSHADOW_XINLINE auto Columns(std::ptrdiff_t y, std::ptrdiff_t* n) const
      -> std::enable_if_t<kKeepsParts && kColumnsOf<P>,
                          ShiftedSourceColumns<decltype(std::declval<const P&>().Columns(y, n))>> {
    const std::ptrdiff_t even = rows_.StepRows(y, TileStep(*this));
    if (*n > even) *n = even;
    return {src_.Columns(rows_(y), n), columns_.first};
  }
  template <typename P = Src>
  auto Origin() -> decltype(std::declval<P&>().Origin()) {
    return src_.Origin();
  }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (std::ptrdiff_t n; y < end_y; y += n, to += n * stride) {
      const std::ptrdiff_t row = rows_(y);
      n = rows_.EvenStride() == 1 ? rows_.EvenRows(y) : 1;
      if (n > end_y - y) n = end_y - y;
      FillBlock(src_, to, stride, row, row + n, x + columns_.first, end + columns_.first);
    }
  }

 protected:
  Src src_;
  Rows rows_;
  Cols columns_;
};

/// A StridedPlan whose columns may be mirrored: columns_.mirrors.
template <typename Src, typename DType, typename Rows, typename Cols>
class MirroringPlan : public StridedPlan<Src, DType, Rows, Cols> {
  using Base = StridedPlan<Src, DType, Rows, Cols>;
  using Base::columns_;
  using Base::rows_;
  using Base::src_;

 public:
  using Base::Base;
  static constexpr int kGatherBytes = sizeof(DType) + (MovesRows<Src>() ? 0 : kEvaluated);
  // Elements of 8 bytes are mirrored one by one, which takes longer than to compute them so.
  static constexpr bool kArithmetic = sizeof(DType) > 4 && kArithmeticOf<Src>;
  /// Blocks hold the rows as they are to be read.
  void GatherRows(MirroringPlan* gathered, RowGather* gather) const {
    const RowGather::Memory memory = [](const void* plan, std::ptrdiff_t y) {
      return InBytes(static_cast<const MirroringPlan*>(plan)->FirstElements(y));
    };
    constexpr std::ptrdiff_t kSize = sizeof(DType);
    gathered->columns_.mirrors = false;
    gather->AddRows(this, memory, kSize,
                    PointerOf(src_, RowOf(src_, rows_(0)).Pointer(0), &gathered->src_),
                    columns_.mirrors ? simd::ReverseElements<kSize> : simd::CopyRows,
                    columns_.mirrors ? -kSize : kSize);
  }
  /// Calls f(the plan that does not mirror), which is written faster. False where it mirrors.
  static constexpr bool kHasForm = true;
  template <typename F>
  bool WithForm(const F& f) const {
    if (columns_.mirrors) return false;
    f(StridedPlan<Src, DType, Rows, SameColumns>(src_, rows_, SameColumns()));
    return true;
  }

 private:
  /// Where column 0 of rows from `y` on lies in memory.
  MemoryRows<DType> FirstElements(std::ptrdiff_t y) const {
    return rows_.Memory(MemoryOf(src_, rows_(y)), y).From(columns_.mirrors ? columns_.last : 0);
  }
};

/// The StridedPlan of `src`. Of a map it is the map of its operands' StridedPlans: so narrow rows
/// are gathered, and computed as one.
template <typename Src, typename Rows, typename Columns>
inline auto MakeStrided(const Src& src, const Rows& rows, const Columns& columns) {
  if constexpr (kIsScalar<Src>) {
    return src;
  } else if constexpr (IsMap<Src>::value) {
    return src.Replaced([&](const auto& operand) {
      return detail::MakeStrided(operand, rows, columns);
    });
  } else {
    using DType = ElementOfPlan<Src>;
    return std::conditional_t<Columns::kMayMirror, MirroringPlan<Src, DType, Rows, Columns>,
                              StridedPlan<Src, DType, Rows, Columns>>(src, rows, columns);
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
#endif  // MSHADOW_EXPR_STRIDED_PLAN_H_
