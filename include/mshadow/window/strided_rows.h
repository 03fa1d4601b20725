// SPDX-License-Identifier: Apache-2.0
// Rows of windows and of cells in memory, as kernels take them.
#ifndef MSHADOW_WINDOW_STRIDED_ROWS_H_
#define MSHADOW_WINDOW_STRIDED_ROWS_H_

#include <cstddef>

#include "../core/config.h"
#include "../core/fast_divmod.h"
#include "../expr/plan.h"
#include "axis.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// The rows of a matrix in memory, as a plan.
template <typename DType>
struct StridedRows {
  struct Cursor {
    const DType* row_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const { return row_[x]; }
    MSHADOW_XINLINE const DType* Pointer(std::ptrdiff_t x) const { return row_ + x; }
  };
  const DType* dptr_;
  std::ptrdiff_t stride_;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return Cursor{dptr_ + y * stride_}; }
};

/// Are the rows of a plan such?
template <typename P>
constexpr bool kInMemory = HasRowStride<P>::value&& HasPointer<RowCursor<P>>::value;
template <typename DType, typename P>
MSHADOW_XINLINE StridedRows<DType> MemoryRowsOf(const P& plan, std::ptrdiff_t first = 0) {
  return {RowOf(plan, first).Pointer(0), plan.RowStride()};
}

/// So many windows in a row make vectors, if windows are small.
constexpr std::ptrdiff_t kMinWindows = 4;

/// The windows [x, end) of `rows` rows, to be written to to + k stride. The windows of row k have
/// `window_rows` rows in each of `planes` planes, which begin with row first + k step of the source
/// and are plane_step apart.
template <typename DType>
struct RowsOfWindows {
  StridedRows<DType> src;
  std::ptrdiff_t first, window_rows, planes, plane_step;
  WindowAxis axis;
  DType* to;
  std::ptrdiff_t stride, rows, step, x, end;
};

/// The cells [x, end) of rows [y, end_y) of images of `height` rows, to be written to
/// to + (row - y) stride. Cell (v, u) of an image is in the windows rows.Of(v) x columns.Of(u) of
/// each of `planes` planes, which are plane_step rows of windows apart; the rows of windows of one
/// image follow those of the one before. Of the source, cells are at the same places; it may be
/// the destination.
template <typename DType>
struct RowsOfCells {
  StridedRows<DType> src, pooled, grad;
  std::ptrdiff_t planes, plane_step;
  const CoveringWindows &rows, &columns;
  FastDivmod height;
  DType* to;
  std::ptrdiff_t stride, y, end_y, x, end;
};

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_STRIDED_ROWS_H_
