// SPDX-License-Identifier: Apache-2.0
// The gradients of the commonest windows, of 2 and 3 columns and as many rows, 2 apart.
#ifndef MSHADOW_EXTENSION_SQUARE_UNPOOL_H_
#define MSHADOW_EXTENSION_SQUARE_UNPOOL_H_

#include <cstddef>
#include <type_traits>

#include "../core/config.h"
#include "../core/dtype.h"
#include "../expr/buffer_cursor.h"
#include "../expr/quotient.h"
#include "../expr/short_row.h"
#include "../op/reducer.h"
#include "memory_rows.h"
#include "window_axis.h"

namespace mshadow {
namespace expr {
namespace detail {

/// The gradient of a sum depends neither on the source nor on what it was pooled to.
template <typename Reducer>
constexpr bool kLinearPool = std::is_same_v<Reducer, red::sum>;

/// `sum` and what a window of value `pooled` and gradient `grad` gives to a cell of value `src`.
template <typename Reducer, typename DType>
MSHADOW_XINLINE Accumulator<DType> AddGradient(Accumulator<DType> sum, DType src, DType pooled,
                                               DType grad) {
  using Value = Accumulator<DType>;
  return static_cast<Value>(
      sum + static_cast<Value>(Reducer::template PartialGrad<DType>(src, pooled)) *
                static_cast<Value>(grad));
}

/// The cells [x, end) of rows [y, end_y) of images of `height` rows, to be written to
/// to + (row - y) stride. Cell (v, u) of an image is in the windows rows.Of(v) x columns.Of(u) of
/// each of `planes` planes, which are plane_step rows of windows apart; the rows of windows of one
/// image follow those of the one before. Of the source, cells are at the same places; it may be
/// the destination.
template <typename DType>
struct RowsOfCells {
  MemoryRows<DType> src, pooled, grad;
  std::ptrdiff_t planes, plane_step;
  const CoverAxis &rows, &columns;
  Divisor height;
  DType* to;
  std::ptrdiff_t stride, y, end_y, x, end;
};

/// The cells of a row that come in pairs: 2 u and 2 u + 1 of windows of 2, which window u covers,
/// 2 u + 2 and 2 u + 3 of windows of 3, of which the first is in window u too, both in u + 1.
/// (Cells are counted from the begin of window 0, which may lie before the image.)
struct CellPairs {
  std::ptrdiff_t begin, end;  ///< of u
  MSHADOW_XINLINE static CellPairs Of(const CoverAxis& axis, std::ptrdiff_t x, std::ptrdiff_t end) {
    const std::ptrdiff_t before = axis.ksize == 3 ? 2 : 0;
    const std::ptrdiff_t first = x + axis.pad - before, last = (end + axis.pad - before) / 2;
    const std::ptrdiff_t most = axis.windows - before / 2;
    return CellPairs{first > 0 ? (first + 1) / 2 : 0, last < most ? last : most};
  }
};

/// So many pairs of cells make vectors: of 16-bit floats, whose conversions compilers leave scalar in
/// vectors of 4, more.
template <typename DType>
constexpr std::ptrdiff_t kLeastPairs = std::is_same_v<Accumulator<DType>, DType> ? 4 : 8;

/// Does SquareUnpoolKernel know these windows, and has it enough of them?
template <typename DType>
MSHADOW_XINLINE bool HasSquareCells(const RowsOfCells<DType>& all) {
  const CoverAxis &rows = all.rows, &columns = all.columns;
  if (columns.ksize != rows.ksize || (rows.ksize != 2 && rows.ksize != 3)) return false;
  if (columns.stride != 2 || rows.stride != 2 || all.planes != 1) return false;
  const CellPairs pairs = CellPairs::Of(columns, all.x, all.end);
  return pairs.end - pairs.begin >= kLeastPairs<DType>;
}

/// Rows of cells of such windows. Two rows that share a row of windows are written together.
template <typename Reducer, typename DType>
struct SquareUnpoolKernel {
  using Value = Accumulator<DType>;
  const RowsOfCells<DType>& all;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    all.columns.ksize == 2 ? WriteRows<2>() : WriteRows<3>();
  }

