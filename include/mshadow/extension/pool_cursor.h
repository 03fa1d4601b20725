// SPDX-License-Identifier: Apache-2.0
// PoolCursor: rows of what pool, pool3d and avg_pool make.
#ifndef MSHADOW_EXTENSION_POOL_CURSOR_H_
#define MSHADOW_EXTENSION_POOL_CURSOR_H_

#include "../expr/pack.h"
#include "../expr/quotient.h"
#include "window.h"
#include "window_axis.h"

namespace mshadow {
namespace expr {
namespace detail {

/// A row of windows one by one. Their rows of the source are `rows` from `first` on in each of
/// `planes` planes, `plane_step` rows apart. Window is WindowReduction or WindowMean.
template <typename Window, typename Src, typename DType>
struct WindowCursor {
  const Src& src_;
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
  MSHADOW_FORCE_INLINE void WriteRows(DType* to, std::ptrdiff_t stride, std::ptrdiff_t rows,
                                      std::ptrdiff_t step, std::ptrdiff_t x,
                                      std::ptrdiff_t end) const {
    for (std::ptrdiff_t k = 0; k < rows; ++k) {
      WindowCursor row(*this);
      row.first_ += k * step;
      for (std::ptrdiff_t i = x; i < end; ++i) to[k * stride + i - x] = row.Eval(i);
    }
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

  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    DType value[1];
    EvalEach({x}, value);
    return value[0];
  }
  template <int U>
  MSHADOW_XINLINE void EvalEach(const std::ptrdiff_t (&x)[U], DType (&value)[U]) const {
    if (planes_ == 1 && rows_ == 2 && x_.ksize == 2 && AreWhole(x)) return Squares<2>(x, value);
    if (planes_ == 1 && rows_ == 3 && x_.ksize == 3 && AreWhole(x)) return Squares<3>(x, value);
    for (int u = 0; u < U; ++u) {
      const std::ptrdiff_t left = x_.Begin(x[u]), right = x_.End(x[u]);
      value[u] = Window::Result(OneByOne(first_, left, right),
                                Window::Part(planes_ * rows_ * (right - left)));
    }
  }
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
      result.item[0] = Eval(x);
      return result;
    }
    const Row top = RowOf(src_, first_), bottom = RowOf(src_, first_ + 1);
    const Value part = Window::Part(4);
    for (int half = 0; half < 2; ++half) {
      const auto a = expr::EvalPack<W>(top, 2 * x + half * W);
      const auto b = expr::EvalPack<W>(bottom, 2 * x + half * W);
      for (int i = 0; i < W / 2; ++i) {
        const auto pair = [i](const Pack<DType, W>& row) {
          return Window::Combine(static_cast<Value>(row.item[2 * i]),
                                 static_cast<Value>(row.item[2 * i + 1]));
        };
        result.item[half * (W / 2) + i] =
            Window::Result(Window::Combine(pair(a), pair(b)), part);
      }
    }
    return result;
  }
  MSHADOW_FORCE_INLINE Buffer Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    Buffer run;
    run.begin_ = x;
    if (*end - x > Buffer::kMost) *end = x + Buffer::kMost;
    Write(run.value_, x, *end);
    return run;
  }
  MSHADOW_FORCE_INLINE void Write(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    WriteRows(to, 0, 1, 0, x, end);
  }
  /// Row k < rows goes to to + k stride; its windows begin k step rows of the source below these.
  MSHADOW_FORCE_INLINE void WriteRows(DType* to, std::ptrdiff_t stride, std::ptrdiff_t rows,
                                      std::ptrdiff_t step, std::ptrdiff_t x,
                                      std::ptrdiff_t end) const {
    if constexpr (HasPointer<Row>::value && std::is_same_v<Value, DType>) {
      if (IsSquare()) {
        const std::ptrdiff_t first = x_.FirstWhole() > x ? x_.FirstWhole() : x;
        const std::ptrdiff_t behind = first + x_.Whole(first, end);
        if (behind - first >= kLeastWindows) {
          // Windows of the border read rows again that a cache still holds.
          const std::ptrdiff_t most = first > x || behind < end ? 8 : rows;
          for (std::ptrdiff_t k = 0; k < rows; k += most, to += most * stride) {
            PoolCursor part(*this);
            part.first_ += k * step;
            const std::ptrdiff_t n = rows - k < most ? rows - k : most;
            part.WriteSquares(to + (first - x), stride, n, step, first, behind);
            for (std::ptrdiff_t i = x; i < first; ++i) {
              part.WriteColumn(to + (i - x), stride, n, step, i);
            }
            for (std::ptrdiff_t i = behind; i < end; ++i) {
              part.WriteColumn(to + (i - x), stride, n, step, i);
            }
          }
          return;
        }
      }
    }
    for (std::ptrdiff_t k = 0; k < rows; ++k) {
      PoolCursor row(*this);
      row.first_ += k * step;
      row.WriteRow(to + k * stride, x, end);
    }
  }

