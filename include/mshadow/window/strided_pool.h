// SPDX-License-Identifier: Apache-2.0
// MemoryWindows: rows of windows of what lies in memory, many windows at once.
#ifndef MSHADOW_WINDOW_STRIDED_POOL_H_
#define MSHADOW_WINDOW_STRIDED_POOL_H_

#include <type_traits>

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

/// Rows of windows that may be reduced in any order: first along columns, then along rows.
template <typename Window, typename DType>
struct MemoryWindows : public AssociativeWindowCursor<Window, StridedRows<DType>, DType> {
  using Base = AssociativeWindowCursor<Window, StridedRows<DType>, DType>;
  using Base::first_;
  using Base::plane_step_;
  using Base::planes_;
  using Base::rows_;
  using Base::src_;
  using Base::x_;
  using typename Base::Row;
  using typename Base::Value;

  MSHADOW_XINLINE explicit MemoryWindows(
      const WindowCursor<Window, StridedRows<DType>, DType>& base)
      : Base(base) {}

  /// to[i - x] = window i for i of [x, end).
  MSHADOW_FORCE_INLINE void WriteRow(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    const std::ptrdiff_t whole = x_.FirstWhole(), behind = whole + x_.Whole(whole, end);
    while (x < end) {
      std::ptrdiff_t n = end - x;
      if (x >= whole && x < behind) {
        n = behind - x;
      } else if (x < whole && whole < behind) {
        n = whole - x;
      }
      if (n > kMaxWindows) n = kMaxWindows;
      const std::ptrdiff_t columns = ((n < 16 ? 16 : n) - 1) * x_.stride + x_.ksize;
      if (n * x_.ksize < 16 || columns > kMax || rows_ <= 0 || planes_ <= 0) {
        *to++ = this->Eval(x++);
        continue;
      }
      Reduce(x, n, columns, to);
      x += n;
      to += n;
    }
  }

 private:
  static constexpr std::ptrdiff_t kMax = 512, kMaxWindows = 128;
  static constexpr bool kDirect = !Window::kCounts && std::is_same_v<Value, DType>;

