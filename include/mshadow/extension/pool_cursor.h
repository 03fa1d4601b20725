// SPDX-License-Identifier: Apache-2.0
// PoolCursor: rows of what pool, pool3d and avg_pool make.
#ifndef MSHADOW_EXTENSION_POOL_CURSOR_H_
#define MSHADOW_EXTENSION_POOL_CURSOR_H_

#include "../expr/quotient.h"
#include "window.h"

namespace mshadow {
namespace expr {
namespace detail {

/// The windows along one axis: window i has the cells [i stride - pad, i stride - pad + ksize) of
/// `size`, as far as they are there.
struct WindowAxis {
  std::ptrdiff_t size, ksize, stride, pad;
  MSHADOW_XINLINE std::ptrdiff_t Begin(std::ptrdiff_t i) const {
    const std::ptrdiff_t first = i * stride - pad;
    return first < 0 ? 0 : first < size ? first : size;
  }
  MSHADOW_XINLINE std::ptrdiff_t End(std::ptrdiff_t i) const {
    const std::ptrdiff_t last = i * stride - pad + ksize;
    return last < 0 ? 0 : last < size ? last : size;
  }
};
inline WindowAxis MakeWindowAxis(index_t size, index_t ksize, index_t stride, index_t pad = 0) {
  return WindowAxis{static_cast<std::ptrdiff_t>(size), static_cast<std::ptrdiff_t>(ksize),
                    static_cast<std::ptrdiff_t>(stride), static_cast<std::ptrdiff_t>(pad)};
}

/// A row of windows one by one. Their rows of the source are `rows` from `first` on in each of
/// `planes` planes, `plane_step` rows apart. Window is WindowReduction or WindowMean.
template <typename Window, typename Src, typename DType>
struct WindowCursor {
  Src src_;
  std::ptrdiff_t first_, rows_, planes_, plane_step_;
  WindowAxis x_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    Window window;
    const std::ptrdiff_t left = x_.Begin(x), right = x_.End(x);
    for (std::ptrdiff_t plane = 0; plane < planes_; ++plane) {
      for (std::ptrdiff_t i = 0; i < rows_; ++i) {
        const std::ptrdiff_t row = first_ + plane * plane_step_ + i;
        for (std::ptrdiff_t c = left; c < right; ++c) window.Add(RowOf(src_, row).Eval(c));
      }
    }
    return window.Result(planes_ * rows_ * (right - left));
  }
};

/// The same for windows that may be reduced in any order: many at once, first along columns, then
/// along rows.
template <typename Window, typename Src, typename DType>
struct PoolCursor : public WindowCursor<Window, Src, DType> {
  static constexpr bool kRuns = true;
  using Base = WindowCursor<Window, Src, DType>;
  using Base::first_;
  using Base::plane_step_;
  using Base::planes_;
  using Base::rows_;
  using Base::src_;
  using Base::x_;
  using Value = typename Window::Value;
  using Buffer = BufferCursor<DType, DType>;
  using Row = RowCursor<Src>;

  MSHADOW_XINLINE explicit PoolCursor(const Base& base) : Base(base) {}

  MSHADOW_FORCE_INLINE Buffer Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    Buffer run;
    run.begin_ = x;
    if (*end - x > Buffer::kMost) *end = x + Buffer::kMost;
    Write(run.value_, x, *end);
    return run;
  }
  MSHADOW_FORCE_INLINE void Write(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    while (x < end) {
      std::ptrdiff_t n = end - x;
      const std::ptrdiff_t left = x * x_.stride - x_.pad;
      bool inside = left >= 0 && left + (n - 1) * x_.stride + x_.ksize <= x_.size;
      if (!inside) {
        // Windows [whole, behind) are.
        const std::ptrdiff_t whole = Quotient(x_.pad + x_.stride - 1, x_.stride);
        const std::ptrdiff_t room = x_.size - x_.ksize + x_.pad;
        const std::ptrdiff_t behind = room < 0 ? 0 : Quotient(room, x_.stride) + 1;
        inside = x >= whole && x < behind;
        if (inside) {
          n = behind - x;
        } else if (x < whole && whole < behind && whole < end) {
          n = whole - x;
        }
      }
      if (n > kMostWindows) n = kMostWindows;
      const std::ptrdiff_t columns = ((n < 16 ? 16 : n) - 1) * x_.stride + x_.ksize;
      if (n * x_.ksize < 16 || columns > kMost || rows_ <= 0 || planes_ <= 0) {
        *to++ = Base::Eval(x++);
        continue;
      }
      if (!inside || n < 16 || !WriteSquares(left, n, to)) Reduce(x, n, columns, to);
      x += n;
      to += n;
    }
  }

