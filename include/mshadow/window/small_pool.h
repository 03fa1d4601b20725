// SPDX-License-Identifier: Apache-2.0
// The commonest windows, of 2 and 3 columns and as many rows, of what lies in memory.
#ifndef MSHADOW_WINDOW_SMALL_POOL_H_
#define MSHADOW_WINDOW_SMALL_POOL_H_

#include <cstddef>
#include <type_traits>

#include "../core/config.h"
#include "../expr/short_row.h"
#include "../simd/isa.h"
#include "strided_rows.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// Windows that have all their columns, kMinWindows or more in a row, as a kernel of their own (2.5
/// to 9 times as fast as MemoryWindows; 2x2x2 takes 0.2 of that time):
/// beside others in one function, the compiler would run out of registers for their addresses.
template <typename Window, typename DType>
struct SquareWindowsKernel {
  using Value = typename Window::Value;
  RowsOfWindows<DType> all;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    DType* to = all.to;
    for (std::ptrdiff_t x = all.x, n; x < all.end; x += n, to += n) {
      n = PartInVectors(all.end - x, kMax);
      const std::ptrdiff_t left = x * all.axis.stride - all.axis.pad;
      if (all.axis.ksize == 3) {
        all.axis.stride == 1 ? WriteThrees<1>(left, n, to) : WriteThrees<2>(left, n, to);
      } else if (all.planes == 2) {
        WriteCubes(left, n, to);
      } else {
        all.axis.stride == 1 ? WriteTwos<1>(left, n, to) : WriteTwos<2>(left, n, to);
      }
    }
  }

 private:
  static constexpr std::ptrdiff_t kMax = 128;  // windows of a row at a time

  /// The first row that the windows of row k cover, from column `left` on.
  MSHADOW_XINLINE const Value* FirstOf(std::ptrdiff_t k, std::ptrdiff_t left) const {
    return all.src.Row(all.first + k * all.step).Pointer(left);
  }
  MSHADOW_XINLINE Value Part() const {
    return Window::Part(all.planes * all.window_rows * all.axis.ksize);
  }
  /// Windows of 2 by 2 cells, s columns apart: n of each row.
  template <int s>
  MSHADOW_FORCE_INLINE void WriteTwos(std::ptrdiff_t left, std::ptrdiff_t n, DType* to) const {
    const Value part = Part();
    for (std::ptrdiff_t k = 0; k < all.rows; ++k, to += all.stride) {
      const Value* const a = FirstOf(k, left);
      const Value* const b = a + all.src.stride_;
      ForEachInVectors<kMinWindows>(n, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        const Value top = Window::Combine(a[s * i], a[s * i + 1]);
        to[i] = Window::Result(Window::Combine(top, b[s * i], b[s * i + 1]), part);
      });
    }
  }
  /// Windows of 2 by 2 by 2 cells, 2 columns apart.
  MSHADOW_FORCE_INLINE void WriteCubes(std::ptrdiff_t left, std::ptrdiff_t n, DType* to) const {
    const Value part = Part();
    for (std::ptrdiff_t k = 0; k < all.rows; ++k, to += all.stride) {
      const Value* const a = FirstOf(k, left);
      const Value* const b = a + all.src.stride_;
      const Value* const c = a + all.plane_step * all.src.stride_;
      const Value* const d = c + all.src.stride_;
      ForEachInVectors<kMinWindows>(n, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        const Value first = Window::Combine(a[2 * i], a[2 * i + 1]);
        const Value front = Window::Combine(first, b[2 * i], b[2 * i + 1]);
        const Value third = Window::Combine(front, c[2 * i], c[2 * i + 1]);
        to[i] = Window::Result(Window::Combine(third, d[2 * i], d[2 * i + 1]), part);
      });
    }
  }
  /// Windows of 3 by 3 cells, or of fewer rows, s columns apart. What was just written cannot be
  /// read soon at another offset: some rows are reduced to columns before columns are to windows.
  template <int s>
  MSHADOW_FORCE_INLINE void WriteThrees(std::ptrdiff_t left, std::ptrdiff_t n, DType* to) const {
    constexpr std::ptrdiff_t kRows = 4;
    Value column[kRows][kMax + 2], pair[kRows][kMax], nothing[2 * kMax + 1];
    const Value part = Part();
    const std::ptrdiff_t height = all.window_rows;
    if (height < 3) {
      for (std::ptrdiff_t i = 0; i < (n - 1) * s + 3; ++i) nothing[i] = Window::Initial();
    }
    for (std::ptrdiff_t k = 0; k < all.rows; k += kRows) {
      const std::ptrdiff_t count = all.rows - k < kRows ? all.rows - k : kRows;
      for (std::ptrdiff_t r = 0; r < count; ++r) {
        const Value* const a = FirstOf(k + r, left);
        const Value* const b = height > 1 ? a + all.src.stride_ : nothing;
        const Value* const c = height > 2 ? b + all.src.stride_ : nothing;
        Value* const line = column[r];
        Value* const two = pair[r];
        const auto reduce = [=](std::ptrdiff_t i)
                                MSHADOW_INLINE_LAMBDA { return Window::Combine(a[i], b[i], c[i]); };
        if constexpr (s == 1) {
          ForEachInVectors<kMinWindows>(
              n + 2, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA { line[i] = reduce(i); });
        } else {
          // The third column of a window is the next one's first: only even ones are kept.
          ForEachVector<kMinWindows>(n, [=](std::ptrdiff_t i, auto lanes) MSHADOW_INLINE_LAMBDA {
            constexpr int kLanes = decltype(lanes)::value;
            Value both[2 * kLanes];  // in registers, as whole vectors
            MSHADOW_SIMD_LOOP
            for (int l = 0; l < 2 * kLanes; ++l) both[l] = reduce(2 * i + l);
            MSHADOW_SIMD_LOOP
            for (int l = 0; l < kLanes; ++l) {
              line[i + l] = both[2 * l];
              two[i + l] = Window::Combine(both[2 * l], both[2 * l + 1]);
            }
          });
          line[n] = reduce(2 * n);
        }
      }
      for (std::ptrdiff_t r = 0; r < count; ++r, to += all.stride) {
        const Value* const line = column[r];
        const Value* const two = pair[r];
        ForEachInVectors<kMinWindows>(n, [=](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
          if constexpr (s == 1) {
            to[i] = Window::Result(Window::Combine(line[i], line[i + 1], line[i + 2]), part);
          } else {
            to[i] = Window::Result(Window::Combine(two[i], line[i + 1]), part);
          }
        });
      }
    }
  }
};

