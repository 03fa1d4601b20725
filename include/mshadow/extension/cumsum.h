// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_CUMSUM_H_
#define MSHADOW_EXTENSION_CUMSUM_H_

#include <type_traits>

#include "../core/argument.h"
#include "../core/dtype.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../expr/materialised.h"
#include "../expr/plan/across_rows.h"
#include "../expr/plan/blocks.h"
#include "../expr/typecast.h"
#include "../op/long_sum.h"
#include "../op/one_pass.h"
#include "../window/window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace adl {

template <typename SrcExp, typename DType, int srcdim>
struct CumsumExp : public MakeTensorExp<CumsumExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim > 0, "mshadow: cumsum needs an expression with axes");
  SrcExp src_;
  int axis_;
  CumsumExp(const SrcExp& src, int axis)
      : src_(src), axis_(detail::CheckAxis("cumsum", axis, srcdim)) {
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return written.first && expr::Overlaps(src_, written, false);
  }
};

/// out[..][i][..] = src[..][0][..] + .. + src[..][i][..] along `axis`, as NumPy's cumsum; src ->
/// the same shape. A negative axis counts from the end; throws Error where it is none of src.
/// Integers and bools become int64_t or uint64_t, as in sum; other elements keep their type.
///
/// Sums of 16-bit floats are taken in float. Element i is off by 1 ULP and 1e-5 of the sum of its
/// terms' absolute values at most, however long the axis is, and by less on most numbers.
///
/// Each element is read once where the result is assigned, with any operator; on a GPU twice where
/// there are few long columns. The order of a GPU's additions depends on the shape alone. As an
/// operand it is computed into memory of its own first.
template <typename SrcExp, typename DType, int etype>
inline auto cumsum(const Exp<SrcExp, DType, etype>& src, int axis) {
  using Sum = std::conditional_t<std::is_integral_v<DType>, statistic::Long<DType>, DType>;
  if constexpr (std::is_same_v<Sum, DType>) {
    return CumsumExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), axis);
  } else {
    return cumsum(tcast<Sum>(src.self()), axis);
  }
}
MSHADOW_OWNS_TEMPORARIES_(cumsum)

}  // namespace adl

namespace detail {

template <typename SrcExp, typename DType, int srcdim>
class CumsumPlan {
  using Src = PlanOf<SrcExp>;
  using Acc = Accumulator<DType>;
  using Sum = red::PrefixSum<Acc>;

 public:
  static constexpr int kCost = 8 + 4 * kCostOf<Src>;
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit CumsumPlan(const adl::CumsumExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlan(e.src_)),
        size_(static_cast<std::ptrdiff_t>(e.shape_[e.axis_])),
        rows_(e.axis_ == srcdim - 1 ? 0
                                    : static_cast<std::ptrdiff_t>(
                                          e.shape_.CheckedProdShape(e.axis_ + 1, srcdim - 1))) {}

  struct Cursor {
    using Across = detail::AcrossRowsCursor<red::sum, Src, DType>;
    const Src& src_;
    std::ptrdiff_t row_;    // of the source: the same, or that of index 0
    std::ptrdiff_t step_;   // rows from index to index; 0: along the row
    std::ptrdiff_t count_;  // indices that are added, where they are rows
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      if (step_ != 0) return Across{src_, row_, step_, count_}.Eval(x);
      return static_cast<DType>(
          red::ReduceInBlocks<red::sum, Acc>(x + 1, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
            return RowOf(src_, row_).Eval(i);
          }));
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    if (rows_ == 0) return Cursor{src_, y, 0, 0};
    const std::ptrdiff_t index = FloorDiv(y, rows_);
    const std::ptrdiff_t outer = FloorDiv(index, size_);
    const std::ptrdiff_t i = index - outer * size_;
    return Cursor{src_, y - i * rows_, rows_, i + 1};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  /// Along the last axis, the sums of several rows side by side: an addition waits for the one
  /// before it.
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if (rows_ != 0) return WriteColumns(to, stride, y, end_y, x, end);
    if constexpr (!kFillsOf<Src>) {
      if (x == 0) {
        for (; end_y - y >= kSide; y += kSide, to += kSide * stride) {
          const auto rows = detail::RowsOf<kSide>(src_, y);
          Sum sum[kSide];
          for (std::ptrdiff_t i = 0; i < end;) {
            const std::ptrdiff_t stop = i + Sum::kCarry < end ? i + Sum::kCarry : end;
            for (int k = 0; k < kSide; ++k) sum[k].Carry();
            for (; i < stop; ++i) {
              for (int k = 0; k < kSide; ++k) {
                sum[k].Add(static_cast<Acc>(rows.item[k].Eval(i)));
                to[k * stride + i] = static_cast<DType>(sum[k].Value());
              }
            }
          }
        }
      }
    }
    for (; y < end_y; ++y, to += stride) AddAlong(y, x, end, to);
  }

