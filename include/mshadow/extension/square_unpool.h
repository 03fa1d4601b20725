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
/// 2 u + 2 and 2 u + 3 of windows of 3, of which the first is in window u too, both in u + 1; of the
/// first and the last pair one of these may not be there.
/// (Cells are counted from the begin of window 0, which may lie before the image.)
struct CellPairs {
  std::ptrdiff_t begin, end;  ///< of u
  MSHADOW_XINLINE static CellPairs Of(const CoverAxis& axis, std::ptrdiff_t x, std::ptrdiff_t end) {
    const std::ptrdiff_t before = axis.ksize == 3 ? 1 : 0;
    const std::ptrdiff_t last = (end + axis.pad) / 2 - before;
    return CellPairs{(x + axis.pad + 1) / 2 - before, last < axis.windows ? last : axis.windows};
  }
  MSHADOW_XINLINE std::ptrdiff_t Count() const { return end - begin; }
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
  return CellPairs::Of(columns, all.x, all.end).Count() >= kLeastPairs<DType>;
}

/// Rows of cells of such windows.
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

  /// The rows of windows that a row of cells is in; the same twice if it is one.
  struct Windows {
    const DType *pooled[2], *grad[2];
  };

  /// Rows of windows, of each those that all pairs of a row are in: where there is none at either
  /// end, one without a gradient, so that the first and the last pair need no loops of their own. Few
  /// rows at a time: many in one go would hold up the other streams of memory.
  struct Band {
    static constexpr std::ptrdiff_t kSize = 320;
    alignas(64) DType pooled[kLinear ? 1 : kSize];
    alignas(64) DType grad[kSize];
    std::ptrdiff_t begin, end, width;  ///< rows [begin, end) of windows are there

    MSHADOW_XINLINE explicit Band(std::ptrdiff_t pairs)
        : begin(0), end(0), width((pairs + 16) / 16 * 16) {}
    MSHADOW_XINLINE Windows Of(std::ptrdiff_t upper, std::ptrdiff_t lower) const {
      upper = (upper - begin) * width;
      lower = (lower - begin) * width;
      if constexpr (kLinear) return Windows{{grad + upper, grad + lower}, {grad + upper, grad + lower}};
      return Windows{{pooled + upper, pooled + lower}, {grad + upper, grad + lower}};
    }
  };
  static_assert(2 * (kMost + 16) <= Band::kSize, "two rows at least");

  template <int k>
  MSHADOW_FORCE_INLINE void WriteRows() const {
    CellPairs pairs = CellPairs::Of(all.columns, all.x, all.end);
    Band band(pairs.Count());
    const bool banded = k == 3 && pairs.Count() <= kMost;
    if (k == 3 && !banded) {  // long rows: straight from memory where both windows are
      if (pairs.begin < 0) pairs.begin = 0;
      if (pairs.end >= all.columns.windows) pairs.end = all.columns.windows - 1;
    }
    const Division first = Split(all.y, all.height);
    std::ptrdiff_t v = first.rest, image = first.quotient * all.rows.windows;
    DType* to = all.to;
    for (std::ptrdiff_t y = all.y; y < all.end_y; ++y, to += all.stride) {
      // The row of cells is in the row of windows line / 2 and, the even ones of windows of 3, in the
      // one before.
      const std::ptrdiff_t line = v + all.rows.pad, last = line / 2;
      const std::ptrdiff_t upper = k == 3 && line % 2 == 0 && last > 0 ? last - 1 : last;
      const std::ptrdiff_t lower = last < all.rows.windows ? last : all.rows.windows - 1;
      if (upper > lower) {
        for (std::ptrdiff_t i = 0; i < all.end - all.x; ++i) to[i] = DType(0);
      } else {
        const Windows windows = WindowsOf(image + upper, image + lower);
        Windows in_band = windows;
        if (banded) {
          if (image + lower >= band.end) {
            Fill(&band, pairs, image + upper, image + all.rows.windows);
          }
          in_band = band.Of(image + upper, image + lower);
        }
        const Windows* const near = banded ? &in_band : nullptr;
        upper < lower ? WriteRow<k, k - 1>(y, windows, near, pairs, to)
                      : WriteRow<k, 1>(y, windows, near, pairs, to);
      }
      if (++v == all.height) {
        v = 0;
        image += all.rows.windows;
      }
    }
  }
  MSHADOW_XINLINE Windows WindowsOf(std::ptrdiff_t upper, std::ptrdiff_t lower) const {
    const DType *const grad[] = {all.grad.Row(upper).row_, all.grad.Row(lower).row_};
    if constexpr (kLinear) return Windows{{grad[0], grad[1]}, {grad[0], grad[1]}};
    return Windows{{all.pooled.Row(upper).row_, all.pooled.Row(lower).row_}, {grad[0], grad[1]}};
  }
  /// As many rows of windows from `begin` on as there are before `end`, and is room for.
  MSHADOW_FORCE_INLINE void Fill(Band* band, const CellPairs& pairs, std::ptrdiff_t begin,
                                 std::ptrdiff_t end) const {
    const std::ptrdiff_t room = Band::kSize / band->width, n = pairs.Count();
    band->begin = begin;
    band->end = end - begin < room ? end : begin + room;
    const std::ptrdiff_t first = pairs.begin < 0 ? 1 : 0;
    const std::ptrdiff_t last = pairs.end < all.columns.windows ? n + 1 : n;
    for (std::ptrdiff_t row = begin; row < band->end; ++row) {
      const Windows from = WindowsOf(row, row);
      DType* const grad = band->grad + (row - begin) * band->width;
      DType* const pooled = kLinear ? grad : band->pooled + (row - begin) * band->width;
      const std::ptrdiff_t u = pairs.begin;
      ForEachInShortRow(last - first, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        grad[first + i] = from.grad[0][u + first + i];
        if constexpr (!kLinear) pooled[first + i] = from.pooled[0][u + first + i];
      });
      // A gradient of 0 makes nothing of a window, if PartialGrad is finite: as of the one beside.
      if (first == 1) pooled[0] = pooled[1], grad[0] = DType(0);
      if (last == n) pooled[n] = pooled[n - 1], grad[n] = DType(0);
    }
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
  /// The cells that are not in the pairs: before them, and behind them, and what no window covers.
  template <int k, int rows>
  MSHADOW_FORCE_INLINE void WriteOthers(const Windows& windows, const DType* src,
                                        const CellPairs& pairs, DType* to) const {
    const std::ptrdiff_t to_x = (k == 3 ? 2 : 0) - all.columns.pad, behind = all.columns.windows;
    to -= all.x;
    const auto at = [&](std::ptrdiff_t x) MSHADOW_INLINE_LAMBDA {
      return kLinear ? DType(0) : src[x];
    };
    for (std::ptrdiff_t x = all.x; x < 2 * pairs.begin + to_x; ++x) {
      to[x] = SumOf<rows, false>(windows, at(x), pairs.begin - (k == 2));
    }
    std::ptrdiff_t x = 2 * pairs.end + to_x;
    if (x < all.end && pairs.end < behind) {
      to[x] = k == 3 && pairs.end + 1 < behind ? SumOf<rows, true>(windows, at(x), pairs.end)
                                               : SumOf<rows, false>(windows, at(x), pairs.end);
      ++x;
    }
    for (; x < all.end; ++x) to[x] = DType(0);
  }
  /// Row y of cells, which is in so many rows of windows; all pairs are in the band, or else in
  /// `windows`.
  template <int k, int rows>
  MSHADOW_FORCE_INLINE void WriteRow(std::ptrdiff_t y, const Windows& windows, const Windows* band,
                                     const CellPairs& pairs, DType* to) const {
    const DType* const src = kLinear ? nullptr : all.src.Row(y).row_;
    const std::ptrdiff_t to_x = (k == 3 ? 2 : 0) - all.columns.pad;
    if (band != nullptr) {
      const std::ptrdiff_t x = 2 * pairs.begin + to_x;
      WritePairs<k, rows>(*band, pairs.Count(), kLinear ? nullptr : src + x, to + (x - all.x));
    } else {
      for (std::ptrdiff_t u = pairs.begin, n; u < pairs.end; u += n) {
        n = PartInVectors(pairs.end - u, kMost);
        const std::ptrdiff_t x = 2 * u + to_x;
        Windows at = windows;
        for (int i = 0; i < 2; ++i) at.pooled[i] += u, at.grad[i] += u;
        WritePairs<k, rows>(at, n, kLinear ? nullptr : src + x, to + (x - all.x));
      }
    }
    if (2 * pairs.begin + to_x != all.x || 2 * pairs.end + to_x != all.end) {
      WriteOthers<k, rows>(windows, src, pairs, to);
    }
  }
  /// n pairs, the first of which is in the first of these windows.
  template <int k, int rows>
  MSHADOW_FORCE_INLINE static void WritePairs(const Windows& windows, std::ptrdiff_t n,
                                              const DType* from, DType* to) {
    DType memory[2 * kMost];
    if (kLinear || from == to) {  // vectors overlap, and would read what was written
      if constexpr (!kLinear) CopyRow(from, 2 * n, memory);
      from = memory;
    }
    ForEachInVectors<kLeastPairs<DType>>(n, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
      WritePair<k, rows>(windows, i, from + 2 * i, to + 2 * i);
    });
  }
};

}  // namespace detail
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXTENSION_SQUARE_UNPOOL_H_
