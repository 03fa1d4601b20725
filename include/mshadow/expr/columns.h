// SPDX-License-Identifier: Apache-2.0
// Columns: a transposing plan read along y, where its elements are neighbours in memory.
//
//   auto Columns(std::ptrdiff_t y, std::ptrdiff_t* n) const      a member of the plan
//     auto columns.Column(std::ptrdiff_t x) const                a cursor of the source
//       cursor.Eval(j) == plan.Eval(y + j * plan.TileStep(), x)  for 0 <= j < *n
//
// Columns over memory may offer `std::ptrdiff_t ColumnStride() const`: how far neighbours in x are
// apart there. Columns lowers *n to the number of rows that lie beside each other. It is called
// where TileStep() is not 0; what depends on y is done in it, so that Column costs an address.
#ifndef MSHADOW_EXPR_COLUMNS_H_
#define MSHADOW_EXPR_COLUMNS_H_

#include <type_traits>

#include "cursor/shift_cursor.h"
#include "plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {
MSHADOW_HAS_MEMBER_(HasColumns, Columns(std::ptrdiff_t(), std::declval<std::ptrdiff_t*>()))
MSHADOW_HAS_MEMBER_(HasColumnStride, ColumnStride())
}  // namespace detail

template <typename P>
inline constexpr bool kColumnsOf = detail::HasColumns<P>::value;

/// The layout of a plan whose columns are rows of `src`, `step` apart.
template <typename Src>
MSHADOW_XINLINE PlanLayout ColumnsLayout(const Src& src, std::ptrdiff_t join,
                                         std::ptrdiff_t tile_step, std::ptrdiff_t step) {
  PlanLayout layout{join, tile_step, ReadsOf(src)};
  if constexpr (detail::HasRowStride<Src>::value) {
    constexpr std::ptrdiff_t kSize = sizeof(ElementOfPlan<Src>);
    layout.column_bytes = src.RowStride() * step * kSize;
  }
  return layout;
}

/// Columns of a plan whose element (y + j n, x) is element (row + x step, first + j) of `Src`.
template <typename Src>
struct SourceColumns {
  Src src_;
  std::ptrdiff_t row_, step_, first_;
  MSHADOW_XINLINE ShiftCursor<RowCursor<Src>> Column(std::ptrdiff_t x) const {
    return ShiftCursor<RowCursor<Src>>{RowOf(src_, row_ + x * step_), first_};
  }
  /// Columns over memory: element j of column x is at Column(0).Pointer(j) + x * ColumnStride().
  template <typename P = Src, typename = std::enable_if_t<detail::HasRowStride<P>::value>>
  MSHADOW_XINLINE std::ptrdiff_t ColumnStride() const {
    return src_.RowStride() * step_;
  }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_COLUMNS_H_
