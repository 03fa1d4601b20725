// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_CUMSUM_H_
#define MSHADOW_EXTENSION_CUMSUM_H_

#include "../core/dtype.h"
#include "../expr/argument.h"
#include "../expr/axis_reduction.h"
#include "../expr/buffer_cursor.h"
#include "../expr/make_tensor.h"
#include "../expr/quotient.h"
#include "../op/math/wrap.h"
#include "window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace by_argument {

template <typename SrcExp, typename DType, int srcdim>
struct CumsumExp : public MakeTensorExp<CumsumExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim > 0, "mshadow: cumsum needs an expression with axes");
  SrcExp src_;
  int axis_;
  CumsumExp(const SrcExp& src, int axis)
      : src_(src), axis_(detail::CheckAxis("cumsum", axis, srcdim)) {
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
  }
};

/// out[..][i][..] = src[..][0][..] + .. + src[..][i][..] along `axis`, as NumPy's cumsum; src ->
/// the same shape. Sums of 16-bit floats are taken in float. A negative axis counts from the end;
/// throws Error where it is none of src.
///
/// Each element is read once where the result is assigned, with any operator; on a GPU twice where
/// there are few long columns. The order of a GPU's additions depends on the shape alone. As an
/// operand along another axis than the last, and on a GPU along every axis, element i is a sum over
/// i + 1 elements, taken anew: assign it to a tensor of its own first where the axis is long.
template <typename SrcExp, typename DType, int etype>
inline CumsumExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> cumsum(const Exp<SrcExp, DType, etype>& src,
                                                              int axis) {
  return CumsumExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), axis);
}

}  // namespace by_argument

template <typename SrcExp, typename DType, int srcdim>
class Plan<by_argument::CumsumExp<SrcExp, DType, srcdim>, DType> {
  using Src = PlanOf<SrcExp>;
  using Acc = Accumulator<DType>;
  using Reduction = detail::AxisReduction<red::sum, DType, false>;

 public:
  static constexpr int kCost = 8 + 4 * kCostOf<Src>;
  explicit Plan(const by_argument::CumsumExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlan(e.src_)),
        size_(static_cast<std::ptrdiff_t>(e.shape_[e.axis_])),
        rows_(e.axis_ == srcdim - 1
                  ? 0
                  : static_cast<std::ptrdiff_t>(e.shape_.ProdShape(e.axis_ + 1, srcdim - 1))) {}

