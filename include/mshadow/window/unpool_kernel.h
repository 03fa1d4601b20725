// SPDX-License-Identifier: Apache-2.0
// WriteUnpooledRows: gradients of pooling, of operands that lie in memory. One function for each
// reducer and element type, whatever the statement.
#ifndef MSHADOW_WINDOW_UNPOOL_KERNEL_H_
#define MSHADOW_WINDOW_UNPOOL_KERNEL_H_

#include <cstddef>
#include <type_traits>

#include "../core/config.h"
#include "../core/fast_divmod.h"
#include "../expr/plan/cursors.h"
#include "../expr/plan/short_row.h"
#include "../simd/isa.h"
#include "axis.h"
#include "memory_rows.h"
#include "small_unpool.h"
#include "unpool_cursor.h"
#include "window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// Columns [x, end) of rows of any cells; one form for all instruction sets.
template <typename Reducer, typename DType>
MSHADOW_SCALAR_KERNEL void WriteCellsOneByOne(const RowsOfCells<DType>& all) {
  using Rows = StridedRows<DType>;
  for (std::ptrdiff_t y = all.y; y < all.end_y; ++y) {
    const DivModResult image = DivMod(y, all.height);
    const CoveringWindows::Windows rows = all.rows.Of(image.rem);
    const UnpoolCursor<Reducer, typename Rows::Cursor, Rows, Rows, DType> row{
        all.src.Row(y), all.pooled, all.grad,       image.quot * all.rows.windows + rows.begin,
        rows.Count(),   all.planes, all.plane_step, all.columns};
    DType* const to = all.to + (y - all.y) * all.stride - all.x;
    for (std::ptrdiff_t i = all.x; i < all.end; ++i) to[i] = row.Eval(i);
  }
}

/// Each row of windows is spread to the cells of a row: a cell has the window that begins with it
/// or before it. The windows before that one are at multiples of the stride to the left. So all
/// that a row of cells adds up are elements at the same place of `terms` such rows.
template <typename Reducer, typename DType>
struct UnpoolKernel {
  using Value = Accumulator<DType>;
  RowsOfCells<DType> all;