  /// Where results go that need no conversion.
  MSHADOW_XINLINE static Value* Direct(DType* to) {
    if constexpr (kDirect) {
      return to;
    } else {
      return nullptr;
    }
  }
  /// Element i of what is returned: column left + i of row y, if need be in `memory`.
  MSHADOW_FORCE_INLINE const Value* Columns(std::ptrdiff_t y, std::ptrdiff_t left, std::ptrdiff_t n,
                                            Value* memory) const {
    const Row row = RowOf(src_, y);
    if constexpr (std::is_same_v<Value, DType>) {
      if (left >= 0 && left + n <= x_.size) return row.Pointer(left);
    }
    // What windows reach beyond the image changes nothing.
    const std::ptrdiff_t begin = left < 0 ? 0 : left;
    std::ptrdiff_t end = left + n < x_.size ? left + n : x_.size;
    if (end < begin) end = begin;
    for (std::ptrdiff_t c = left; c < begin; ++c) memory[c - left] = Window::Initial();
    for (std::ptrdiff_t c = end; c < left + n; ++c) memory[c - left] = Window::Initial();
    MSHADOW_IVDEP
    for (std::ptrdiff_t c = begin; c < end; ++c) memory[c - left] = static_cast<Value>(row.Eval(c));
    return memory;
  }
  /// to[i] = window x + i for i < n; 16 are computed where n is less, from so many columns.
  MSHADOW_FORCE_INLINE void Reduce(std::ptrdiff_t x, std::ptrdiff_t n, std::ptrdiff_t columns,
                                   DType* to) const {
    const std::ptrdiff_t left = x * x_.stride - x_.pad, total = rows_ * planes_;
    const std::ptrdiff_t windows = n < 16 ? 16 : n;
    Value rows[3][kMax], buffer[4][kMax];
    typename Window::Total sum[kMax];
    const Value* a = nullptr;
    const Value* b = nullptr;
    const Value* c = nullptr;
    const Value* column = nullptr;
    std::ptrdiff_t step = x_.stride;
    const bool pairs = step == 2 && (x_.ksize == 2 || x_.ksize == 3);
    // Once over the rows, once over the columns that are left: three at a time.
    for (const bool along_rows : {false, true}) {
      const std::ptrdiff_t count = along_rows ? x_.ksize : total;
      const std::ptrdiff_t length = along_rows ? (windows - 1) * step + 1 : columns;
      std::ptrdiff_t y = first_, in_plane = 0, k = 0, added = 0;
      bool first = true;
      if (along_rows && pairs) {
        Value* const pair = kDirect && count == 2 && n == windows ? Direct(to) : buffer[2];
        Value* const even = rows[1];
        ForEachInVectors(windows, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
          even[i] = column[2 * i];
          pair[i] = Window::Combine(column[2 * i], column[2 * i + 1]);
        });
        // The third column of a window is the next one's first.
        if (count == 3) even[windows] = column[2 * windows];
        a = pair;
        column = even - 1;
        k = 2;
        first = false;
      }
      while (k < count) {
        b = c = nullptr;
        for (int slot = first ? 0 : 1; slot < 3 && k < count; ++slot, ++k) {
          const Value* operand = column + k;
          if (!along_rows) {
            operand = Columns(y++, left, columns, rows[slot]);
            if (++in_plane == rows_) {
              in_plane = 0;
              y += plane_step_ - rows_;
            }
          }
          (slot == 0 ? a : slot == 1 ? b : c) = operand;
        }
        if (b == nullptr) break;
        Value* out = buffer[2 * along_rows + (k / 2) % 2];
        if (kDirect && along_rows && n == windows && k == count && step == 1) out = Direct(to);
        if (c != nullptr) {
          ForEachInVectors(length, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
            out[i] = Window::Combine(a[i], b[i], c[i]);
          });
        } else {
          ForEachInVectors(length, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
            out[i] = Window::Combine(a[i], b[i]);
          });
        }
        a = out;
        first = false;
        // Very high windows add each block of rows to a total in a wider type.
        if (k - added >= red::kSumBlock && k < count) {
          AddToTotal(a, length, added == 0, sum);
          added = k;
          first = true;
        }
      }
      if (added > 0) {
        AddToTotal(a, length, false, sum);
        Value* const out = buffer[2 * along_rows];
        for (std::ptrdiff_t i = 0; i < length; ++i) out[i] = static_cast<Value>(sum[i]);
        a = out;
      }
      column = a;
      if (pairs) step = 1;
    }
    Finish(a, step, x, n, to);
  }
  MSHADOW_FORCE_INLINE static void AddToTotal(const Value* values, std::ptrdiff_t n, bool first,
                                              typename Window::Total* total) {
    using Total = typename Window::Total;
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      total[i] = first ? static_cast<Total>(values[i]) : Window::AddTo(total[i], values[i]);
    }
  }
  /// to[i] = what from[i step] stands for.
  MSHADOW_XINLINE void Finish(const Value* from, std::ptrdiff_t step, std::ptrdiff_t x,
                              std::ptrdiff_t n, DType* to) const {
    if constexpr (kDirect) {
      if (from == to) return;
    }
    const std::ptrdiff_t left = x * x_.stride - x_.pad;
    if (Window::kCounts && (left < 0 || left + (n - 1) * x_.stride + x_.ksize > x_.size)) {
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const std::ptrdiff_t cells = rows_ * planes_ * (x_.End(x + i) - x_.Begin(x + i));
        to[i] = Window::Result(from[i * step], Window::Part(cells));
      }
    } else {
      const Value part = Window::Part(rows_ * planes_ * x_.ksize);
      MSHADOW_IVDEP
      for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = Window::Result(from[i * step], part);
    }
  }
};

/// Rows of any windows.
template <typename Window, typename DType>
struct MemoryWindowsKernel {
  RowsOfWindows<DType> all;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t k = 0; k < all.rows; ++k) {
      const MemoryWindows<Window, DType> row({all.src, all.first + k * all.step, all.window_rows,
                                              all.planes, all.plane_step, all.axis});
      row.WriteRow(all.to + k * all.stride, all.x, all.end);
    }
  }
};

/// Writes rows of windows. One function for all statements, whatever they pool.
template <typename Window, typename DType>
MSHADOW_NOINLINE void WriteMemoryWindows(const RowsOfWindows<DType>& all) {
  const std::ptrdiff_t height = all.planes * all.window_rows;
  if (WriteSquareWindows<Window>(all)) return;
  if (CellsMakeVectors(all.end - all.x, height, all.axis.ksize, all.src.stride_)) {
    simd::Dispatch(GlobalPoolKernel<Window, DType>{all});
  } else {
    simd::Dispatch(MemoryWindowsKernel<Window, DType>{all});
  }
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_STRIDED_POOL_H_
