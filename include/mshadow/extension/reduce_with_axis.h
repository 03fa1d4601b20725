// SPDX-License-Identifier: Apache-2.0
// Reductions over one axis as part of an expression: reduce_with_axis, reduce_keepdim.
#ifndef MSHADOW_EXTENSION_REDUCE_WITH_AXIS_H_
#define MSHADOW_EXTENSION_REDUCE_WITH_AXIS_H_

#include <limits>

#include "../core/dtype.h"
#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/axis_reduction.h"
#include "../expr/make_tensor.h"
#include "../expr/materialised.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

/// Throws Error where DType does not count the indices of an axis of n elements exactly: n above
/// 2^24 for float, 2048 for half_t, 256 for bf16_t and uint8_t, 128 for int8_t.
template <typename DType>
inline void CheckCounts(const char* function, std::size_t n) {
  constexpr int kDigits = std::numeric_limits<DType>::digits;
  if constexpr (kDigits < 63) {
    MSHADOW_CHECK(n <= std::size_t{1} << kDigits)
        << function << ": the element type counts " << (std::size_t{1} << kDigits)
        << " indices exactly, the axis has " << n << " elements; argmax and argmin give int64_t";
  }
}

}  // namespace detail

/// src_ reduced over one axis, which is left out (dimdst = dimsrc - 1) or has extent 1. mask: not
/// the value, but the index where the accumulator changed last.
template <typename Reducer, typename SrcExp, typename DType, int dimsrc, bool mask, int dimdst>
struct ReduceWithAxisExp
    : public MakeTensorExp<ReduceWithAxisExp<Reducer, SrcExp, DType, dimsrc, mask, dimdst>, SrcExp,
                           dimdst, DType> {
  static_assert(dimsrc > 0, "mshadow: a reduction over an axis needs an expression with axes");
  static_assert(dimdst > 0, "mshadow: reduce_with_axis would leave no axis; reduce_keepdim leaves "
                            "one of extent 1");
  static constexpr int kFullRank = dimsrc, kLostAxes = dimdst < dimsrc ? -1 : 0;
  SrcExp src_;
  Shape<dimsrc> src_shape_;
  int axis_;
  ReduceWithAxisExp(const char* function, const SrcExp& src, int axis)
      : src_(src),
        src_shape_(ShapeCheck<dimsrc, SrcExp>::Check(src_)),
        axis_(detail::CheckAxis(function, axis, dimsrc)) {
    if constexpr (mask) {
      detail::CheckCounts<DType>(function, static_cast<std::size_t>(src_shape_[axis_]));
    }
    for (int i = 0; i < dimdst; ++i) {
      this->shape_[i] = dimdst == dimsrc ? (i == axis_ ? 1 : src_shape_[i])
                                         : src_shape_[i < axis_ ? i : i + 1];
    }
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return written.first && expr::Overlaps(src_, written, false);
  }
};

/// out[..][..] = reduction by Reducer of src[..][i][..] over i, the index of `axis`; or, with mask,
/// the least i at which the reduction of src[..][0][..], .., src[..][i][..] has its final value:
/// where a maximum or minimum is first met, or the first NaN (0 where no element changes the
/// reducer's initial value). src (.., n, ..) -> (.., ..) without the axis. A negative axis counts
/// from the end; throws Error where it is none of src.
///
/// 16-bit floats accumulate in float. Sums are taken in blocks: those of one sign are off by 1e-5
/// at most, however long the axis is. Reducers without Combine go in order, and
/// Merge joins parts of a long axis. Indices are given in
/// the element type; throws Error where it does not count those of the axis exactly (2^24 for
/// float, 2048 for half_t, 256 for uint8_t). argmax and argmin count further.
template <typename Reducer, bool mask, typename SrcExp, typename DType, int etype>
inline ReduceWithAxisExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, mask,
                         ExpInfo<SrcExp>::kDim - 1>
reduce_with_axis(const Exp<SrcExp, DType, etype>& src, int axis) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim;
  return ReduceWithAxisExp<Reducer, SrcExp, DType, kDim, mask, kDim - 1>("reduce_with_axis",
                                                                         src.self(), axis);
}

/// The same, the axis staying with extent 1; src (.., n, ..) -> (.., 1, ..).
template <typename Reducer, bool mask, typename SrcExp, typename DType, int etype>
inline ReduceWithAxisExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, mask,
                         ExpInfo<SrcExp>::kDim>
reduce_keepdim(const Exp<SrcExp, DType, etype>& src, int axis) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim;
  return ReduceWithAxisExp<Reducer, SrcExp, DType, kDim, mask, kDim>("reduce_keepdim", src.self(),
                                                                     axis);
}

namespace detail {

/// The plan of a reduction of SrcExp over one of its axes, which Node holds as ReduceWithAxisExp
/// does.
template <typename Reduction, typename SrcExp, int dimsrc, int dimdst>
class AxisReductionPlan {
  using Src = PlanOf<SrcExp>;
  using DType = typename Reduction::Value;
  static constexpr bool kOnHost = ExpInfo<SrcExp>::kDevMask == cpu::kDevMask;