  explicit UnpoolKernel(const RowsOfCells<DType>& cells) : all(cells) {
    // One window: its stride does not matter.
    CoveringWindows& axis = all.columns;
    const std::ptrdiff_t least = all.end + axis.pad > axis.ksize ? all.end + axis.pad : axis.ksize;
    if (axis.windows == 1 && axis.stride < least) axis.stride = FastDivmod(least);
    terms = FloorDiv(axis.ksize - 1, axis.stride) + 1;
    phases = axis.ksize - (terms - 1) * axis.stride;
    arrays = (kLinear ? 0 : 1) + (terms > 1) + 1;
    if (phases >= axis.stride) arrays = kLinear ? 1 : 2;
    while (columns > 32 && Needs(1) > kBand) columns /= 2;
  }
  /// False: what one row of cells needs does not fit into the band, or sums are long.
  bool Fits() const {
    return Needs(1) <= kBand && all.columns.windows > 0 && all.rows.windows > 0 &&
           terms <= kMaxColumns && all.planes * MostWindows(all.rows, 1) * terms <= kMaxTerms;
  }

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    std::ptrdiff_t most = all.end_y - all.y;
    while (most > 1 && Needs(most) > kBand) most /= 2;
    for (std::ptrdiff_t x = all.x, n; x < all.end; x += n) {
      n = all.end - x < columns ? all.end - x : columns;
      Write(x, n, most);
    }
  }

 private:
  static constexpr bool kLinear = kLinearPool<Reducer>;
  /// The library's own reducers compare at most: then each element of 16 bits is converted once.
  static constexpr bool kCompares =
      kLinear || std::is_same_v<Reducer, red::maximum> || std::is_same_v<Reducer, red::minimum>;
  using Operand = std::conditional_t<kCompares, Value, DType>;
  static constexpr std::ptrdiff_t kBand = 24576 / sizeof(Operand), kMaxColumns = 256;
  static constexpr std::ptrdiff_t kLanes = 8, kMaxTerms = 512;

  std::ptrdiff_t terms;  ///< windows of a row that a cell may be in
  std::ptrdiff_t
      phases;  ///< so many cells from a multiple of the stride on are in the first of them
  std::ptrdiff_t arrays;  ///< of each row of windows: values, gradients, those of the first term
  std::ptrdiff_t columns = kMaxColumns;  ///< cells of a row at a time

  /// What one row of windows is spread to.
  MSHADOW_FORCE_INLINE std::ptrdiff_t Width() const {
    const std::ptrdiff_t n = all.end - all.x < columns ? all.end - all.x : columns;
    return (terms - 1) * all.columns.stride + n + 2 * kLanes;
  }
  MSHADOW_FORCE_INLINE std::ptrdiff_t Needs(std::ptrdiff_t rows) const {
    return all.planes * MostWindows(all.rows, rows) * arrays * Width();
  }

  /// The cells [x, x + n) of all rows, `most` at a time.
  MSHADOW_FORCE_INLINE void Write(std::ptrdiff_t x, std::ptrdiff_t n, std::ptrdiff_t most) const {
    alignas(64) Operand band[kBand + kLanes];
    Operand nothing[kMaxColumns + kLanes];
    DType memory[kMaxColumns + kLanes], few[kLanes];
    const Operand *pooled[kMaxTerms], *grad[kMaxTerms];
    for (std::ptrdiff_t i = 0; i < n + kLanes; ++i) nothing[i] = Operand(0);
    const CoveringWindows& axis = all.columns;
    const std::ptrdiff_t stride = axis.stride, width = Width(), array = width * arrays;
    const std::ptrdiff_t own = FloorDiv(x + axis.pad, axis.stride);
    const std::ptrdiff_t phase = x + axis.pad - own * stride;
    // Cell x has its own window here in a row of the band.
    const std::ptrdiff_t at = (terms - 1) * stride + (stride <= 2 ? phase : 0);
    DType* to = all.to + (x - all.x);
    for (std::ptrdiff_t y = all.y, number; y < all.end_y; y += number) {
      const DivModResult image = DivMod(y, all.height);
      number = all.height - image.rem < most ? all.height - image.rem : most;
      if (number > all.end_y - y) number = all.end_y - y;
      std::ptrdiff_t top;
      const CoveringWindows rows = PartOf(all.rows, image.rem, image.rem + number, &top);
      for (std::ptrdiff_t plane = 0; plane < all.planes; ++plane) {
        for (std::ptrdiff_t v = 0; v < rows.windows; ++v) {
          Spread(image.quot * all.rows.windows + top + v + plane * all.plane_step,
                 own - (terms - 1), phase, n, band + (plane * rows.windows + v) * array);
        }
      }
      for (std::ptrdiff_t r = 0; r < number; ++r, to += all.stride) {
        const CoveringWindows::Windows cover = rows.Of(r);
        std::ptrdiff_t count = 0;
        for (std::ptrdiff_t plane = 0; plane < all.planes; ++plane) {
          for (std::ptrdiff_t v = cover.begin; v < cover.end; ++v) {
            const Operand* const part = band + (plane * rows.windows + v) * array + at;
            for (std::ptrdiff_t t = terms - 1; t >= 0; --t, ++count) {
              const bool last = t == terms - 1 && phases < stride;
              pooled[count] = part - t * stride;
              grad[count] = part + (last ? arrays - 1 : kLinear ? 0 : 1) * width - t * stride;
            }
          }
        }
        const DType* src = kLinear ? nullptr : all.src.Row(y + r).Pointer(x);
        if (!kLinear && (n < kLanes || src == to)) {  // vectors overlap: they would read the result
          CopyRow(src, n, memory);
          src = memory;
        }
        DType* const out = n < kLanes ? few : to;
        AddUp(src, pooled, grad, count, nothing, n, out);
        if (n < kLanes) CopyRow(few, n, to);
      }
    }
  }
  template <typename F>
  MSHADOW_FORCE_INLINE static void InVectors(std::ptrdiff_t n, const F& f) {
    ForEachVectorOf<kLanes>(n < kLanes ? kLanes : n,
                            [&f](std::ptrdiff_t begin, auto) MSHADOW_INLINE_LAMBDA {
                              MSHADOW_SIMD_LOOP
                              for (int k = 0; k < kLanes; ++k) f(begin + k);
                            });
  }
  /// to[i] = what `count` terms add up to in cell i, for i < n.
  MSHADOW_FORCE_INLINE static void AddUp(const DType* src, const Operand** pooled,
                                         const Operand** grad, std::ptrdiff_t count,
                                         const Operand* nothing, std::ptrdiff_t n, DType* to) {
    const auto add = [=](Value sum, std::ptrdiff_t i, const Operand* p,
                         const Operand* g) MSHADOW_INLINE_LAMBDA {
      const Operand cell = kLinear ? Operand(0) : static_cast<Operand>(src[i]);
      const Value more = AddGradient<Reducer>(sum, cell, kLinear ? Operand(0) : p[i], g[i]);
      // A window that a cell is not in has no gradient there, but what Reducer makes of it may be
      // infinite.
      if constexpr (!kCompares) return g[i] == Operand(0) ? sum : more;
      return more;
    };
    if (count == 0) return FillShortRow(DType(0), n, to);
    const Operand *p0 = pooled[0], *g0 = grad[0];
    if (count == 1) {
      return InVectors(n, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        to[i] = static_cast<DType>(add(Value(0), i, p0, g0));
      });
    }
    const Operand *p1 = pooled[1], *g1 = grad[1];
    if (count == 2) {
      return InVectors(n, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        to[i] = static_cast<DType>(add(add(Value(0), i, p0, g0), i, p1, g1));
      });
    }
    // Four at a time.
    Value sum[2][kMaxColumns + kLanes];
    for (std::ptrdiff_t i = 0; i < n + kLanes; ++i) sum[0][i] = Value(0);
    bool swap = false;
    for (std::ptrdiff_t k = 0; k < count; k += 4, swap = !swap) {
      const Operand *p[4], *g[4];
      for (std::ptrdiff_t j = 0; j < 4; ++j) {
        p[j] = pooled[k + j < count ? k + j : k];
        g[j] = k + j < count ? grad[k + j] : nothing;
      }
      const Operand *const p2 = p[2], *const p3 = p[3], *const g2 = g[2], *const g3 = g[3];
      p0 = p[0], p1 = p[1], g0 = g[0], g1 = g[1];
      const Value* const from = sum[swap];
      Value* const next = sum[!swap];
      const auto four = [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        return add(add(add(add(from[i], i, p0, g0), i, p1, g1), i, p2, g2), i, p3, g3);
      };
      if (k + 4 >= count) {
        return InVectors(n, [=](std::ptrdiff_t i)
                                MSHADOW_INLINE_LAMBDA { to[i] = static_cast<DType>(four(i)); });
      }
      InVectors(n, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA { next[i] = four(i); });
    }
  }
  /// Spreads row `row` of the windows, from window `first` on.
  MSHADOW_FORCE_INLINE void Spread(std::ptrdiff_t row, std::ptrdiff_t first, std::ptrdiff_t phase,
                                   std::ptrdiff_t n, Operand* to) const {
    const CoveringWindows& axis = all.columns;
    const std::ptrdiff_t stride = axis.stride, width = (terms - 1) * stride + n;
    const std::ptrdiff_t count = terms + FloorDiv(phase + n - 1, axis.stride);
    // The windows [begin, end) of these are there. Another is like its neighbour, without a
    // gradient.
    const std::ptrdiff_t begin = first < 0 ? -first : 0, rest = axis.windows - first;
    const std::ptrdiff_t end = rest < begin ? begin : rest < count ? rest : count;
    for (std::ptrdiff_t a = 0; a < arrays; ++a, to += Width()) {
      const bool values = !kLinear && a == 0;
      const DType* const from = (values ? all.pooled : all.grad).Row(row).row_ + first;
      // Cells from so many on are not in the first term's window.
      const std::ptrdiff_t there = a == arrays - 1 && !values ? phases : stride;
      if (stride > 2) {
        std::ptrdiff_t i = -phase;
        for (std::ptrdiff_t k = 0; k < count; ++k, i += stride) {
          const std::ptrdiff_t nearest = k < begin ? begin : k < end ? k : rest - 1;
          const Operand value = values || nearest == k ? static_cast<Operand>(from[nearest]) : Operand(0);
          const std::ptrdiff_t stop = i + stride < width ? i + stride : width;
          const std::ptrdiff_t full = i + there < stop ? i + there : stop;
          std::ptrdiff_t j = i < 0 ? 0 : i;
          for (; j < full; ++j) to[j] = value;
          for (; j < stop; ++j) to[j] = Operand(0);
        }
        continue;
      }
      const DType* const row_of = from + begin;
      Operand* const out = to + begin * stride;
      if (stride == 1) {
        ForEachInShortRow(end - begin, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
          out[i] = static_cast<Operand>(row_of[i]);
        });
      } else if (there == 2) {
        ForEachInShortRow(end - begin, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
          out[2 * i] = out[2 * i + 1] = static_cast<Operand>(row_of[i]);
        });
      } else {
        ForEachInShortRow(end - begin, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
          out[2 * i] = static_cast<Operand>(row_of[i]);
          out[2 * i + 1] = Operand(0);
        });
      }
      const Operand left = values && begin > 0 ? static_cast<Operand>(from[begin]) : Operand(0);
      const Operand right = values ? static_cast<Operand>(from[rest - 1]) : Operand(0);
      for (std::ptrdiff_t i = 0; i < begin * stride; ++i) to[i] = left;
      for (std::ptrdiff_t i = end * stride; i < count * stride; ++i) to[i] = right;
    }
  }
};

