// SPDX-License-Identifier: Apache-2.0
// WriteCells: rows of cells of any operands, each the sum of what the windows that cover it give.
#ifndef MSHADOW_WINDOW_UNPOOL_ROWS_H_
#define MSHADOW_WINDOW_UNPOOL_ROWS_H_

#include <cstddef>

#include "../core/config.h"
#include "../core/fast_divmod.h"
#include "../expr/short_row.h"
#include "../simd/isa.h"
#include "axis.h"
#include "small_unpool.h"
#include "strided_rows.h"
#include "strided_unpool.h"
#include "unpool_cursor.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// Columns [x, end) of rows of any cells; one form for all instruction sets.
template <typename Reducer, typename DType>
MSHADOW_SCALAR_KERNEL void WriteCellsOneByOne(const RowsOfCells<DType>& all, std::ptrdiff_t x,
                                              std::ptrdiff_t end) {
  using Rows = StridedRows<DType>;
  for (std::ptrdiff_t y = all.y; y < all.end_y && x < end; ++y) {
    const DivModResult image = DivMod(y, all.height);
    const CoveringWindows::Windows rows = all.rows.Of(image.rem);
    const UnpoolCursor<Reducer, typename Rows::Cursor, Rows, Rows, DType> row{
        all.src.Row(y), all.pooled, all.grad, image.quot * all.rows.windows + rows.begin,
        rows.Count(), all.planes, all.plane_step, all.columns};
    DType* const to = all.to + (y - all.y) * all.stride - all.x;
    for (std::ptrdiff_t i = x; i < end; ++i) to[i] = row.Eval(i);
  }
}

/// Does SmallUnpoolKernel know these windows, and has it enough of them?
template <typename DType>
MSHADOW_XINLINE bool HasSquareCells(const RowsOfCells<DType>& all) {
  const CoveringWindows &rows = all.rows, &columns = all.columns;
  if (columns.ksize != rows.ksize || (rows.ksize != 2 && rows.ksize != 3)) return false;
  if (columns.stride != 2 || rows.stride != 2 || all.planes != 1) return false;
  return CellPairs::Of(columns, all.x, all.end).Count() >= kMinPairs<DType>;
}

/// Writes rows of cells. One function for all statements, whatever they read.
template <typename Reducer, typename DType>
MSHADOW_NOINLINE void WriteMemoryCells(const RowsOfCells<DType>& all) {
  if (HasSquareCells(all)) {
    simd::Dispatch(SmallUnpoolKernel<Reducer, DType>{all});
  } else if (HasCellsApart(all)) {
    simd::Dispatch(NonOverlappingUnpoolKernel<Reducer, DType>{all});
  } else {
    const StridedUnpoolKernel<Reducer, DType> kernel(all);
    if (kernel.steps > 0) simd::Dispatch(kernel);
    WriteCellsOneByOne<Reducer>(all, all.x, kernel.first);
    WriteCellsOneByOne<Reducer>(all, kernel.Behind(), all.end);
  }
}

/// Writes rows of cells of any operands. What `all` lacks is where these are: row y of the source
/// is row src_first + y of `src`, the first row of windows is row `first` of `pooled` and `grad`.
/// Operands that are not in memory are computed into a band, of many rows at a time; where not even
/// what one cell needs fits, eval(y, x) computes it.
template <typename Reducer, typename DType, typename Src, typename Pooled, typename Grad,
          typename Eval>
MSHADOW_FORCE_INLINE void WriteCells(const Src& src, std::ptrdiff_t src_first, const Pooled& pooled,
                                     const Grad& grad, std::ptrdiff_t first, RowsOfCells<DType> all,
                                     const Eval& eval) {
  constexpr bool kLinear = kLinearPool<Reducer>;
  if constexpr (kInMemory<Grad> && (kLinear || (kInMemory<Pooled> && kInMemory<Src>))) {
    all.src = all.pooled = all.grad = MemoryRowsOf<DType>(grad, first);
    if constexpr (!kLinear) {
      all.src = MemoryRowsOf<DType>(src, src_first);
      all.pooled = MemoryRowsOf<DType>(pooled, first);
    }
    WriteMemoryCells<Reducer>(all);
  } else {
    constexpr std::ptrdiff_t kBand = 16384 / sizeof(DType), kMax = 512;
    DType band[kBand];
    std::ptrdiff_t rows = all.end_y - all.y < all.height ? all.end_y - all.y : all.height;
    std::ptrdiff_t columns = all.end - all.x < kMax ? all.end - all.x : kMax;
    const auto needs = [&]() MSHADOW_INLINE_LAMBDA {
      const std::ptrdiff_t windows =
          all.planes * MostWindows(all.rows, rows) * MostWindows(all.columns, columns);
      return kLinear ? windows : rows * columns + 2 * windows;
    };
    while (rows > 1 && needs() > kBand) rows /= 2;
    while (columns > 1 && needs() > kBand) columns /= 2;
    const bool fits = needs() <= kBand;
    for (std::ptrdiff_t y = all.y, n; y < all.end_y; y += n) {
      const DivModResult image = DivMod(y, all.height);
      n = all.height - image.rem < rows ? all.height - image.rem : rows;
      if (n > all.end_y - y) n = all.end_y - y;
      for (std::ptrdiff_t x = all.x, c; x < all.end; x += c) {
        c = all.end - x < columns ? all.end - x : columns;
        DType* const to = all.to + (y - all.y) * all.stride + (x - all.x);
        if (!fits) {
          *to = eval(y, x);
          continue;
        }
        std::ptrdiff_t top, left;
        const CoveringWindows part_rows = PartOf(all.rows, image.rem, image.rem + n, &top);
        const CoveringWindows part_columns = PartOf(all.columns, x, x + c, &left);
        const std::ptrdiff_t height = part_rows.windows, width = part_columns.windows;
        DType* next = band;
        const auto fill = [&](const auto& plan, std::ptrdiff_t begin, std::ptrdiff_t count,
                              std::ptrdiff_t from, std::ptrdiff_t length) MSHADOW_INLINE_LAMBDA {
          if (length == 0) return;  // cells behind all windows
          for (std::ptrdiff_t i = 0; i < count; ++i, next += length) {
            WriteShortRow(RowOf(plan, begin + i), from, from + length, next);
          }
        };
        const auto fill_windows = [&](const auto& plan) MSHADOW_INLINE_LAMBDA {
          const StridedRows<DType> memory{next, width};
          const std::ptrdiff_t begin = first + image.quot * all.rows.windows + top;
          for (std::ptrdiff_t plane = 0; plane < all.planes; ++plane) {
            fill(plan, begin + plane * all.plane_step, height, left, width);
          }
          return memory;
        };
        RowsOfCells<DType> part{
            {},         {}, fill_windows(grad), all.planes, height, part_rows, part_columns,
            all.height, to, all.stride,         0,          n,      0,         c};
        part.src = part.pooled = part.grad;
        if constexpr (!kLinear) {
          part.pooled = fill_windows(pooled);
          part.src = StridedRows<DType>{next, c};
          fill(src, src_first + y, n, x, c);
        }
        WriteMemoryCells<Reducer>(part);
      }
    }
  }
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_UNPOOL_ROWS_H_