  struct Cursor {
    static constexpr bool kRuns = true;
    using Buffer = detail::BufferCursor<DType, DType>;
    const Src& src_;
    std::ptrdiff_t row_;    // of the source: the same, or that of index 0
    std::ptrdiff_t step_;   // rows from index to index; 0: along the row
    std::ptrdiff_t count_;  // indices that are added, where they are rows
    // The sum in front of column next_: a run usually begins where the last one ended.
    mutable std::ptrdiff_t next_ = 0;
    mutable Acc sum_ = Acc(0);

    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      Reduction sum;
      if (step_ == 0) {
        const auto row = RowOf(src_, row_);
        for (std::ptrdiff_t i = 0; i <= x; ++i) sum.Add(row.Eval(i), i);
      } else {
        for (std::ptrdiff_t i = 0; i < count_; ++i) {
          sum.Add(RowOf(src_, row_ + i * step_).Eval(x), i);
        }
      }
      return sum.Result();
    }
    MSHADOW_FORCE_INLINE Buffer Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
      if (*end > x + Buffer::kMost) *end = x + Buffer::kMost;
      Buffer buffer;
      buffer.begin_ = x;
      if (step_ != 0) {
        Reduction::Columns(src_, row_, step_, count_, x, *end, buffer.value_);
        return buffer;
      }
      const auto row = RowOf(src_, row_);
      if (x != next_) {
        next_ = 0;
        sum_ = Acc(0);
        Add(row, x, nullptr);
      }
      Add(row, *end, buffer.value_);
      return buffer;
    }

   private:
    /// Goes on to column `end`; the sums go to `to` unless that is null.
    template <typename Row>
    MSHADOW_FORCE_INLINE void Add(const Row& row, std::ptrdiff_t end, DType* to) const {
      Acc sum = sum_;
      const std::ptrdiff_t first = next_;
      ForEachRun(row, first, end,
                 [&](const auto& run, std::ptrdiff_t x, std::ptrdiff_t stop) MSHADOW_INLINE_LAMBDA {
                   for (; x < stop; ++x) {
                     sum = op::math::Add(sum, static_cast<Acc>(run.Eval(x)));
                     if (to != nullptr) to[x - first] = static_cast<DType>(sum);
                   }
                 });
      sum_ = sum;
      next_ = end;
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    if (rows_ == 0) return Cursor{src_, y, 0, 0};
    const std::ptrdiff_t index = Quotient(y, rows_);
    const std::ptrdiff_t outer = Quotient(index, size_);
    const std::ptrdiff_t i = index - outer * size_;
    return Cursor{src_, y - i * rows_, rows_, i + 1};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  /// Along the last axis, the sums of several rows side by side: an addition waits for the one
  /// before it. Along another, a row is added to the one before it where that is at hand; of 16-bit
  /// floats, to the sums that were rounded for it.
  MSHADOW_FORCE_INLINE void WriteRows(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                      std::ptrdiff_t end_y, std::ptrdiff_t x,
                                      std::ptrdiff_t end) const {
    const std::ptrdiff_t begin_y = y;
    if constexpr (kPlainOf<RowCursor<Src>>) {
      if (rows_ == 0 && x == 0) {
        for (; end_y - y >= kSide; y += kSide, to += kSide * stride) {
          const auto rows = detail::RowsOf<kSide>(src_, y);
          Acc sum[kSide] = {};
          for (std::ptrdiff_t i = 0; i < end; ++i) {
            for (int k = 0; k < kSide; ++k) {
              sum[k] = op::math::Add(sum[k], static_cast<Acc>(rows.item[k].Eval(i)));
              to[k * stride + i] = static_cast<DType>(sum[k]);
            }
          }
        }
      }
    }
    if constexpr (!std::is_same_v<Acc, DType>) {
      if (rows_ != 0) {
        const std::ptrdiff_t last_start = rows_ < end_y - y ? y + rows_ : end_y;
        for (std::ptrdiff_t start = y; start < last_start; ++start, to += stride) {
          WriteColumns(to, stride, start, end_y, x, end);
        }
        return;
      }
    }
    for (; y < end_y; ++y, to += stride) {
      const Cursor row = Row(y);
      if (row.count_ > 1 && y - begin_y >= row.step_) {
        const DType* const before = to - row.step_ * stride;
        ForEachRun(RowOf(src_, y), x, end,
                   [&](const auto& run, std::ptrdiff_t first, std::ptrdiff_t stop)
                       MSHADOW_INLINE_LAMBDA {
                         MSHADOW_IVDEP
                         for (std::ptrdiff_t i = first; i < stop; ++i) {
                           to[i - x] =
                               op::math::Add(before[i - x], static_cast<DType>(run.Eval(i)));
                         }
                       });
      } else {
        ForEachRun(row, x, end,
                   [&](const auto& run, std::ptrdiff_t first, std::ptrdiff_t stop)
                       MSHADOW_INLINE_LAMBDA {
                         for (std::ptrdiff_t i = first; i < stop; ++i) to[i - x] = run.Eval(i);
                       });
      }
    }
  }

  MSHADOW_XINLINE RunningSum<Src> AsRunningSum() const { return {src_, rows_, size_}; }

 private:
  /// Row `start` and every rows_-th after it, in front of end_y: sums are kept for as many columns
  /// at a time as a buffer holds. `to` is the place of row `start`, column x.
  MSHADOW_FORCE_INLINE void WriteColumns(DType* to, std::ptrdiff_t stride, std::ptrdiff_t start,
                                         std::ptrdiff_t end_y, std::ptrdiff_t x,
                                         std::ptrdiff_t end) const {
    using Sums = detail::BufferCursor<DType, Acc>;
    const Cursor row = Row(start);
    for (std::ptrdiff_t begin = x; begin < end; begin += Sums::kMost) {
      const std::ptrdiff_t stop = begin + Sums::kMost < end ? begin + Sums::kMost : end;
      Sums sums;
      std::ptrdiff_t i = 0;
      for (std::ptrdiff_t y = row.row_; y < end_y; y += row.step_, i = i + 1 < size_ ? i + 1 : 0) {
        if (i == 0) {
          for (std::ptrdiff_t j = 0; j < stop - begin; ++j) sums.value_[j] = Acc(0);
        }
        ForEachRun(RowOf(src_, y), begin, stop,
                   [&](const auto& run, std::ptrdiff_t first, std::ptrdiff_t run_stop)
                       MSHADOW_INLINE_LAMBDA {
                         MSHADOW_IVDEP
                         for (std::ptrdiff_t j = first; j < run_stop; ++j) {
                           sums.value_[j - begin] = op::math::Add(
                               sums.value_[j - begin], static_cast<Acc>(run.Eval(j)));
                         }
                       });
        if (y < start) continue;
        DType* const out = to + (y - start) * stride;
        MSHADOW_IVDEP
        for (std::ptrdiff_t j = begin; j < stop; ++j) {
          out[j - x] = static_cast<DType>(sums.value_[j - begin]);
        }
      }
    }
  }

  static constexpr int kSide = 4;
  Src src_;
  Divisor size_;
  Divisor rows_;  // that an index of the axis has; 0: the axis is the last one
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CUMSUM_H_
