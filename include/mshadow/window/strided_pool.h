// SPDX-License-Identifier: Apache-2.0
// Rows of windows of what lies in memory: columns are reduced first, windows of columns then.
#ifndef MSHADOW_WINDOW_STRIDED_POOL_H_
#define MSHADOW_WINDOW_STRIDED_POOL_H_

#include <type_traits>

#include "../expr/cursor/buffer_cursor.h"
#include "../expr/long_sum.h"
#include "../expr/short_row.h"
#include "../simd/isa.h"
#include "axis.h"
#include "global_pool.h"
#include "small_pool.h"
#include "strided_rows.h"
#include "window_cursor.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// Rows of any windows that may be reduced in any order, of up to kMax columns and kSumBlock rows.
template <typename Window, typename DType>
struct MemoryWindowsKernel {
  using Value = typename Window::Value;
  static constexpr std::ptrdiff_t kMax = 512;  // columns at a time
  RowsOfWindows<DType> all;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    const WindowAxis& axis = all.axis;
    const std::ptrdiff_t most = FloorDiv(kMax - axis.ksize, axis.stride) + 1;
    Value column[kRows][kMax + 16];
    DType* out = all.to;
    for (std::ptrdiff_t x = all.x, n; x < all.end; x += n, out += n) {
      n = all.end - x < most ? all.end - x : most;
      for (std::ptrdiff_t k = 0; k < all.rows; k += kRows) {
        const std::ptrdiff_t stop = all.rows - k < kRows ? all.rows : k + kRows;
        for (std::ptrdiff_t r = k; r < stop; ++r) {
          ReduceColumns(r, x * axis.stride - axis.pad, (n - 1) * axis.stride + axis.ksize,
                        column[r - k]);
        }
        for (std::ptrdiff_t r = k; r < stop; ++r) {
          DType* const to = out + r * all.stride;
          axis.stride == 1   ? ReduceWindows<1>(column[r - k], x, n, to)
          : axis.stride == 2 ? ReduceWindows<2>(column[r - k], x, n, to)
                             : ReduceWindows<0>(column[r - k], x, n, to);
        }
      }
    }
  }

 private:
  static constexpr std::ptrdiff_t kRows = 4;   // what was just written cannot be read soon
  static constexpr bool kConverts = !std::is_same_v<Value, DType>;

  MSHADOW_XINLINE std::ptrdiff_t Height() const { return all.planes * all.window_rows; }
  /// cell[i] = the reduction of column left + i of the windows of row k, for i < n. What windows
  /// reach beyond the image changes nothing.
  MSHADOW_FORCE_INLINE void ReduceColumns(std::ptrdiff_t k, std::ptrdiff_t left, std::ptrdiff_t n,
                                          Value* cell) const {
    const std::ptrdiff_t begin = left < 0 ? 0 : left, behind = left + n;
    const std::ptrdiff_t end = behind < all.axis.size ? behind : all.axis.size;
    for (std::ptrdiff_t c = left; c < begin; ++c) cell[c - left] = Window::Initial();
    for (std::ptrdiff_t c = end; c < behind; ++c) cell[c - left] = Window::Initial();
    Value converted[kConverts ? 3 : 1][kConverts ? kMax : 1], nothing[kMax], buffer[kMax];
    n = end - begin;
    if (Height() == 1 || Height() % 2 == 0) {
      for (std::ptrdiff_t i = 0; i < n; ++i) nothing[i] = Window::Initial();
    }
    const DType* row = all.src.Row(all.first + k * all.step).Pointer(begin);
    std::ptrdiff_t rows = 0, in_plane = 0;
    const auto next = [&]([[maybe_unused]] int slot) MSHADOW_INLINE_LAMBDA -> const Value* {
      if (rows == Height()) return nothing;
      const DType* const at = row;
      row += all.src.stride_;
      ++rows;
      if (++in_plane == all.window_rows) {
        in_plane = 0;
        row += (all.plane_step - all.window_rows) * all.src.stride_;
      }
      if constexpr (kConverts) {
        MSHADOW_IVDEP
        for (std::ptrdiff_t i = 0; i < n; ++i) converted[slot][i] = static_cast<Value>(at[i]);
        return converted[slot];
      } else {
        return at;
      }
    };
    Value* const to = cell + (begin - left);
    const Value* a = next(0);
    do {
      Value* const out = a == to ? buffer : to;  // vectors overlap
      const Value *const b = next(1), *const c = next(2);
      ForEachInShortRow(n, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        out[i] = Window::Combine(a[i], b[i], c[i]);
      });
      a = out;
    } while (rows < Height());
    if (a != to) CopyRow(a, n, to);
  }
  /// to[i] = window x + i of these columns, for i < n. Windows are `stride` apart; 0: any number.
  template <int stride>
  MSHADOW_FORCE_INLINE void ReduceWindows(const Value* column, std::ptrdiff_t x, std::ptrdiff_t n,
                                          DType* to) const {
    const WindowAxis& axis = all.axis;
    const std::ptrdiff_t step = stride == 0 ? axis.stride : stride;
    Value value[kMax];
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = 0; i < n; ++i) value[i] = column[i * step];
    std::ptrdiff_t j = 1;
    for (; axis.ksize - j >= 2; j += 2) {
      MSHADOW_IVDEP
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const Value* const cell = column + i * step + j;
        value[i] = Window::Combine(value[i], cell[0], cell[1]);
      }
    }
    if (j < axis.ksize) {
      MSHADOW_IVDEP
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        value[i] = Window::Combine(value[i], column[i * step + j]);
      }
    }
    if (Window::kCounts && axis.Whole(x, x + n) < n) {
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const std::ptrdiff_t cells = Height() * (axis.End(x + i) - axis.Begin(x + i));
        to[i] = Window::Result(value[i], Window::Part(cells));
      }
    } else {
      const Value part = Window::Part(Height() * axis.ksize);
      MSHADOW_IVDEP
      for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = Window::Result(value[i], part);
    }
  }
};