/// to[i n + u] = what cells get of the gradient of window u of row `row` + i.
template <typename DType>
struct ShareGradientsKernel {
  const WindowShare<DType>& share;
  StridedRows<DType> grad;
  std::ptrdiff_t row, v, windows, rows, n;  // row v of the `windows` of an image
  DType* to;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    using Value = typename WindowShare<DType>::Value;
    const std::ptrdiff_t whole = share.columns.FirstWhole();
    const std::ptrdiff_t begin = whole < n ? whole : n, count = share.columns.Whole(begin, n);
    const std::ptrdiff_t end = count > 0 ? begin + count : begin;
    std::ptrdiff_t at = v;
    for (std::ptrdiff_t i = 0; i < rows; ++i, at = at + 1 == windows ? 0 : at + 1) {
      const DType* const from = grad.Row(row + i).row_;
      DType* const out = to + i * n;
      const Value part = share.Of(share.Height(at), begin);
      for (std::ptrdiff_t u = 0; u < n; ++u) {
        if (u == begin) u = end;
        if (u < n) out[u] = share.Times(from[u], at, u);
      }
      ForEachInShortRow(end - begin, [=](std::ptrdiff_t k) MSHADOW_INLINE_LAMBDA {
        out[begin + k] = static_cast<DType>(static_cast<Value>(from[begin + k]) * part);
      });
    }
  }
};

