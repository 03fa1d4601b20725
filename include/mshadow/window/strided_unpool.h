// SPDX-License-Identifier: Apache-2.0
// Rows of cells of images in memory, each the sum of what the windows that cover it give.
#ifndef MSHADOW_WINDOW_STRIDED_UNPOOL_H_
#define MSHADOW_WINDOW_STRIDED_UNPOOL_H_

#include <cstddef>
#include <type_traits>

#include "../core/config.h"
#include "../core/fast_divmod.h"
#include "../expr/cursor/buffer_cursor.h"
#include "../expr/short_row.h"
#include "../simd/isa.h"
#include "axis.h"
#include "strided_rows.h"
#include "unpool_cursor.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// Is each cell in one column of windows at most?
template <typename DType>
MSHADOW_XINLINE bool HasCellsApart(const RowsOfCells<DType>& all) {
  const CoveringWindows& axis = all.columns;
  return axis.windows == 1 || (axis.ksize <= axis.stride && axis.stride > 2);
}

/// Rows of such cells: of a global pooling, or of windows that are 3 columns apart and more.
template <typename Reducer, typename DType>
struct NonOverlappingUnpoolKernel {
  const RowsOfCells<DType>& all;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    DType* to = all.to;
    CoveringWindows::Windows before{-1, -1};
    for (std::ptrdiff_t y = all.y; y < all.end_y; ++y, to += all.stride) {
      const DivModResult image = DivMod(y, all.height);
      const CoveringWindows::Windows cover = all.rows.Of(image.rem);
      const std::ptrdiff_t top = image.quot * all.rows.windows;
      const CoveringWindows::Windows rows{top + cover.begin, top + cover.end};
      if (kLinear && rows.begin == before.begin && rows.end == before.end) {
        CopyRow(to - all.stride, all.end - all.x, to);  // the same windows cover both
      } else {
        WriteRow(y, rows, to);
      }
      before = rows;
    }
  }

 private:
  using Value = Accumulator<DType>;
  static constexpr bool kLinear = kLinearPool<Reducer>;

  /// Row y, which is in these rows of windows of each plane.
  MSHADOW_FORCE_INLINE void WriteRow(std::ptrdiff_t y, const CoveringWindows::Windows& rows,
                                     DType* to) const {
    const CoveringWindows& axis = all.columns;
    const bool there = rows.Count() > 0 && all.planes > 0;
    for (std::ptrdiff_t x = all.x, stop; x < all.end; to += stop - x, x = stop) {
      // The last window that begins at x or before.
      const std::ptrdiff_t u = axis.windows == 1 ? 0 : FloorDiv(x + axis.pad, axis.stride);
      const std::ptrdiff_t begin = u * axis.stride - axis.pad;
      const bool covered = there && u < axis.windows && x < begin + axis.ksize;
      stop = covered ? begin + axis.ksize : u + 1 < axis.windows ? begin + axis.stride : all.end;
      if (stop > all.end) stop = all.end;
      if (kLinear || !covered) {
        const DType value = covered ? SumOf(rows, DType(0), u) : DType(0);
        for (std::ptrdiff_t i = 0; i < stop - x; ++i) to[i] = value;
        continue;
      }
      const DType* const src = all.src.Row(y).Pointer(x);
      if (rows.Count() == 1 && all.planes == 1) {
        const DType pooled = all.pooled.Row(rows.begin).Eval(u);
        const DType grad = all.grad.Row(rows.begin).Eval(u);
        MSHADOW_IVDEP
        for (std::ptrdiff_t i = 0; i < stop - x; ++i) {
          to[i] = static_cast<DType>(AddGradient<Reducer>(Value(0), src[i], pooled, grad));
        }
      } else {
        for (std::ptrdiff_t i = 0; i < stop - x; ++i) to[i] = SumOf(rows, src[i], u);
      }
    }
  }
  /// What the windows u of these rows give to a cell.
  MSHADOW_XINLINE DType SumOf(const CoveringWindows::Windows& rows, DType src,
                              std::ptrdiff_t u) const {
    if (all.planes * rows.Count() > red::kSumBlock) {
      return LongGradient<Reducer>(src, all.pooled, all.grad, all.planes, all.plane_step,
                                   rows.begin, rows.Count(), u, u + 1);
    }
    Value sum = Value(0);
    MSHADOW_NO_UNROLL
    for (std::ptrdiff_t plane = 0; plane < all.planes; ++plane) {
      MSHADOW_NO_UNROLL
      for (std::ptrdiff_t v = rows.begin; v < rows.end; ++v) {
        const std::ptrdiff_t row = plane * all.plane_step + v;
        sum =
            AddGradient<Reducer>(sum, src, all.pooled.Row(row).Eval(u), all.grad.Row(row).Eval(u));
      }
    }
    return static_cast<DType>(sum);
  }
};