/// Window x, which lacks columns, of the rows [begin, end); one form for all instruction sets.
template <typename Window, typename DType>
MSHADOW_SCALAR_KERNEL void WriteBorderColumn(const RowsOfWindows<DType>& all, std::ptrdiff_t x,
                                             std::ptrdiff_t begin, std::ptrdiff_t end) {
  using Value = typename Window::Value;
  const std::ptrdiff_t left = all.axis.Begin(x), n = all.axis.End(x) - left;
  const Value part = Window::Part(all.planes * all.window_rows * n);
  for (std::ptrdiff_t k = begin; k < end; ++k) {
    const std::ptrdiff_t first = all.first + k * all.step;
    Value value = Window::Initial();
    for (std::ptrdiff_t plane = 0; plane < all.planes; ++plane) {
      const DType* row = all.src.Row(first + plane * all.plane_step).Pointer(left);
      for (std::ptrdiff_t i = 0; i < all.window_rows; ++i, row += all.src.stride_) {
        // Two columns have windows of 3 whose padding is 1: without a loop over them.
        if (n == 2) {
          value = Window::Combine(value, row[0], row[1]);
        } else {
          for (std::ptrdiff_t c = 0; c < n; ++c) value = Window::Combine(value, row[c]);
        }
      }
    }
    all.to[k * all.stride + (x - all.x)] = Window::Result(value, part);
  }
}

/// Writes windows that SquareWindowsKernel knows, if they are such and there are enough in a row.
template <typename Window, typename DType>
MSHADOW_FORCE_INLINE bool WriteSquareWindows(const RowsOfWindows<DType>& all) {
  if constexpr (std::is_same_v<typename Window::Value, DType>) {
    const WindowAxis& axis = all.axis;
    const std::ptrdiff_t height = all.window_rows, stride = axis.stride;
    const bool known = axis.ksize == 3
                           ? stride <= 2 && all.planes == 1 && height > 0 && height <= 3
                           : axis.ksize == 2 && height == 2 &&
                                 (all.planes == 1 ? stride <= 2 : all.planes == 2 && stride == 2);
    if (!known) return false;
    const std::ptrdiff_t x = axis.FirstWhole() > all.x ? axis.FirstWhole() : all.x;
    const std::ptrdiff_t end = x + axis.Whole(x, all.end);
    if (end - x < kMinWindows) return false;
    // Windows of the border read rows again that a cache still holds.
    const std::ptrdiff_t most = x > all.x || end < all.end ? 8 : all.rows;
    for (std::ptrdiff_t k = 0; k < all.rows; k += most) {
      const std::ptrdiff_t n = all.rows - k < most ? all.rows - k : most;
      simd::Dispatch(SquareWindowsKernel<Window, DType>{
          {all.src, all.first + k * all.step, height, all.planes, all.plane_step, axis,
           all.to + k * all.stride + (x - all.x), all.stride, n, all.step, x, end}});
      for (std::ptrdiff_t i = all.x; i < x; ++i) WriteBorderColumn<Window>(all, i, k, k + n);
      for (std::ptrdiff_t i = end; i < all.end; ++i) WriteBorderColumn<Window>(all, i, k, k + n);
    }
    return true;
  }
  return false;
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_SMALL_POOL_H_
