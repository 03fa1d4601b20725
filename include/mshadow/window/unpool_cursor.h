// SPDX-License-Identifier: Apache-2.0
// UnpoolCursor: rows of what unpool and unpool3d make.
#ifndef MSHADOW_WINDOW_UNPOOL_CURSOR_H_
#define MSHADOW_WINDOW_UNPOOL_CURSOR_H_

#include <type_traits>

#include "../core/dtype.h"
#include "../core/fast_divmod.h"
#include "../expr/plan/row.h"
#include "../op/long_sum.h"
#include "../op/math/wrap.h"
#include "../op/reducer.h"
#include "axis.h"
#include "memory_rows.h"

MSHADOW_NAMESPACE_BEGIN
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
  const Value part = static_cast<Value>(Reducer::template PartialGrad<DType>(src, pooled));
  return op::math::MulAdd(part, static_cast<Value>(grad), sum);
}

/// Rows of gradients of which each cell gets its share.
template <typename Grad, typename DType>
struct SharedRows {
  Grad grad_;
  FastDivmod height_;
  WindowShare<DType> share_;
  struct Cursor {
    RowCursor<Grad> grad_;
    std::ptrdiff_t v_;
    const WindowShare<DType>& share_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return share_.Times(grad_.Eval(x), v_, x);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{RowOf(grad_, y), y - FloorDiv(y, height_) * height_, share_};
  }
};

/// What many windows give to a cell: columns [begin, end) of `rows` rows from `first` on in each of
/// `planes` planes, plane_step rows apart.
template <typename Reducer, typename DType, typename Pooled, typename Grad>
MSHADOW_XINLINE DType LongGradient(DType src, const Pooled& pooled, const Grad& grad,
                                   std::ptrdiff_t planes, std::ptrdiff_t plane_step,
                                   std::ptrdiff_t first, std::ptrdiff_t rows, std::ptrdiff_t begin,
                                   std::ptrdiff_t end) {
  using Value = Accumulator<DType>;
  return static_cast<DType>(red::ReduceInBlocks<red::sum, Value>(
      planes * rows, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
        const std::ptrdiff_t plane = planes == 1 ? 0 : FloorDiv(i, rows);
        const auto pooled_row = RowOf(pooled, first + plane * (plane_step - rows) + i);
        const auto grad_row = RowOf(grad, first + plane * (plane_step - rows) + i);
        return red::ReduceInBlocks<red::sum, Value>(
            end - begin, [&](std::ptrdiff_t u) MSHADOW_INLINE_LAMBDA {
              return AddGradient<Reducer>(Value(0), src, pooled_row.Eval(begin + u),
                                          grad_row.Eval(begin + u));
            });
      }));
}

/// A row of gradients. The windows that cover it are `rows` rows from `first` on in each of
/// `planes` planes of windows, `plane_step` rows apart.
template <typename Reducer, typename SrcRow, typename Pooled, typename Grad, typename DType>
struct UnpoolCursor {
  using Value = Accumulator<DType>;

  SrcRow src_;
  const Pooled& pooled_;
  const Grad& grad_;
  std::ptrdiff_t first_, rows_, planes_, plane_step_;
  const CoveringWindows& x_;

  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    DType value[1];
    EvalEach({x}, value);
    return value[0];
  }
  template <int U>
  MSHADOW_XINLINE void EvalEach(const std::ptrdiff_t (&x)[U], DType (&value)[U]) const {
    if (x_.ksize == x_.stride && x_.pad == 0 && rows_ == 1 && planes_ == 1 && x_.windows > 0) {
      // The commonest, windows side by side: a cell is in one of them, or behind the last.
      const auto pooled = RowOf(pooled_, first_);
      const auto grad = RowOf(grad_, first_);
      for (int u = 0; u < U; ++u) {
        const std::ptrdiff_t window = FloorDiv(x[u], x_.stride);
        const bool covered = window < x_.windows;
        const std::ptrdiff_t at = covered ? window : 0;
        const Value sum =
            AddGradient<Reducer>(Value(0), Source(x[u]), pooled.Eval(at), grad.Eval(at));
        value[u] = covered ? static_cast<DType>(sum) : DType(0);
      }
      return;
    }
    for (int u = 0; u < U; ++u) {
      const CoveringWindows::Windows windows = x_.Of(x[u]);
      value[u] = Gather(x[u], windows.begin, windows.end);
    }
  }

 private:
  MSHADOW_XINLINE DType Source(std::ptrdiff_t x) const {
    return kLinearPool<Reducer> ? DType(0) : src_.Eval(x);
  }
  /// What the windows [begin, end) of each row add up to.
  MSHADOW_XINLINE DType Gather(std::ptrdiff_t x, std::ptrdiff_t begin, std::ptrdiff_t end) const {
    const DType src = Source(x);
    if (planes_ * rows_ * (end - begin) > red::kSumBlock) {
      return LongGradient<Reducer>(src, pooled_, grad_, planes_, plane_step_, first_, rows_, begin,
                                   end);
    }
    Value sum = Value(0);
    MSHADOW_NO_UNROLL
    for (std::ptrdiff_t plane = 0; plane < planes_; ++plane) {
      MSHADOW_NO_UNROLL
      for (std::ptrdiff_t i = 0; i < rows_; ++i) {
        const std::ptrdiff_t row = first_ + plane * plane_step_ + i;
        const auto pooled = RowOf(pooled_, row);
        const auto grad = RowOf(grad_, row);
        MSHADOW_NO_UNROLL
        for (std::ptrdiff_t u = begin; u < end; ++u) {
          sum = AddGradient<Reducer>(sum, src, pooled.Eval(u), grad.Eval(u));
        }
      }
    }
    return static_cast<DType>(sum);
  }
};

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_UNPOOL_CURSOR_H_