 public:
  static constexpr int kCost = 16 * (1 + kCostOf<Src>);
  static constexpr Fills kFills = Fills::kBlocks;
  template <typename Node>
  explicit AxisReductionPlan(const Node& e)
      : src_(MakePlan(e.src_)),
        size_(static_cast<std::ptrdiff_t>(e.src_shape_[e.axis_])),
        inner_(static_cast<std::ptrdiff_t>(e.src_shape_.CheckedProdShape(e.axis_ + 1, dimsrc))),
        flat_(expr::FlatRows(src_, static_cast<std::ptrdiff_t>(e.src_shape_[dimsrc - 1])) == 0),
        numbered_(e.axis_ == dimsrc - 1 ||
                  (kOnHost && flat_ && Reduction::IsShort(size_, inner_))),
        cols_(static_cast<std::ptrdiff_t>(e.shape_[dimdst - 1])),
        rows_(e.axis_ == dimsrc - 1
                  ? 1
                  : static_cast<std::ptrdiff_t>(
                        e.src_shape_.CheckedProdShape(e.axis_ + 1, dimsrc - 1))) {}

  struct Cursor {
    const Src& src_;
    std::ptrdiff_t size_;
    std::ptrdiff_t row_;    // of the source, of index 0 of the axis; or the number of element 0
    std::ptrdiff_t step_;   // rows from index to index of the axis; 0: results are numbered
    std::ptrdiff_t inner_;  // elements from index to index of the axis
    bool flat_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      if (inner_ > 1 && step_ == 0) {
        const std::ptrdiff_t result = row_ + x, o = result / inner_, c = result - o * inner_;
        return Reduction::InOrder(size_, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
          return RowOf(src_, 0).Eval((o * size_ + i) * inner_ + c);
        });
      }
      return Reduction::InOrder(
          size_, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA { return Element(x, i); });
    }
    /// What element x is the reduction of, at index i of the axis; not of the numbered results
    /// above.
    MSHADOW_XINLINE auto Element(std::ptrdiff_t x, std::ptrdiff_t i) const {
      return step_ == 0 ? RowOf(src_, row_ + x).Eval(i) : RowOf(src_, row_ + i * step_).Eval(x);
    }
  };
  using Reducer = typename Reduction::AnyOrder;
  /// The extent of the axis, and whether it is the last.
  std::ptrdiff_t size() const { return size_; }
  bool IsLastAxis() const { return inner_ == 1; }
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    if (numbered_) return Cursor{src_, size_, y * cols_, 0, inner_, flat_};
    const std::ptrdiff_t outer = FloorDiv(y, rows_);
    return Cursor{src_, size_, outer * size_ * rows_ + (y - outer * rows_), rows_, inner_, flat_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (; y < end_y; ++y, to += stride) {
      const Cursor at = Row(y);
      if constexpr (Reduction::kHasSegments) {
        if (at.step_ == 0 && Reduction::IsShort(size_, inner_)) {
          Reduction::Segments(src_, flat_, size_, inner_, at.row_ + x, at.row_ + end, to);
          continue;
        }
      }
      if (at.step_ == 0) {
        Reduction::Rows(src_, at.row_ + x, size_, end - x, to);
      } else {
        Reduction::Columns(src_, at.row_, at.step_, size_, x, end, to);
      }
    }
  }
  /// Numbered results follow each other; so do rows between two indices of the axis if those of the
  /// source do.
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const PlanLayout layout = LayoutOf(src_, cols).Reading(size_);
    return {numbered_ ? 0 : Gcd(layout.join, rows_), 0, layout.reads};
  }

 private:
  Src src_;
  std::ptrdiff_t size_;
  std::ptrdiff_t inner_;  // elements of the source from index to index of the axis
  bool flat_;             // are all rows of the source one?
  bool numbered_;         // element x of row y of the result is number y * cols_ + x of all
  std::ptrdiff_t cols_;   // of the result
  FastDivmod rows_;       // of the source, that an index of the axis has
};

}  // namespace detail

template <typename Reducer, typename SrcExp, typename DType, int dimsrc, bool mask, int dimdst>
class Plan<ReduceWithAxisExp<Reducer, SrcExp, DType, dimsrc, mask, dimdst>, DType>
    : public OperandPlan<detail::AxisReductionPlan<detail::AxisReduction<Reducer, DType, mask>,
                                                   SrcExp, dimsrc, dimdst>,
                         ReduceWithAxisExp<Reducer, SrcExp, DType, dimsrc, mask, dimdst>, DType> {
 public:
  explicit Plan(const ReduceWithAxisExp<Reducer, SrcExp, DType, dimsrc, mask, dimdst>& e)
      : Plan::OperandPlan(e) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_REDUCE_WITH_AXIS_H_