/// Writes rows of cells.
template <typename Reducer, typename DType>
MSHADOW_NOINLINE void WriteUnpooledRows(const RowsOfCells<DType>& all) {
  if (HasSquareCells(all)) return simd::Dispatch(SmallUnpoolKernel<Reducer, DType>{all});
  const UnpoolKernel<Reducer, DType> kernel(all);
  if (kernel.Fits()) {
    simd::Dispatch(kernel);
  } else {
    WriteCellsOneByOne<Reducer>(all);
  }
}

/// Whole rows of cells, of windows of 2 by 2 side by side that share their gradients. (Twice as
/// fast as through a band.)
template <typename DType>
struct ShareTwosKernel {
  const RowsOfCells<DType>& all;
  static bool Knows(const RowsOfCells<DType>& all, const WindowShare<DType>& share) {
    return all.x == 0 && all.end == share.columns.size && all.columns.windows >= 4 &&
           IsAll(share.rows, all.rows) && IsAll(share.columns, all.columns);
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    using Value = typename WindowShare<DType>::Value;
    const Value part = WindowMean<DType>::Part(4);
    DType* to = all.to;
    for (std::ptrdiff_t y = all.y; y < all.end_y;) {
      const bool both = y % 2 == 0 && y + 1 < all.end_y;
      const DType* const grad = all.grad.Row(y / 2).row_;
      DType* const first = to;
      DType* const second = both ? to + all.stride : to;
      ForEachInVectors<4>(all.columns.windows, [=](std::ptrdiff_t u) MSHADOW_INLINE_LAMBDA {
        const DType cell = static_cast<DType>(static_cast<Value>(grad[u]) * part);
        first[2 * u] = first[2 * u + 1] = cell;
        second[2 * u] = second[2 * u + 1] = cell;
      });
      y += 1 + both;
      to += (1 + both) * all.stride;
    }
  }