 private:
  static constexpr std::ptrdiff_t kMost = 512, kMostWindows = 128;
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
    if constexpr (HasPointer<Row>::value && std::is_same_v<Value, DType>) {
      if (left >= 0 && left + n <= x_.size) return row.Pointer(left);
    }
    // What windows reach beyond the image changes nothing.
    const std::ptrdiff_t begin = left < 0 ? 0 : left;
    const std::ptrdiff_t end = left + n < x_.size ? left + n : x_.size;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      if (i == begin - left) i = end - left;
      memory[i] = Window::Initial();
    }
    ForEachRun(row, begin, end, [&](const auto& run, std::ptrdiff_t c, std::ptrdiff_t stop) {
      MSHADOW_IVDEP
      for (; c < stop; ++c) memory[c - left] = static_cast<Value>(run.Eval(c));
    });
    return memory;
  }
  /// to[i] = window x + i for i < n; 16 are computed where n is less, from so many columns.
  MSHADOW_FORCE_INLINE void Reduce(std::ptrdiff_t x, std::ptrdiff_t n, std::ptrdiff_t columns,
                              DType* to) const {
    const std::ptrdiff_t left = x * x_.stride - x_.pad, total = rows_ * planes_;
    const std::ptrdiff_t windows = n < 16 ? 16 : n;
    Value rows[3][kMost], buffer[4][kMost];
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
      std::ptrdiff_t y = first_, in_plane = 0, k = 0;
      if (along_rows && pairs) {
        Value* const pair = kDirect && count == 2 && n == windows ? Direct(to) : buffer[2];
        Value* const even = rows[1];
        ForEachInVectors(windows, [&](std::ptrdiff_t i) {
          even[i] = column[2 * i];
          pair[i] = Window::Combine(column[2 * i], column[2 * i + 1]);
        });
        // The third column of a window is the next one's first.
        if (count == 3) even[windows] = column[2 * windows];
        a = pair;
        column = even - 1;
        k = 2;
      }
      while (k < count) {
        b = c = nullptr;
        for (int slot = k == 0 ? 0 : 1; slot < 3 && k < count; ++slot, ++k) {
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
          ForEachInVectors(length, [&](std::ptrdiff_t i) {
            out[i] = Window::Combine(a[i], b[i], c[i]);
          });
        } else {
          ForEachInVectors(length, [&](std::ptrdiff_t i) { out[i] = Window::Combine(a[i], b[i]); });
        }
        a = out;
      }
      column = a;
      if (pairs) step = 1;
    }
    Finish(a, step, x, n, to);
  }
  /// The common windows of what lies in memory, in one go; false where they are others.
  MSHADOW_FORCE_INLINE bool WriteSquares(std::ptrdiff_t left, std::ptrdiff_t n,
                                         DType* to) const {
    if constexpr (HasPointer<Row>::value && std::is_same_v<Value, DType>) {
      if (planes_ != 1 || rows_ != x_.ksize) return false;
      const Value* const a = RowOf(src_, first_).Pointer(left);
      if (rows_ == 2 && x_.stride <= 2) {
        const Value* const b = RowOf(src_, first_ + 1).Pointer(left);
        const Value cells = Value(4);
        if (x_.stride == 2) {
          ForEachInVectors(n, [&](std::ptrdiff_t i) {
            const Value top = Window::Combine(a[2 * i], a[2 * i + 1]);
            to[i] = Window::Result(Window::Combine(top, b[2 * i], b[2 * i + 1]), cells);
          });
        } else {
          ForEachInVectors(n, [&](std::ptrdiff_t i) {
            const Value top = Window::Combine(a[i], a[i + 1]);
            to[i] = Window::Result(Window::Combine(top, b[i], b[i + 1]), cells);
          });
        }
        return true;
      }
      if (rows_ == 3 && x_.stride == 2) {
        const Value* const b = RowOf(src_, first_ + 1).Pointer(left);
        const Value* const c = RowOf(src_, first_ + 2).Pointer(left);
        const auto column = [&](std::ptrdiff_t i) { return Window::Combine(a[i], b[i], c[i]); };
        // The third column of a window is the next one's first.
        Value even[kMostWindows + 1], pair[kMostWindows];
        ForEachInVectors(n, [&](std::ptrdiff_t i) {
          even[i] = column(2 * i);
          pair[i] = Window::Combine(even[i], column(2 * i + 1));
        });
        even[n] = column(2 * n);
        ForEachInVectors(n, [&](std::ptrdiff_t i) {
          to[i] = Window::Result(Window::Combine(pair[i], even[i + 1]), Value(9));
        });
        return true;
      }
    }
    return false;
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
        to[i] = Window::Result(from[i * step], static_cast<Value>(cells));
      }
    } else {
      const Value cells = static_cast<Value>(rows_ * planes_ * x_.ksize);
      MSHADOW_IVDEP
      for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = Window::Result(from[i * step], cells);
    }
  }
};

/// What Row of a plan of windows returns.
template <typename Window, typename Src, typename DType>
using PoolCursorOf =
    std::conditional_t<Window::kAnyOrder, PoolCursor<Window, Src, DType>,
                       WindowCursor<Window, Src, DType>>;

}  // namespace detail
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXTENSION_POOL_CURSOR_H_
