// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_MIRROR_H_
#define MSHADOW_EXTENSION_MIRROR_H_

#include "../expr/make_tensor.h"
#include "../expr/plan/strided_plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int srcdim>
struct MirroringExp
    : public MakeTensorExp<MirroringExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: mirror needs an expression of two axes or more");
  SrcExp src_;
  explicit MirroringExp(const SrcExp& src) : src_(src) {
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
  }
  static constexpr detail::View kView = detail::View::kAny;
  void Move(const detail::OperandViews& operands) const {
    operands.Reverse(srcdim - 1, this->shape_[srcdim - 1]);
  }
};

/// out[..][x] = src[..][W - 1 - x]; src (.., W) of two axes or more -> the same shape.
template <typename SrcExp, typename DType, int etype>
inline MirroringExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> mirror(
    const Exp<SrcExp, DType, etype>& src) {
  return MirroringExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self());
}
MSHADOW_OWNS_TEMPORARIES_(mirror)

namespace detail {
/// Element x is element last - x of A.
template <typename A>
struct MirrorCursor {
  A a_;
  std::ptrdiff_t last_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const { return a_.Eval(last_ - x); }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) { return a_.REval(last_ - x); }
};
/// Columns from the last to the first.
struct MirroredColumns : SameColumns {
  static constexpr int kCost = 1;
  static constexpr bool kContiguous = false;
  std::ptrdiff_t last;
  MSHADOW_XINLINE explicit MirroredColumns(std::ptrdiff_t last_column) : last(last_column) {}
  template <typename C>
  MSHADOW_XINLINE MirrorCursor<C> Of(const C& row) const {
    return MirrorCursor<C>{row, last};
  }
  MSHADOW_XINLINE bool AreAll() const { return false; }
};
}  // namespace detail

template <typename SrcExp, typename DType, int srcdim>
class Plan<MirroringExp<SrcExp, DType, srcdim>, DType>
    : public detail::StridedOperand<ReorderedPlan<SrcExp, DType>, RowMap<0>,
                                    detail::MirroredColumns> {
 public:
  explicit Plan(const MirroringExp<SrcExp, DType, srcdim>& e)
      : Plan::StridedOperand(
            e.src_, {},
            detail::MirroredColumns(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 1]) - 1)) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_MIRROR_H_
