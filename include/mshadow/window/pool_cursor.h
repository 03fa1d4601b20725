// SPDX-License-Identifier: Apache-2.0
// PoolCursor: rows of what pool, pool3d and avg_pool make.
#ifndef MSHADOW_WINDOW_POOL_CURSOR_H_
#define MSHADOW_WINDOW_POOL_CURSOR_H_

#include <type_traits>

#include "../core/fast_divmod.h"
#include "../expr/pack.h"
#include "../expr/plan.h"
#include "../expr/short_row.h"
#include "axis.h"
#include "global_pool.h"
#include "strided_pool.h"
#include "strided_rows.h"
#include "window_cursor.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// A row of windows that may be reduced in any order.
template <typename Window, typename Src, typename DType>
struct PoolCursor : public AssociativeWindowCursor<Window, Src, DType> {
  using Base = AssociativeWindowCursor<Window, Src, DType>;
  using Base::first_;
  using Base::plane_step_;
  using Base::planes_;
  using Base::rows_;
  using Base::src_;
  using Base::x_;
  using typename Base::Row;
  using typename Base::Value;

  MSHADOW_XINLINE explicit PoolCursor(const WindowCursor<Window, Src, DType>& base) : Base(base) {}

  /// Packs: windows of 2 by 2 cells side by side, of rows that are packs themselves.
  static constexpr bool kPacks = kPacksOf<Row>;
  template <int W>
  MSHADOW_XINLINE bool PacksAligned(std::ptrdiff_t x) const {
    return planes_ == 1 && rows_ == 2 && x_.ksize == 2 && x_.stride == 2 && x_.all_whole &&
           expr::PacksAligned<W>(RowOf(src_, first_), 2 * x) &&
           expr::PacksAligned<W>(RowOf(src_, first_ + 1), 2 * x);
  }
  template <int W>
  MSHADOW_XINLINE Pack<DType, W> EvalPack(std::ptrdiff_t x) const {
    Pack<DType, W> result;
    if constexpr (W == 1) {
      result.item[0] = this->Eval(x);
      return result;
    }
    const Row top = RowOf(src_, first_), bottom = RowOf(src_, first_ + 1);
    const Value part = Window::Part(4);
    for (int half = 0; half < 2; ++half) {
      const auto a = expr::EvalPack<W>(top, 2 * x + half * W);
      const auto b = expr::EvalPack<W>(bottom, 2 * x + half * W);
      for (int i = 0; i < W / 2; ++i) {
        const auto pair = [i](const Pack<DType, W>& row) MSHADOW_INLINE_LAMBDA {
          return Window::Combine(static_cast<Value>(row.item[2 * i]),
                                 static_cast<Value>(row.item[2 * i + 1]));
        };
        result.item[half * (W / 2) + i] = Window::Result(Window::Combine(pair(a), pair(b)), part);
      }
    }
    return result;
  }
  /// Row k < rows goes to to + k stride; its windows begin k step rows of the source below these.
  MSHADOW_FORCE_INLINE void FillWindows(DType* to, std::ptrdiff_t stride, std::ptrdiff_t rows,
                                        std::ptrdiff_t step, std::ptrdiff_t x,
                                        std::ptrdiff_t end) const {
    if constexpr (kInMemory<Src>) {
      WriteMemoryWindows<Window, DType>({MemoryRowsOf<DType>(src_), first_, rows_, planes_,
                                         plane_step_, x_, to, stride, rows, step, x, end});
    } else {
      WriteOfBand(to, stride, rows, step, x, end);
    }
  }

 private:
  static constexpr std::ptrdiff_t kMax = 512;  // columns of a band
  static constexpr std::ptrdiff_t kBand = 16384 / sizeof(DType);

