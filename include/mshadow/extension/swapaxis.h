// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SWAPAXIS_H_
#define MSHADOW_EXTENSION_SWAPAXIS_H_

#include "../expr/make_tensor.h"
#include "../expr/plan/strided_plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// The axes a2 and dimsrc - m_a1 of src_ exchanged.
template <typename SrcExp, typename DType, int dimsrc, int m_a1, int a2>
struct SwapAxisExp
    : public MakeTensorExp<SwapAxisExp<SrcExp, DType, dimsrc, m_a1, a2>, SrcExp, dimsrc, DType> {
  static constexpr int kA1 = dimsrc - m_a1;
  SrcExp src_;
  explicit SwapAxisExp(const SrcExp& src) : src_(src) {
    this->shape_ = ShapeCheck<dimsrc, SrcExp>::Check(src_);
    const index_t extent = this->shape_[kA1];
    this->shape_[kA1] = this->shape_[a2];
    this->shape_[a2] = extent;
  }
  static constexpr detail::View kView =
      kA1 == dimsrc - 1 ? detail::View::kAny : detail::View::kRows;
  void Move(const detail::OperandViews& operands) const { operands.Swap(kA1, a2); }
  /// The rows of the source in the order of the result, where neither axis is the last.
  RowMap<5> Rows() const {
    const auto product = [this](int begin, int end) {
      return static_cast<std::ptrdiff_t>(this->shape_.CheckedProdShape(begin, end));
    };
    const std::ptrdiff_t inner = product(kA1 + 1, dimsrc - 1), middle = product(a2 + 1, kA1);
    const std::ptrdiff_t n1 = static_cast<std::ptrdiff_t>(this->shape_[kA1]);
    const std::ptrdiff_t n2 = static_cast<std::ptrdiff_t>(this->shape_[a2]);
    RowMap<5> rows;
    rows.Append(product(0, a2), n1 * middle * n2 * inner);
    rows.Append(n2, inner);
    rows.Append(middle, n2 * inner);
    rows.Append(n1, middle * n2 * inner);
    rows.Append(inner, 1);
    return rows;
  }
};

/// out[..][i][..][j][..] = src[..][j][..][i][..]: axes a1 and a2 change places, a2 < a1; src of two
/// axes or more -> its shape with the two extents exchanged. Negative axes count from the end.
template <int a1, int a2, typename SrcExp, typename DType, int etype>
inline auto swapaxis(const Exp<SrcExp, DType, etype>& src) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim;
  constexpr int kA1 = a1 < 0 ? a1 + kDim : a1;
  constexpr int kA2 = a2 < 0 ? a2 + kDim : a2;
  static_assert(0 <= kA2 && kA2 < kA1 && kA1 < kDim,
                "mshadow: swapaxis<a1, a2>: a1 and a2 must be axes of the expression, a2 before "
                "a1");
  return SwapAxisExp<SrcExp, DType, kDim, kDim - kA1, kA2>(src.self());
}
MSHADOW_OWNS_TEMPORARIES_OF_(int, swapaxis)

/// Neither axis is the last: whole rows change places.
template <typename SrcExp, typename DType, int dimsrc, int m_a1, int a2>
class Plan<SwapAxisExp<SrcExp, DType, dimsrc, m_a1, a2>, DType>
    : public detail::StridedOperand<ReorderedPlan<SrcExp, DType>, RowMap<5>,
                                    detail::SameColumns> {
 public:
  explicit Plan(const SwapAxisExp<SrcExp, DType, dimsrc, m_a1, a2>& e)
      : Plan::StridedOperand(e.src_, e.Rows(), {}) {}
};

/// The last axis: a row is a column of every middle_-th row.
template <typename SrcExp, typename DType, int dimsrc, int a2>
class Plan<SwapAxisExp<SrcExp, DType, dimsrc, 1, a2>, DType> {
  using Src = ReorderedPlan<SrcExp, DType>;

 public:
  static constexpr PlanFacts kFacts = TransposedFacts(2 + kCostOf<Src>);
  explicit Plan(const SwapAxisExp<SrcExp, DType, dimsrc, 1, a2>& e)
      : src_(MakePlanOf<Src>(e.src_)),
        height_(static_cast<std::ptrdiff_t>(e.shape_[a2])),
        middle_(static_cast<std::ptrdiff_t>(e.shape_.CheckedProdShape(a2 + 1, dimsrc - 1))),
        width_(static_cast<std::ptrdiff_t>(e.shape_[dimsrc - 1])) {}
  struct Cursor {
    const Src& src_;
    std::ptrdiff_t row_, step_, column_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return RowOf(src_, row_ + x * step_).Eval(column_);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const std::ptrdiff_t column = FloorDiv(y, middle_);
    const std::ptrdiff_t outer = FloorDiv(column, height_);
    return Cursor{src_, y - column * middle_ + outer * (width_ * middle_), middle_,
                  column - outer * height_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const {
    return {1, middle_, ReadsOf(src_)};
  }

 private:
  Src src_;
  FastDivmod height_, middle_;
  std::ptrdiff_t width_;  // extents of the result, axes between joined
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SWAPAXIS_H_
