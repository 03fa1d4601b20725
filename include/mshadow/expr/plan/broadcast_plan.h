// SPDX-License-Identifier: Apache-2.0
// BroadcastPlan: axes of extent 1 repeated, in any number.
#ifndef MSHADOW_EXPR_PLAN_BROADCAST_PLAN_H_
#define MSHADOW_EXPR_PLAN_BROADCAST_PLAN_H_

#include "../../core/fast_divmod.h"
#include "../../core/shape.h"
#include "blocks.h"
#include "cursors.h"
#include "plan.h"
#include "row_map.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// The last axis of a BroadcastPlan: repeated, not, or known at run time only.
enum class LastAxis { kEither, kKept, kRepeated };

/// src with its axes of extent 1 repeated to `shape`. `aligned` is the shape of src with as many
/// axes as `shape`, 1 where an axis is new; src_cols is the extent of src's own last axis.
/// `groups`: at least GroupsOf the axes that are repeated.
template <typename Src, typename DType, int groups, LastAxis last = LastAxis::kEither>
class BroadcastPlan {
 public:
  static constexpr PlanFacts kFacts =
      BroadcastFacts<Src>(last == LastAxis::kRepeated ? 1 : 1 + kCostOf<Src>);

  template <int dim>
  BroadcastPlan(const Src& src, const Shape<dim>& aligned, const Shape<dim>& shape,
                index_t src_cols)
      : src_(src),
        repeats_last_(last == LastAxis::kEither ? aligned[dim - 1] == 1
                                                : last == LastAxis::kRepeated),
        src_cols_(last == LastAxis::kKept ? 1 : static_cast<std::ptrdiff_t>(src_cols)) {
    for (int i = 0; i < dim - 1; ++i) {
      const std::ptrdiff_t stride =
          static_cast<std::ptrdiff_t>(aligned.CheckedProdShape(i + 1, dim - 1));
      rows_.Append(static_cast<std::ptrdiff_t>(shape[i]), aligned[i] == 1 ? 0 : stride);
    }
  }
  MSHADOW_XINLINE auto Row(std::ptrdiff_t y) const {
    // Of a repeated last axis the row is one element, else a row of the source.
    const std::ptrdiff_t from = rows_(y);
    if constexpr (last == LastAxis::kKept) {
      return RowOf(src_, from);
    } else if constexpr (last == LastAxis::kRepeated) {
      const std::ptrdiff_t row = kFactsOf<Src>.one_row ? 0 : FloorDiv(from, src_cols_);
      return ValueCursor<DType>{RowOf(src_, row).Eval(from - row * src_cols_)};
    } else {
      const std::ptrdiff_t row = repeats_last_ ? FloorDiv(from, src_cols_) : from;
      const auto cursor = RowOf(src_, row);
      const DType value =
          repeats_last_ ? cursor.Eval(from - row * src_cols_) : static_cast<DType>(0.0f);
      return Either(repeats_last_, ValueCursor<DType>{value}, cursor);
    }
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  template <bool fills = last == LastAxis::kEither || (last == LastAxis::kKept && kFillsOf<Src>)>
  MSHADOW_FORCE_INLINE auto Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const
      -> std::enable_if_t<fills> {
    for (; y < end_y; ++y, to += stride) {
      const std::ptrdiff_t from = rows_(y);
      if (repeats_last_) {
        const std::ptrdiff_t row = FloorDiv(from, src_cols_);
        FillShortRow(static_cast<DType>(RowOf(src_, row).Eval(from - row * src_cols_)), end - x,
                     to);
      } else {
        FillBlock(src_, to, 0, from, from + 1, x, end);
      }
    }
  }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const PlanLayout rows = rows_.Layout(LayoutOf(src_, cols));
    return repeats_last_ ? rows.Joined(rows_.EqualRows()) : rows;
  }

 private:
  Src src_;
  bool repeats_last_;
  FastDivmod src_cols_;
  RowMap<groups> rows_;
};

/// All of `rank` axes but one, as bits.
constexpr int AxesBut(int rank, int axis) { return ((1 << rank) - 1) ^ (1 << axis); }
/// Groups of neighbours among the axes but the last, of which all or none are in `mask`; 1 at
/// least.
constexpr int GroupsOf(int rank, int mask) {
  int groups = 1;
  for (int i = 1; i < rank - 1; ++i) groups += (mask >> i & 1) != (mask >> (i - 1) & 1);
  return groups;
}
template <typename Src, typename DType, int rank, int mask>
using BroadcastPlanOfMask =
    BroadcastPlan<Src, DType, GroupsOf(rank, mask),
                  (mask >> (rank - 1)) != 0 ? LastAxis::kRepeated : LastAxis::kKept>;

/// src without the axes of `mask`, repeated along these to `shape`.
template <typename Src, typename DType, int rank, int mask>
class MaskedBroadcastPlan : public BroadcastPlanOfMask<Src, DType, rank, mask> {
 public:
  MaskedBroadcastPlan(const Src& src, const Shape<rank>& shape, index_t src_cols)
      : BroadcastPlanOfMask<Src, DType, rank, mask>(src, Kept(shape), shape, src_cols) {}

 private:
  static Shape<rank> Kept(Shape<rank> shape) {
    for (int i = 0; i < rank; ++i) {
      if ((mask >> i & 1) != 0) shape[i] = 1;
    }
    return shape;
  }
};

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_BROADCAST_PLAN_H_