  /// FillWindows: rows of the source are computed into a band, once for all the windows of these
  /// rows that share them.
  MSHADOW_FORCE_INLINE void WriteOfBand(DType* to, std::ptrdiff_t stride, std::ptrdiff_t rows,
                                        std::ptrdiff_t step, std::ptrdiff_t x,
                                        std::ptrdiff_t end) const {
    DType band[kBand];
    const std::ptrdiff_t height = planes_ * rows_;
    const std::ptrdiff_t widest = height * kMax > kBand ? FloorDiv(kBand, height) : kMax;
    const std::ptrdiff_t most = widest < x_.ksize ? 1 : FloorDiv(widest - x_.ksize, x_.stride) + 1;
    for (std::ptrdiff_t n; x < end; x += n, to += n) {
      n = end - x < most ? end - x : most;
      const std::ptrdiff_t left = x_.Begin(x), columns = x_.End(x + n - 1) - left;
      const bool vectors =  // else the kernels have none either
          n >= kMinWindows || n * x_.ksize >= 16 || CellsMakeVectors(n, height, x_.ksize, columns);
      const bool fits = vectors && x_.ksize <= widest && height > 0 && columns > 0;
      // So many rows of windows at a time, where they share rows of the source.
      std::ptrdiff_t most_rows = 1;
      if (fits && rows > 1 && planes_ == 1 && step <= rows_) {
        most_rows = FloorDiv(FloorDiv(kBand, columns) - rows_, step) + 1;
      }
      for (std::ptrdiff_t k = 0, count; k < rows; k += count) {
        count = rows - k < most_rows ? rows - k : most_rows;
        PoolCursor row(*this);
        row.first_ += k * step;
        if (fits) {
          row.WriteBand(band, left, columns, to + k * stride, stride, count, step, x, x + n);
        } else {
          for (std::ptrdiff_t i = 0; i < n; ++i) to[k * stride + i] = row.Eval(x + i);
        }
      }
    }
  }
  /// The windows [x, end) of so many rows, whose cells are in the columns from `left` on.
  MSHADOW_FORCE_INLINE void WriteBand(DType* band, std::ptrdiff_t left, std::ptrdiff_t columns,
                                      DType* to, std::ptrdiff_t stride, std::ptrdiff_t rows,
                                      std::ptrdiff_t step, std::ptrdiff_t x,
                                      std::ptrdiff_t end) const {
    const std::ptrdiff_t height = (rows - 1) * step + rows_;
    for (std::ptrdiff_t plane = 0; plane < planes_; ++plane) {
      for (std::ptrdiff_t i = 0; i < height; ++i) {
        WriteShortRow(RowOf(src_, first_ + plane * plane_step_ + i), left, left + columns,
                      band + (plane * height + i) * columns);
      }
    }
    WindowAxis axis = x_;
    axis.size = columns;
    axis.pad += left;
    WriteMemoryWindows<Window, DType>(
        {{band, columns}, 0, rows_, planes_, height, axis, to, stride, rows, step, x, end});
  }
};

/// Rows [y, end_y) of a plan of windows, of which `height` make an image and have the windows
/// `rows` of it; where these are whole, they follow each other at even distances. So do those of
/// several images, if windows come without gaps or one makes an image, where images are
/// `image_step` rows of the source apart; 0: at distances that differ.
template <typename P, typename DType>
MSHADOW_FORCE_INLINE void WriteWindowRows(const P& plan, const FastDivmod& height,
                                          const WindowAxis& rows, std::ptrdiff_t image_step,
                                          DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                          std::ptrdiff_t end_y, std::ptrdiff_t x,
                                          std::ptrdiff_t end) {
  const std::ptrdiff_t step = height == 1 ? image_step : rows.stride;
  const bool even = rows.all_whole && step > 0 && step * height == image_step;
  while (y < end_y) {
    const std::ptrdiff_t v = y - FloorDiv(y, height) * height;
    const std::ptrdiff_t left = !even && height - v < end_y - y ? height - v : end_y - y;
    const std::ptrdiff_t whole = even ? left : rows.Whole(v, v + left);
    const std::ptrdiff_t n = whole > 0 ? whole : 1;
    plan.Row(y).FillWindows(to, stride, n, even ? step : rows.stride, x, end);
    y += n;
    to += n * stride;
  }
}

/// What Row of a plan of windows returns.
template <typename Window, typename Src, typename DType>
using PoolCursorOf = std::conditional_t<Window::kAnyOrder, PoolCursor<Window, Src, DType>,
                                        WindowCursor<Window, Src, DType>>;

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_POOL_CURSOR_H_
