// SPDX-License-Identifier: Apache-2.0
// WindowCursor: a row of windows, each by itself.
#ifndef MSHADOW_WINDOW_WINDOW_CURSOR_H_
#define MSHADOW_WINDOW_WINDOW_CURSOR_H_

#include "../core/fast_divmod.h"
#include "../expr/plan/pack.h"
#include "../expr/plan/plan.h"
#include "../op/long_sum.h"
#include "axis.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// A row of windows one by one. Their rows of the source are `rows` from `first` on in each of
/// `planes` planes, `plane_step` rows apart. Window is WindowReduction or WindowMean.
template <typename Window, typename Src, typename DType>
struct WindowCursor {
  using Value = typename Window::Value;
  using Row = RowCursor<Src>;
  const Src& src_;
  std::ptrdiff_t first_, rows_, planes_, plane_step_;
  WindowAxis x_;

  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    DType value[1];
    EvalEach({x}, value);
    return value[0];
  }
  template <int U>
  MSHADOW_XINLINE void EvalEach(const std::ptrdiff_t (&x)[U], DType (&value)[U]) const {
    if constexpr (!Window::kAnyOrder) {
      for (int u = 0; u < U; ++u) value[u] = InOrder(x[u]);
    } else {
      if (planes_ == 1 && rows_ == 2 && x_.ksize == 2 && AreWhole(x)) return Squares<2>(x, value);
      if (planes_ == 1 && rows_ == 3 && x_.ksize == 3 && AreWhole(x)) return Squares<3>(x, value);
      for (int u = 0; u < U; ++u) {
        const std::ptrdiff_t left = x_.Begin(x[u]), right = x_.End(x[u]);
        value[u] = Window::Result(ReduceSequential(first_, left, right),
                                  Window::Part(planes_ * rows_ * (right - left)));
      }
    }
  }

  /// Packs: windows of 2 by 2 cells side by side, of rows that are packs themselves.
  static constexpr bool kPacks = Window::kAnyOrder && kPacksOf<Row>;
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

 private:
  static constexpr std::ptrdiff_t kFew = 64;
  MSHADOW_XINLINE DType InOrder(std::ptrdiff_t x) const {
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
  /// What the columns [left, right) of a window's rows from `first` on are reduced to. Each row by
  /// itself: the processor works on several at a time.
  MSHADOW_XINLINE Value ReduceSequential(std::ptrdiff_t first, std::ptrdiff_t left,
                                         std::ptrdiff_t right) const {
    if (planes_ * rows_ > kFew || right - left > kFew) return LongWindow(first, left, right);
    Value value = Window::Initial();
    MSHADOW_NO_UNROLL
    for (std::ptrdiff_t plane = 0; plane < planes_; ++plane, first += plane_step_) {
      MSHADOW_NO_UNROLL
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
  /// The same of many rows or columns.
  MSHADOW_XINLINE Value LongWindow(std::ptrdiff_t first, std::ptrdiff_t left,
                                   std::ptrdiff_t right) const {
    const auto combine = [](Value a, Value b)
                             MSHADOW_INLINE_LAMBDA { return Window::Combine(a, b); };
    return red::CombineInBlocks<Value>(
        planes_ * rows_, Window::Initial(), combine, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
          const std::ptrdiff_t plane = planes_ == 1 ? 0 : FloorDiv(i, rows_);
          const Row row = RowOf(src_, first + plane * (plane_step_ - rows_) + i);
          return red::CombineInBlocks<Value>(
              right - left, Window::Initial(), combine,
              [&](std::ptrdiff_t c) MSHADOW_INLINE_LAMBDA { return row.Eval(left + c); });
        });
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
};

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_WINDOW_CURSOR_H_