  MSHADOW_XINLINE RunningSum<Src> AsRunningSum() const { return {src_, rows_, size_}; }

 private:
  /// The elements [x, end) of a row along which sums are taken; those before are added first.
  MSHADOW_FORCE_INLINE void AddAlong(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t end,
                                     DType* to) const {
    Sum sum;
    InPieces(src_, y, 0, end,
             [&](const auto& row, std::ptrdiff_t i, std::ptrdiff_t stop) MSHADOW_INLINE_LAMBDA {
               while (i < stop) {
                 if (i % Sum::kCarry == 0) sum.Carry();
                 const std::ptrdiff_t carry = i - i % Sum::kCarry + Sum::kCarry;
                 const std::ptrdiff_t last = carry < stop ? carry : stop;
                 Sum block = sum;  // in registers
                 for (; i < last && i < x; ++i) block.Add(static_cast<Acc>(row.Eval(i)));
                 for (; i < last; ++i) {
                   block.Add(static_cast<Acc>(row.Eval(i)));
                   to[i - x] = static_cast<DType>(block.Value());
                 }
                 sum = block;
               }
             });
  }
  /// Rows [y, end_y) where the axis is not the last: of each image, as many rows and columns at a
  /// time as there is room for sums, from index 0 of the axis on.
  MSHADOW_FORCE_INLINE void WriteColumns(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                         std::ptrdiff_t end_y, std::ptrdiff_t x,
                                         std::ptrdiff_t end) const {
    constexpr std::ptrdiff_t kMax = 16384 / static_cast<std::ptrdiff_t>(sizeof(Acc));
    const std::ptrdiff_t width = end - x < kMax ? end - x : kMax;
    const std::ptrdiff_t group = FloorDiv(kMax, width);
    // Several rows at a time, but not of a page each: that takes three times as long where they
    // come from memory, which then is not read ahead.
    constexpr std::ptrdiff_t kNarrow = 32, kPages = 8192, kCached = 131072, kSize = sizeof(DType);
    const bool several = !kFillsOf<Src> &&
                         (width <= kNarrow || width * kSize >= kPages ||
                          size_ * rows_ * width * kSize <= kCached);
    Acc high[kMax], low[kMax];
    for (std::ptrdiff_t first; y < end_y; y = first + size_ * rows_) {
      first = FloorDiv(y, size_ * rows_) * (size_ * rows_);
      DType* const image = to;
      const std::ptrdiff_t last = first + size_ * rows_ < end_y ? first + size_ * rows_ : end_y;
      for (std::ptrdiff_t r = 0; r < rows_; r += group) {
        const std::ptrdiff_t behind = r + group < rows_ ? r + group : std::ptrdiff_t(rows_);
        for (std::ptrdiff_t begin = x; begin < end; begin += width) {
          const std::ptrdiff_t stop = begin + width < end ? begin + width : end;
          const std::ptrdiff_t count = (behind - r) * width;
          for (std::ptrdiff_t i = 0, n; first + i * rows_ + r < last; i += n) {
            const std::ptrdiff_t row = first + i * rows_;
            n = several && i % kSide == 0 && row + r >= y &&
                        row + (kSide - 1) * rows_ + behind <= last
                    ? kSide
                    : 1;
            if (i == 0) {
              for (std::ptrdiff_t j = 0; j < count; ++j) high[j] = low[j] = Acc(0);
            } else if (i % Sum::kCarry == 0) {
              CarryAll(high, low, count);
            }
            for (std::ptrdiff_t v = row + r; v < row + behind && v < last; ++v) {
              const std::ptrdiff_t at = (v - row - r) * width;
              DType* const out = v < y ? nullptr : image + (v - y) * stride + (begin - x);
              if (n == kSide) {
                AddRows(v, begin, stop, high + at, low + at, out, stride * rows_);
              } else {
                AddRow(v, begin, stop, high + at, low + at, out);
              }
            }
          }
        }
      }
      to += (last - y) * stride;
    }
  }
  /// Adds a row to the sums of its columns, which go to `to` unless that is null.
  MSHADOW_FORCE_INLINE void AddRow(std::ptrdiff_t row, std::ptrdiff_t begin, std::ptrdiff_t end,
                                   const Acc* high, Acc* low, DType* to) const {
    InPieces(src_, row, begin, end,
             [&](const auto& run, std::ptrdiff_t first, std::ptrdiff_t stop)
                   MSHADOW_INLINE_LAMBDA {
                     const auto next = [&](std::ptrdiff_t j) MSHADOW_INLINE_LAMBDA {
                       Sum sum{high[j - begin], low[j - begin]};
                       sum.Add(static_cast<Acc>(run.Eval(j)));
                       low[j - begin] = sum.low;
                       return sum.Value();
                     };
                     if (to == nullptr) {
                       MSHADOW_IVDEP
                       for (std::ptrdiff_t j = first; j < stop; ++j) next(j);
                     } else {
                       MSHADOW_IVDEP
                       for (std::ptrdiff_t j = first; j < stop; ++j) {
                         to[j - begin] = static_cast<DType>(next(j));
                       }
                     }
                   });
  }
  /// The same of kSide rows of the axis in turn, `step` apart at `to`: sums are loaded once.
  MSHADOW_FORCE_INLINE void AddRows(std::ptrdiff_t row, std::ptrdiff_t begin, std::ptrdiff_t end,
                                    const Acc* high, Acc* low, DType* to,
                                    std::ptrdiff_t step) const {
    if constexpr (!kFillsOf<Src>) {
      const auto a = RowOf(src_, row), b = RowOf(src_, row + rows_);
      const auto c = RowOf(src_, row + 2 * rows_), d = RowOf(src_, row + 3 * rows_);
      MSHADOW_IVDEP
      for (std::ptrdiff_t j = begin; j < end; ++j) {
        const Acc element[kSide] = {static_cast<Acc>(a.Eval(j)), static_cast<Acc>(b.Eval(j)),
                                    static_cast<Acc>(c.Eval(j)), static_cast<Acc>(d.Eval(j))};
        DType* const out = to + (j - begin);
        Sum sum{high[j - begin], low[j - begin]};
        for (int k = 0; k < kSide; ++k) {
          sum.Add(element[k]);
          out[k * step] = static_cast<DType>(sum.Value());
        }
        low[j - begin] = sum.low;
      }
    }
  }
  MSHADOW_FORCE_INLINE static void CarryAll(Acc* high, Acc* low, std::ptrdiff_t n) {
    MSHADOW_IVDEP
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      Sum sum{high[j], low[j]};
      sum.Carry();
      high[j] = sum.high;
      low[j] = sum.low;
    }
  }

  static constexpr int kSide = 4;

  Src src_;
  FastDivmod size_, rows_;  // rows_: that an index of the axis has; 0: the axis is the last one
};

}  // namespace detail

template <typename SrcExp, typename DType, int srcdim>
class Plan<adl::CumsumExp<SrcExp, DType, srcdim>, DType>
    : public OperandPlan<detail::CumsumPlan<SrcExp, DType, srcdim>,
                         adl::CumsumExp<SrcExp, DType, srcdim>, DType> {
 public:
  explicit Plan(const adl::CumsumExp<SrcExp, DType, srcdim>& e) : Plan::OperandPlan(e) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CUMSUM_H_