 private:
  static constexpr std::ptrdiff_t kMost = 512, kMostWindows = 128, kLeastWindows = 4;
  static constexpr bool kDirect = !Window::kCounts && std::is_same_v<Value, DType>;

  MSHADOW_FORCE_INLINE void WriteRow(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    const std::ptrdiff_t whole = x_.FirstWhole(), behind = whole + x_.Whole(whole, end);
    while (x < end) {
      std::ptrdiff_t n = end - x;
      if (x >= whole && x < behind) {
        n = behind - x;
      } else if (x < whole && whole < behind) {
        n = whole - x;
      }
      if (n > kMostWindows) n = kMostWindows;
      const std::ptrdiff_t columns = ((n < 16 ? 16 : n) - 1) * x_.stride + x_.ksize;
      if (n * x_.ksize < 16 || columns > kMost || rows_ <= 0 || planes_ <= 0) {
        *to++ = Eval(x++);
        continue;
      }
      Reduce(x, n, columns, to);
      x += n;
      to += n;
    }
  }

  /// Do the windows have all their columns?
  template <int U>
  MSHADOW_XINLINE bool AreWhole(const std::ptrdiff_t (&x)[U]) const {
    bool whole = true;
    for (int u = 0; u < U; ++u) {
      const std::ptrdiff_t left = x[u] * x_.stride - x_.pad;
      whole = whole && left >= 0 && left + x_.ksize <= x_.size;
    }
    return whole;
  }
  template <int k, int U>
  MSHADOW_XINLINE void Squares(const std::ptrdiff_t (&x)[U], DType (&value)[U]) const {
    for (int u = 0; u < U; ++u) value[u] = Square<k>(x[u] * x_.stride - x_.pad);
  }
  /// The commonest windows, of k rows from first_ and k columns from `left` on: without a loop.
  template <int k>
  MSHADOW_XINLINE DType Square(std::ptrdiff_t left) const {
    Value line[k];
    for (int i = 0; i < k; ++i) {
      const Row row = RowOf(src_, first_ + i);
      Value cell[k];
      for (int j = 0; j < k; ++j) cell[j] = static_cast<Value>(row.Eval(left + j));
      line[i] = cell[0];
      for (int j = 1; j < k; ++j) line[i] = Window::Combine(line[i], cell[j]);
    }
    Value value = line[0];
    for (int i = 1; i < k; ++i) value = Window::Combine(value, line[i]);
    return Window::Result(value, Window::Part(k * k));
  }
  /// What the columns [left, right) of a window's rows from `first` on are reduced to. Each row by
  /// itself: the processor works on several at a time.
  MSHADOW_XINLINE Value OneByOne(std::ptrdiff_t first, std::ptrdiff_t left,
                                 std::ptrdiff_t right) const {
    Value value = Window::Initial();
    MSHADOW_FEW_ROUNDS
    for (std::ptrdiff_t plane = 0; plane < planes_; ++plane, first += plane_step_) {
      MSHADOW_FEW_ROUNDS
      for (std::ptrdiff_t i = 0; i < rows_; ++i) {
        const Row row = RowOf(src_, first + i);
        Value line = Window::Initial();
        for (std::ptrdiff_t c = left; c < right; ++c) {
          line = Window::Combine(line, static_cast<Value>(row.Eval(c)));
        }
        value = Window::Combine(value, line);
      }
    }
    return value;
  }
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
  /// Are these windows of what lies in memory that WriteTwos or WriteThrees knows?
  MSHADOW_XINLINE bool IsSquare() const {
    if (x_.ksize == 3) return x_.stride <= 2 && planes_ == 1 && rows_ > 0 && rows_ <= 3;
    return rows_ == 2 && x_.ksize == 2 &&
           (planes_ == 1 ? x_.stride <= 2 : planes_ == 2 && x_.stride == 2);
  }
  /// Window x of each row; one form for all instruction sets.
  MSHADOW_SCALAR_KERNEL void WriteColumn(DType* to, std::ptrdiff_t stride, std::ptrdiff_t rows,
                                         std::ptrdiff_t step, std::ptrdiff_t x) const {
    const std::ptrdiff_t left = x_.Begin(x), right = x_.End(x);
    const Value part = Window::Part(planes_ * rows_ * (right - left));
    for (std::ptrdiff_t k = 0; k < rows; ++k, to += stride) {
      *to = Window::Result(OneByOne(first_ + k * step, left, right), part);
    }
  }
  /// The windows [x, end) in `rows` rows, all whole, kLeastWindows or more, of what lies in memory.
  MSHADOW_FORCE_INLINE void WriteSquares(DType* to, std::ptrdiff_t stride, std::ptrdiff_t rows,
                                         std::ptrdiff_t step, std::ptrdiff_t x,
                                         std::ptrdiff_t end) const {
    for (std::ptrdiff_t n; x < end; x += n, to += n) {
      n = PartInVectors(end - x, kMostWindows);
      if (x_.ksize == 3) {
        WriteThrees(to, stride, rows, step, x, n);
      } else {
        WriteTwos(to, stride, rows, step, x, n);
      }
    }
  }
  /// Windows of 2 by 2 cells, or 2 by 2 by 2: n from x on.
  MSHADOW_FORCE_INLINE void WriteTwos(DType* to, std::ptrdiff_t stride, std::ptrdiff_t rows,
                                      std::ptrdiff_t step, std::ptrdiff_t x,
                                      std::ptrdiff_t n) const {
    const std::ptrdiff_t left = x * x_.stride - x_.pad;
    const Value part = Window::Part(planes_ * 4);
    for (std::ptrdiff_t k = 0; k < rows; ++k, to += stride) {
      const std::ptrdiff_t y = first_ + k * step;
      const Value* const a = RowOf(src_, y).Pointer(left);
      const Value* const b = RowOf(src_, y + 1).Pointer(left);
      if (x_.stride == 1) {
        ForEachInVectors<kLeastWindows>(n, [&](std::ptrdiff_t i) {
          const Value top = Window::Combine(a[i], a[i + 1]);
          to[i] = Window::Result(Window::Combine(top, b[i], b[i + 1]), part);
        });
      } else if (planes_ == 1) {
        ForEachInVectors<kLeastWindows>(n, [&](std::ptrdiff_t i) {
          const Value top = Window::Combine(a[2 * i], a[2 * i + 1]);
          to[i] = Window::Result(Window::Combine(top, b[2 * i], b[2 * i + 1]), part);
        });
      } else {
        const Value* const c = RowOf(src_, y + plane_step_).Pointer(left);
        const Value* const d = RowOf(src_, y + plane_step_ + 1).Pointer(left);
        ForEachInVectors<kLeastWindows>(n, [&](std::ptrdiff_t i) {
          const Value first = Window::Combine(a[2 * i], a[2 * i + 1]);
          const Value front = Window::Combine(first, b[2 * i], b[2 * i + 1]);
          const Value third = Window::Combine(front, c[2 * i], c[2 * i + 1]);
          to[i] = Window::Result(Window::Combine(third, d[2 * i], d[2 * i + 1]), part);
        });
      }
    }
  }
  /// Windows of 3 by 3 cells, or of fewer rows: n from x on. What was just written cannot be read
  /// soon at another offset: all rows are reduced to columns before columns are to windows.
  MSHADOW_FORCE_INLINE void WriteThrees(DType* to, std::ptrdiff_t stride, std::ptrdiff_t rows,
                                        std::ptrdiff_t step, std::ptrdiff_t x,
                                        std::ptrdiff_t n) const {
    constexpr std::ptrdiff_t kRows = 4;
    Value column[kRows][kMostWindows + 2], pair[kRows][kMostWindows], nothing[2 * kMostWindows + 1];
    const std::ptrdiff_t left = x * x_.stride - x_.pad;
    const Value part = Window::Part(rows_ * 3);
    if (rows_ < 3) {
      for (std::ptrdiff_t i = 0; i <= 2 * n; ++i) nothing[i] = Window::Initial();
    }
    for (std::ptrdiff_t k = 0; k < rows; k += kRows) {
      const std::ptrdiff_t count = rows - k < kRows ? rows - k : kRows;
      for (std::ptrdiff_t r = 0; r < count; ++r) {
        const std::ptrdiff_t y = first_ + (k + r) * step;
        const Value* const a = RowOf(src_, y).Pointer(left);
        const Value* const b = rows_ > 1 ? RowOf(src_, y + 1).Pointer(left) : nothing;
        const Value* const c = rows_ > 2 ? RowOf(src_, y + 2).Pointer(left) : nothing;
        const auto reduce = [&](std::ptrdiff_t i) { return Window::Combine(a[i], b[i], c[i]); };
        Value* const line = column[r];
        if (x_.stride == 1) {
          ForEachInVectors<kLeastWindows>(n + 2, [&](std::ptrdiff_t i) { line[i] = reduce(i); });
          continue;
        }
        // The third column of a window is the next one's first: only even ones are kept.
        ForEachInVectors<kLeastWindows>(n, [&](std::ptrdiff_t i) {
          line[i] = reduce(2 * i);
          pair[r][i] = Window::Combine(line[i], reduce(2 * i + 1));
        });
        line[n] = reduce(2 * n);
      }
      for (std::ptrdiff_t r = 0; r < count; ++r, to += stride) {
        const Value* const line = column[r];
        if (x_.stride == 1) {
          ForEachInVectors<kLeastWindows>(n, [&](std::ptrdiff_t i) {
            to[i] = Window::Result(Window::Combine(line[i], line[i + 1], line[i + 2]), part);
          });
          continue;
        }
        ForEachInVectors<kLeastWindows>(n, [&](std::ptrdiff_t i) {
          to[i] = Window::Result(Window::Combine(pair[r][i], line[i + 1]), part);
        });
      }
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

/// Rows [y, end_y) of a plan of windows, of which `height` make an image and have the windows `rows`
/// of it; where these are whole, they follow each other at even distances.
template <typename P, typename DType>
MSHADOW_FORCE_INLINE void WriteWindowRows(const P& plan, const Divisor& height,
                                          const WindowAxis& rows, DType* to,
                                          std::ptrdiff_t stride, std::ptrdiff_t y,
                                          std::ptrdiff_t end_y, std::ptrdiff_t x,
                                          std::ptrdiff_t end) {
  while (y < end_y) {
    const std::ptrdiff_t v = y - Quotient(y, height) * height;
    const std::ptrdiff_t left = height - v < end_y - y ? height - v : end_y - y;
    const std::ptrdiff_t whole = rows.Whole(v, v + left), n = whole > 0 ? whole : 1;
    plan.Row(y).WriteRows(to, stride, n, rows.stride, x, end);
    y += n;
    to += n * stride;
  }
}

/// What Row of a plan of windows returns.
template <typename Window, typename Src, typename DType>
using PoolCursorOf =
    std::conditional_t<Window::kAnyOrder, PoolCursor<Window, Src, DType>,
                       WindowCursor<Window, Src, DType>>;

}  // namespace detail
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXTENSION_POOL_CURSOR_H_