/// Windows that are too few, too large, or empty; one form for all instruction sets.
template <typename Window, typename DType>
MSHADOW_SCALAR_KERNEL void WriteWindowsOneByOne(const RowsOfWindows<DType>& all) {
  const std::ptrdiff_t height = all.planes * all.window_rows;
  for (std::ptrdiff_t x = all.x; x < all.end; ++x) {
    const std::ptrdiff_t left = all.axis.Begin(x), n = all.axis.End(x) - left;
    const auto part = Window::Part(height * n);
    DType* to = all.to + (x - all.x);
    for (std::ptrdiff_t k = 0; k < all.rows; ++k, to += all.stride) {
      const std::ptrdiff_t first = all.first + k * all.step;
      if (n != 2 || all.planes != 1 || height > 3) {
        *to = AssociativeWindowCursor<Window, StridedRows<DType>, DType>(
                  {all.src, first, all.window_rows, all.planes, all.plane_step, all.axis})
                  .Eval(x);
        continue;
      }
      // At the border of windows of 3 (a padded mean takes 1.2 times as long without).
      typename Window::Value value = Window::Initial();
      const DType* row = all.src.Row(first).Pointer(left);
      for (std::ptrdiff_t i = 0; i < height; ++i, row += all.src.stride_) {
        value = Window::Combine(value, row[0], row[1]);
      }
      *to = Window::Result(value, part);
    }
  }
}

/// Writes windows that all have all their columns, or lack some.
template <typename Window, typename DType>
MSHADOW_FORCE_INLINE void WriteLikeWindows(const RowsOfWindows<DType>& all) {
  using Kernel = MemoryWindowsKernel<Window, DType>;
  const std::ptrdiff_t n = all.end - all.x, height = all.planes * all.window_rows;
  if (CellsMakeVectors(n, height, all.axis.ksize, all.src.stride_)) {
    simd::Dispatch(GlobalPoolKernel<Window, DType>{all});
  } else if (n < kMinWindows || height <= 0 || height > red::kSumBlock ||
             all.axis.ksize > Kernel::kMax) {
    WriteWindowsOneByOne<Window>(all);
  } else {
    if constexpr (std::is_same_v<typename Window::Value, DType>) {
      if (AreSquareWindows(all)) return simd::Dispatch(SquareWindowsKernel<Window, DType>{all});
    }
    simd::Dispatch(Kernel{all});
  }
}

/// Writes rows of windows. One function for all statements, whatever they pool.
template <typename Window, typename DType>
MSHADOW_NOINLINE void WriteMemoryWindows(const RowsOfWindows<DType>& all) {
  const WindowAxis& axis = all.axis;
  if (axis.all_whole) return WriteLikeWindows<Window>(all);
  const std::ptrdiff_t whole = axis.FirstWhole() > all.x ? axis.FirstWhole() : all.x;
  const std::ptrdiff_t begin = whole < all.end ? whole : all.end;
  RowsOfWindows<DType> part = all;
  for (const std::ptrdiff_t end : {begin, begin + axis.Whole(begin, all.end), all.end}) {
    part.end = end;
    if (part.x < end) WriteLikeWindows<Window>(part);
    part.to += end - part.x;
    part.x = end;
  }
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_STRIDED_POOL_H_