/// `axis` as seen from cell `begin` on, for the windows that cover the cells up to `end`; these are
/// counted from *first on.
MSHADOW_XINLINE CoveringWindows PartOf(const CoveringWindows& axis, std::ptrdiff_t begin,
                                       std::ptrdiff_t end, std::ptrdiff_t* first) {
  std::ptrdiff_t window = axis.Of(begin).begin;
  if (window * axis.stride > begin + axis.pad) --window;  // the cell lies between two
  const std::ptrdiff_t windows = axis.Of(end - 1).end - window;
  *first = window;
  return CoveringWindows{windows > 0 ? windows : 0, axis.ksize, axis.stride,
                         axis.pad + begin - window * axis.stride};
}
/// At most so many windows has a PartOf so many cells, 1 or more.
MSHADOW_XINLINE std::ptrdiff_t MostWindows(const CoveringWindows& axis, std::ptrdiff_t cells) {
  const std::ptrdiff_t longer = axis.ksize > axis.stride ? axis.ksize : axis.stride;
  const std::ptrdiff_t most = FloorDiv(cells + longer - 2, axis.stride) + 1;
  return most < axis.windows ? most : axis.windows;
}

/// Rows of cells of windows that are 1 or 2 columns apart. Cells x = q stride - pad and, if it is
/// 2, x + 1 are a step: the windows q - back ... q cover it. Vectors are of steps.
template <typename Reducer, typename DType>
struct StridedUnpoolKernel {
  const RowsOfCells<DType>& all;
  std::ptrdiff_t back, first, steps;     ///< the first cell of the first of so many steps
  std::ptrdiff_t most_steps, most_rows;  ///< at a time