 private:
  static bool IsAll(const WindowAxis& axis, const CoveringWindows& cover) {
    return axis.ksize == 2 && axis.stride == 2 && axis.pad == 0 && 2 * cover.windows == axis.size;
  }
};

/// WriteUnpooledRows where each cell gets its share of a gradient. False: a row of windows is too
/// long.
template <typename DType>
MSHADOW_NOINLINE bool WriteSharedRows(const RowsOfCells<DType>& all,
                                      const WindowShare<DType>& share) {
  if (ShareTwosKernel<DType>::Knows(all, share)) {
    simd::Dispatch(ShareTwosKernel<DType>{all});
    return true;
  }
  constexpr std::ptrdiff_t kBand = 16384 / sizeof(DType);
  DType band[kBand];
  const std::ptrdiff_t width = all.columns.windows;
  std::ptrdiff_t most = all.end_y - all.y;
  while (most > 1 && MostWindows(all.rows, most) * width > kBand) most /= 2;
  if (MostWindows(all.rows, most) * width > kBand) return false;
  const std::ptrdiff_t of_image = all.rows.windows * width;
  for (std::ptrdiff_t y = all.y, n; y < all.end_y; y += n) {
    const DivModResult image = DivMod(y, all.height);
    std::ptrdiff_t top = 0, images = of_image > 0 ? kBand / of_image : 0;
    if (images > FloorDiv(all.end_y - y, all.height)) images = FloorDiv(all.end_y - y, all.height);
    if (image.rem != 0) images = 0;
    n = all.height - image.rem < most ? all.height - image.rem : most;
    if (n > all.end_y - y) n = all.end_y - y;
    RowsOfCells<DType> part = all;
    if (images > 0) {
      n = images * all.height;
    } else {
      part.rows = PartOf(all.rows, image.rem, image.rem + n, &top);
    }
    simd::Dispatch(ShareGradientsKernel<DType>{
        share, all.grad, image.quot * all.rows.windows + top, top, all.rows.windows,
        (images > 0 ? images : 1) * part.rows.windows, width, band});
    part.src = part.pooled = part.grad = StridedRows<DType>{band, width};
    part.to = all.to + (y - all.y) * all.stride;
    part.y = 0;
    part.end_y = n;
    WriteUnpooledRows<red::sum>(part);
  }
  return true;
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_UNPOOL_KERNEL_H_
