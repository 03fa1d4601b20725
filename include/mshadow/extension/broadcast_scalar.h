// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_BROADCAST_SCALAR_H_
#define MSHADOW_EXTENSION_BROADCAST_SCALAR_H_

#include "../expr/make_tensor.h"
#include "../expr/plan/broadcast_plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int dimdst>
struct BroadcastScalarExp
    : public MakeTensorExp<BroadcastScalarExp<SrcExp, DType, dimdst>, SrcExp, dimdst, DType> {
  SrcExp src_;
  BroadcastScalarExp(const SrcExp& src, const Shape<dimdst>& shape) : src_(src) {
    this->shape_ = shape;
  }
  static constexpr bool kRepeats = true;
  static constexpr detail::View kView = detail::View::kRepeats;
  void Move(const detail::OperandViews& operands) const {
    operands.Repeat(dimdst, (1 << dimdst) - 1);
  }
};

/// out[i0]..[ik] = src[0]; src (1), any expression of one axis, or of rank 0 -> shape; throws Error
/// where src has not one element.
template <typename SrcExp, typename DType, int etype, int dimdst>
inline BroadcastScalarExp<SrcExp, DType, dimdst> broadcast_scalar(
    const Exp<SrcExp, DType, etype>& src, Shape<dimdst> shape) {
  static_assert(ExpInfo<SrcExp>::kDim == 0 || ExpInfo<SrcExp>::kDim == 1,
                "mshadow: broadcast_scalar needs an expression of one axis");
  if constexpr (ExpInfo<SrcExp>::kDim == 1) {
    const Shape<1> src_shape = ShapeCheck<1, SrcExp>::Check(src.self());
    MSHADOW_CHECK_EQ(src_shape[0], 1U) << "broadcast_scalar: the source " << src_shape
                               << " must have one element";
  }
  return BroadcastScalarExp<SrcExp, DType, dimdst>(src.self(), shape);
}
MSHADOW_OWNS_TEMPORARIES_(broadcast_scalar)

template <typename SrcExp, typename DType, int dimdst>
class Plan<BroadcastScalarExp<SrcExp, DType, dimdst>, DType> {
 public:
  static constexpr PlanFacts kFacts{1, 0, Access::kRows};
  explicit Plan(const BroadcastScalarExp<SrcExp, DType, dimdst>& e) : src_(MakePlan(e.src_)) {}
  MSHADOW_XINLINE detail::ValueCursor<DType> Row(std::ptrdiff_t) const {
    return detail::ValueCursor<DType>{RowOf(src_, 0).Eval(0)};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const { return {0}; }

 private:
  PlanOf<SrcExp> src_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_BROADCAST_SCALAR_H_