  MSHADOW_XINLINE explicit StridedUnpoolKernel(const RowsOfCells<DType>& cells)
      : all(cells), back(0), first(cells.x), steps(0), most_steps(kMax), most_rows(1) {
    const CoveringWindows& axis = all.columns;
    if (axis.stride > 2 || axis.windows == 0) return;
    back = FloorDiv(axis.ksize - 1, axis.stride);
    if (axis.stride == 2 && first < all.end) first += (all.x + axis.pad) % 2;
    const std::ptrdiff_t count = axis.stride == 1 ? all.end - first : (all.end - first) / 2;
    // Few steps at a time rather than few rows: each of these reads windows anew.
    while (most_steps > 2 * kLanes && Needs(1, most_steps + back) > kBand) most_steps /= 2;
    const std::ptrdiff_t width = back + (count < kLanes       ? kLanes
                                         : count < most_steps ? count
                                                              : most_steps);
    if (Needs(1, width) > kBand) return;
    steps = count;
    most_rows = all.end_y - all.y < all.height ? all.end_y - all.y : all.height;
    while (most_rows > 1 && Needs(most_rows, width) > kBand) most_rows /= 2;
  }
  /// Behind the last step.
  MSHADOW_XINLINE std::ptrdiff_t Behind() const { return first + steps * all.columns.stride; }

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t u = 0, n; u < steps; u += n) {
      n = PartInVectors(steps - u, most_steps);
      all.columns.stride == 1 ? Write<1>(first + u, n) : Write<2>(first + 2 * u, n);
    }
  }

 private:
  using Value = Accumulator<DType>;
  static constexpr std::ptrdiff_t kLanes = 16, kMax = 128;  // steps of a vector; at a time
  static constexpr std::ptrdiff_t kBand = 8192 / sizeof(DType);
  static constexpr bool kLinear = kLinearPool<Reducer>;

  /// What so many rows of cells take of a band of windows.
  MSHADOW_XINLINE std::ptrdiff_t Needs(std::ptrdiff_t cells, std::ptrdiff_t width) const {
    return all.planes * MostWindows(all.rows, cells) * width;
  }
  /// The n steps from cell x on of all rows, some rows at a time, whose windows are in a band.
  template <int stride>
  MSHADOW_FORCE_INLINE void Write(std::ptrdiff_t x, std::ptrdiff_t n) const {
    DType grad[kBand], memory[stride * kMax], few[stride * kLanes];
    [[maybe_unused]] DType pooled[kLinear ? 1 : kBand];
    const std::ptrdiff_t count = n < kLanes ? kLanes : n, width = count + back;
    const std::ptrdiff_t begin = (x + all.columns.pad) / stride - back;
    for (std::ptrdiff_t i = 0; i < stride * kLanes; ++i) memory[i] = DType(0);
    DType* to = all.to + (x - all.x);
    for (std::ptrdiff_t y = all.y, number; y < all.end_y; y += number) {
      const DivModResult image = DivMod(y, all.height);
      number = all.height - image.rem < most_rows ? all.height - image.rem : most_rows;
      if (number > all.end_y - y) number = all.end_y - y;
      std::ptrdiff_t top;
      const CoveringWindows axis = PartOf(all.rows, image.rem, image.rem + number, &top);
      std::ptrdiff_t at = 0;
      for (std::ptrdiff_t plane = 0; plane < all.planes; ++plane) {
        const std::ptrdiff_t row = image.quot * all.rows.windows + plane * all.plane_step + top;
        for (std::ptrdiff_t i = 0; i < axis.windows; ++i, at += width) {
          FillPart(all.grad.Row(row + i).row_, begin, width, false, grad + at);
          if constexpr (!kLinear) {
            FillPart(all.pooled.Row(row + i).row_, begin, width, true, pooled + at);
          }
        }
      }
      CoveringWindows::Windows before{-1, -1};
      for (std::ptrdiff_t r = 0; r < number; ++r, to += all.stride) {
        const CoveringWindows::Windows cover = axis.Of(r);
        if (kLinear && cover.begin == before.begin && cover.end == before.end) {
          CopyRow(to - all.stride, stride * n, to);  // the same windows cover both
          continue;
        }
        before = cover;
        DType* const out = n < kLanes ? few : to;
        const DType* src = memory;
        if constexpr (!kLinear) {
          src = all.src.Row(y + r).Pointer(x);
          if (n < kLanes || src == to) {  // there are fewer, or vectors overlap
            CopyRow(src, stride * n, memory);
            src = memory;
          }
        }
        ForEachVectorOf<kLanes>(count, [&](std::ptrdiff_t k, auto) MSHADOW_INLINE_LAMBDA {
          WriteVector<stride>(src + (kLinear ? 0 : stride * k), (kLinear ? grad : pooled) + k,
                              grad + k, width, axis.windows, cover, out + stride * k);
        });
        if (n < kLanes) CopyRow(few, stride * n, to);
      }
    }
  }
  /// kLanes steps, of windows of which row i of a plane is at i width.
  template <int stride>
  MSHADOW_FORCE_INLINE void WriteVector(const DType* src, const DType* pooled, const DType* grad,
                                        std::ptrdiff_t width, std::ptrdiff_t height,
                                        const CoveringWindows::Windows& cover, DType* to) const {
    DType cell[stride][kLanes];
    Value sum[stride][kLanes];
    for (std::ptrdiff_t l = 0; l < kLanes; ++l) {
      for (int c = 0; c < stride; ++c) {
        cell[c][l] = kLinear ? DType(0) : src[stride * l + c];
        sum[c][l] = Value(0);
      }
    }
    for (std::ptrdiff_t plane = 0; plane < all.planes; ++plane) {
      for (std::ptrdiff_t i = cover.begin; i < cover.end; ++i) {
        for (std::ptrdiff_t t = 0; t <= back; ++t) {
          const std::ptrdiff_t at = (plane * height + i) * width + t;
          MSHADOW_SIMD_LOOP
          for (std::ptrdiff_t l = 0; l < kLanes; ++l) {
            sum[0][l] = AddGradient<Reducer>(sum[0][l], cell[0][l], pooled[at + l], grad[at + l]);
          }
          // The second cell of a step is not in the first window where their size is odd.
          if (stride == 2 && 2 * (back - t) + 1 < all.columns.ksize) {
            MSHADOW_SIMD_LOOP
            for (std::ptrdiff_t l = 0; l < kLanes; ++l) {
              sum[stride - 1][l] = AddGradient<Reducer>(sum[stride - 1][l], cell[stride - 1][l],
                                                        pooled[at + l], grad[at + l]);
            }
          }
        }
      }
    }
    MSHADOW_SIMD_LOOP
    for (std::ptrdiff_t l = 0; l < kLanes; ++l) {
      for (int c = 0; c < stride; ++c) to[stride * l + c] = static_cast<DType>(sum[c][l]);
    }
  }
  /// to[i] = element begin + i of a row of windows; where it has none, 0, or that at its end (a
  /// gradient of 0 makes nothing of a window, but only if PartialGrad is finite).
  MSHADOW_FORCE_INLINE void FillPart(const DType* row, std::ptrdiff_t begin, std::ptrdiff_t n,
                                     bool ends, DType* to) const {
    const std::ptrdiff_t windows = all.columns.windows;
    const DType left = ends ? row[0] : DType(0), right = ends ? row[windows - 1] : DType(0);
    const std::ptrdiff_t zeros = begin < 0 ? -begin : 0, behind = windows - begin;
    const std::ptrdiff_t last = behind < zeros ? zeros : behind < n ? behind : n;
    for (std::ptrdiff_t i = 0; i < zeros; ++i) to[i] = left;
    if (zeros < last) CopyRow(row + begin + zeros, last - zeros, to + zeros);
    for (std::ptrdiff_t i = last; i < n; ++i) to[i] = right;
  }
};

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_STRIDED_UNPOOL_H_
