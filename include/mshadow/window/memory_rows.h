// SPDX-License-Identifier: Apache-2.0
// Rows of windows and of cells, as kernels take them: in memory, or computed into it.
#ifndef MSHADOW_WINDOW_STRIDED_ROWS_H_
#define MSHADOW_WINDOW_STRIDED_ROWS_H_

#include <cstddef>

#include "../core/config.h"
#include "../core/fast_divmod.h"
#include "../expr/plan/blocks.h"
#include "../expr/reordered.h"
#include "../simd/isa.h"
#include "axis.h"
#include "window.h"

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

/// True if the rows of a plan are such.
template <typename P>
constexpr bool kInMemory = HasRowStride<P>::value&& HasPointer<RowCursor<P>>::value;
/// The plan of an operand that kernels read from memory. On the CPU another is computed into memory
/// first.
template <typename E, typename DType>
using InMemoryPlan = PlanFirstIf<!kInMemory<PlanOf<E>>, E, DType>;
template <typename DType, typename P>
MSHADOW_XINLINE StridedRows<DType> MemoryRowsOf(const P& plan, std::ptrdiff_t first = 0) {
  return {RowOf(plan, first).Pointer(0), plan.RowStride()};
}

/// The same elements one by one, of a plan that Fill finds no memory below.
template <typename P, typename DType>
MSHADOW_FORCE_INLINE void FillOneByOne(const P& plan, DType* to, std::ptrdiff_t stride,
                                       std::ptrdiff_t y, std::ptrdiff_t end_y, std::ptrdiff_t x,
                                       std::ptrdiff_t end) {
  for (; y < end_y; ++y, to += stride) {
    for (std::ptrdiff_t i = x; i < end; ++i) to[i - x] = plan.Row(y).Eval(i);
  }
}

/// Rows of any plan, whose type only `compute` knows: so kernels are compiled once for all sources.
template <typename DType>
struct SourceRows {
  StridedRows<DType> memory;  ///< where plan is null
  const void* plan;
  /// to[(v - y) * (end - x) + u - x] = element (v, u) for v in [y, end_y), u in [x, end).
  void (*compute)(const void* plan, DType* to, std::ptrdiff_t y, std::ptrdiff_t end_y,
                  std::ptrdiff_t x, std::ptrdiff_t end);
};
template <typename P, typename DType>
struct ComputeRowsKernel {
  const P& plan;
  DType* to;
  std::ptrdiff_t y, end_y, x, end;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    FillBlock(plan, to, end - x, y, end_y, x, end);
  }
  static void Run(const void* plan, DType* to, std::ptrdiff_t y, std::ptrdiff_t end_y,
                  std::ptrdiff_t x, std::ptrdiff_t end) {
    simd::Dispatch(ComputeRowsKernel{*static_cast<const P*>(plan), to, y, end_y, x, end});
  }
};
template <typename DType, typename P>
MSHADOW_XINLINE SourceRows<DType> SourceRowsOf(const P& plan) {
  if constexpr (kInMemory<P>) {
    return {MemoryRowsOf<DType>(plan), nullptr, nullptr};
  } else {
    return {{}, &plan, ComputeRowsKernel<P, DType>::Run};
  }
}

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

/// What each cell of an average window gets of its gradient: one part of so many.
template <typename DType>
struct WindowShare {
  using Mean = WindowMean<DType>;
  using Value = typename Mean::Value;
  WindowAxis rows, columns;
  /// The rows of cells of windows of row v.
  MSHADOW_XINLINE std::ptrdiff_t Height(std::ptrdiff_t v) const {
    return rows.End(v) - rows.Begin(v);
  }
  /// The factor of window u in a row of windows of this height.
  MSHADOW_XINLINE Value Of(std::ptrdiff_t height, std::ptrdiff_t u) const {
    return Mean::Part(height * (columns.End(u) - columns.Begin(u)));
  }
  /// What is left of the gradient of window (v, u).
  MSHADOW_XINLINE DType Times(DType grad, std::ptrdiff_t v, std::ptrdiff_t u) const {
    return static_cast<DType>(static_cast<Value>(grad) * Of(Height(v), u));
  }
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
  CoveringWindows rows, columns;
  FastDivmod height;
  DType* to;
  std::ptrdiff_t stride, y, end_y, x, end;
};

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_STRIDED_ROWS_H_