 private:
  static constexpr std::ptrdiff_t kMost = 128;  // pairs of cells at a time
  static constexpr bool kLinear = kLinearPool<Reducer>;

  /// What a row of cells is computed from, and where it goes.
  struct Line {
    const DType* src;
    DType* to;
  };
  /// Two rows of windows.
  struct Windows {
    const DType *pooled[2], *grad[2];
  };

  template <int k>
  MSHADOW_FORCE_INLINE void WriteRows() const {
    const CellPairs pairs = CellPairs::Of(all.columns, all.x, all.end);
    const std::ptrdiff_t behind = all.rows.windows;
    const Division first = Split(all.y, all.height);
    std::ptrdiff_t v = first.rest, image = first.quotient * behind, y = all.y;
    DType* to = all.to;
    while (y < all.end_y) {
      // The row of cells is in the row of windows `last` and, the even ones of windows of 3, in the
      // one before; the next, odd one is in `last` only.
      const std::ptrdiff_t line = v + all.rows.pad, last = line / 2;
      const bool even = line % 2 == 0, in_last = last < behind;
      const bool in_other = k == 3 && even && last > 0 && last <= behind;
      std::ptrdiff_t rows = 1;
      if (!in_last && !in_other) {
        for (std::ptrdiff_t i = 0; i < all.end - all.x; ++i) to[i] = DType(0);
      } else {
        // As many pairs of rows as there are, or one row.
        const bool only = k == 3 && !(in_other && in_last);  // in one row of windows
        const std::ptrdiff_t room = all.end_y - y < all.height - v ? all.end_y - y : all.height - v;
        std::ptrdiff_t count = even && !only ? room / 2 : 0;
        if (count > behind - last) count = behind - last;
        if (count > 0) rows = 2 * count;
        const std::ptrdiff_t lower = image + (in_last ? last : last - 1);
        const Line row{SrcOf(y), to}, none{row.src, nullptr};
        WriteTwo<k>(WindowsOf(k == 2 || only ? lower : lower - 1, lower), only ? none : row,
                    only          ? row
                    : count == 0 ? none
                                  : Line{SrcOf(y + 1), to + all.stride},
                    pairs, count);
      }
      y += rows;
      v += rows;
      to += rows * all.stride;
      if (v == all.height) {
        v = 0;
        image += behind;
      }
    }
  }
  MSHADOW_XINLINE const DType* SrcOf(std::ptrdiff_t y) const {
    return kLinear ? nullptr : all.src.Row(y).row_;
  }
  MSHADOW_XINLINE Windows WindowsOf(std::ptrdiff_t upper, std::ptrdiff_t lower) const {
    const DType *const grad[] = {all.grad.Row(upper).row_, all.grad.Row(lower).row_};
    if constexpr (kLinear) return Windows{{grad[0], grad[1]}, {grad[0], grad[1]}};
    return Windows{{all.pooled.Row(upper).row_, all.pooled.Row(lower).row_}, {grad[0], grad[1]}};
  }
  /// What the windows of column u, or both of u and u + 1, of the last `rows` rows add up to.
  template <int rows, bool both>
  MSHADOW_XINLINE static DType SumOf(const Windows& windows, DType src, std::ptrdiff_t u) {
    Value sum = Value(0);
    if constexpr (rows == 2) sum = SumOfRow<both>(windows, 0, sum, src, u);
    return static_cast<DType>(SumOfRow<both>(windows, 1, sum, src, u));
  }
  template <bool both>
  MSHADOW_XINLINE static Value SumOfRow(const Windows& windows, int i, Value sum, DType src,
                                        std::ptrdiff_t u) {
    sum = AddGradient<Reducer>(sum, src, windows.pooled[i][u], windows.grad[i][u]);
    if constexpr (!both) return sum;
    return AddGradient<Reducer>(sum, src, windows.pooled[i][u + 1], windows.grad[i][u + 1]);
  }
  /// The pair of cells u, from the first two elements at `from`.
  template <int k, int rows>
  MSHADOW_XINLINE static void WritePair(const Windows& windows, std::ptrdiff_t u, const DType* from,
                                        DType* to) {
    const DType even = kLinear ? DType(0) : from[0], odd = kLinear ? DType(0) : from[1];
    to[0] = SumOf<rows, k == 3>(windows, even, u);
    to[1] = SumOf<rows, false>(windows, odd, u + (k == 3));
  }
  /// The cells that are not in pairs: before them of one window, and behind them one, of a window
  /// or two, and what no window covers.
  template <int k, int rows>
  MSHADOW_FORCE_INLINE void WriteOthers(const Windows& windows, const Line& line,
                                        const CellPairs& pairs) const {
    const std::ptrdiff_t to_x = (k == 3 ? 2 : 0) - all.columns.pad, behind = all.columns.windows;
    DType* const to = line.to - all.x;
    const auto src = [&](std::ptrdiff_t x) MSHADOW_INLINE_LAMBDA {
      return kLinear ? DType(0) : line.src[x];
    };
    for (std::ptrdiff_t x = all.x; x < 2 * pairs.begin + to_x; ++x) {
      to[x] = SumOf<rows, false>(windows, src(x), pairs.begin - (k == 2));
    }
    std::ptrdiff_t x = 2 * pairs.end + to_x;
    if (x < all.end && pairs.end < behind) {
      to[x] = k == 3 && pairs.end + 1 < behind ? SumOf<rows, true>(windows, src(x), pairs.end)
                                               : SumOf<rows, false>(windows, src(x), pairs.end);
      ++x;
    }
    for (; x < all.end; ++x) to[x] = DType(0);
  }
  /// What to read for n pairs from u on: the source, or where it would be overwritten, for vectors
  /// overlap, a copy.
  MSHADOW_FORCE_INLINE static const DType* Unwritten(const DType* src, const DType* to,
                                                     std::ptrdiff_t n, DType* memory) {
    if (kLinear || src != to) return kLinear ? to : src;
    CopyRow(src, 2 * n, memory);
    return memory;
  }
  /// A row of cells that is in both rows of windows (of windows of 2, in the last), and the next one,
  /// which is in the last; one of them may be wanted by nobody, who has no place for it. `count` of
  /// such pairs, each a row of windows further.
  template <int k>
  MSHADOW_FORCE_INLINE void WriteTwo(Windows windows, Line row, Line next, const CellPairs& pairs,
                                     std::ptrdiff_t count) const {
    DType memory[2][2 * kMost], nowhere[2][2 * kMost];
    const std::ptrdiff_t before = (k == 3 ? 2 : 0) - all.columns.pad;
    while (true) {
      for (std::ptrdiff_t u = pairs.begin, n; u < pairs.end; u += n) {
        n = PartInVectors(pairs.end - u, kMost);
        const std::ptrdiff_t x = 2 * u + before, begin = u;
        DType* const to = row.to == nullptr ? nowhere[0] : row.to + (x - all.x);
        DType* const below = next.to == nullptr ? nowhere[1] : next.to + (x - all.x);
        const DType* const from = Unwritten(kLinear ? nullptr : row.src + x, to, n, memory[0]);
        const DType* const from_below =
            Unwritten(kLinear ? nullptr : next.src + x, below, n, memory[1]);
        ForEachInVectors<kLeastPairs<DType>>(n, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
          WritePair<k, k - 1>(windows, begin + i, from + 2 * i, to + 2 * i);
          WritePair<k, 1>(windows, begin + i, from_below + 2 * i, below + 2 * i);
        });
      }
      if (row.to != nullptr) WriteOthers<k, k - 1>(windows, row, pairs);
      if (next.to != nullptr) WriteOthers<k, 1>(windows, next, pairs);
      if (--count <= 0) return;
      if constexpr (!kLinear) {
        row.src += 2 * all.src.stride_;
        next.src += 2 * all.src.stride_;
      }
      row.to += 2 * all.stride;
      next.to += 2 * all.stride;
      for (int i = 0; i < 2; ++i) {
        windows.pooled[i] += all.pooled.stride_;
        windows.grad[i] += all.grad.stride_;
      }
    }
  }
};

}  // namespace detail
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXTENSION_SQUARE_UNPOOL_H_
