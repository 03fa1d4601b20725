// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_BROADCAST_H_
#define MSHADOW_EXTENSION_BROADCAST_H_

#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../expr/plan/broadcast_plan.h"
#include "../expr/reordered.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// dimdst_m_cast: dimdst minus the axis that the source lies along; 1 is the last axis.
template <typename SrcExp, typename DType, int dimdst, int dimdst_m_cast>
struct Broadcast1DExp
    : public MakeTensorExp<Broadcast1DExp<SrcExp, DType, dimdst, dimdst_m_cast>, SrcExp, dimdst,
                           DType> {
  SrcExp src_;
  Broadcast1DExp(const SrcExp& src, const Shape<dimdst>& shape) : src_(src) {
    this->shape_ = shape;
  }
  static constexpr bool kRepeats = true;
  static constexpr detail::View kView =
      dimdst_m_cast == 1 ? detail::View::kRows : detail::View::kRepeats;
  void Move(const detail::OperandViews& operands) const {
    operands.Repeat(dimdst, ((1 << dimdst) - 1) ^ (1 << (dimdst - dimdst_m_cast)));
  }
};

/// out[i0]...[ik] = src[i_dimcast]; src (n), any expression of one axis -> shape;
/// throws Error where n is not shape[dimcast].
template <int dimcast = -1, typename SrcExp, typename DType, int etype, int dimdst>
inline Broadcast1DExp<SrcExp, DType, dimdst, dimdst - dimcast> broadcast(
    const Exp<SrcExp, DType, etype>& src, Shape<dimdst> shape) {
  static_assert(0 <= dimcast && dimcast < dimdst,
                "mshadow: broadcast<axis>(v, shape): the axis must be one of the shape");
  static_assert(ExpInfo<SrcExp>::kDim == 1,
                "mshadow: broadcast<axis>(v, shape) takes a vector; broadcast_with_axis(t, axis, "
                "size) and broadcast_to(t, shape) repeat tensors of more axes");
  const Shape<1> src_shape = ShapeCheck<1, SrcExp>::Check(src.self());
  MSHADOW_CHECK_EQ(src_shape[0], shape[dimcast])
      << "broadcast, shape mismatch: source " << src_shape << ", axis dimcast=" << dimcast
      << " of " << shape;
  return Broadcast1DExp<SrcExp, DType, dimdst, dimdst - dimcast>(src.self(), shape);
}
MSHADOW_OWNS_TEMPORARIES_OF_(int, broadcast)

/// out[y][x] = src[x]; src (n), any expression of one axis -> (nrow, n).
template <typename SrcExp, typename DType, int etype>
inline Broadcast1DExp<SrcExp, DType, 2, 1> repmat(const Exp<SrcExp, DType, etype>& src,
                                                  index_t nrow) {
  static_assert(ExpInfo<SrcExp>::kDim == 1, "mshadow: repmat needs an expression of one axis");
  const Shape<1> src_shape = ShapeCheck<1, SrcExp>::Check(src.self());
  return Broadcast1DExp<SrcExp, DType, 2, 1>(src.self(), Shape2(nrow, src_shape[0]));
}
MSHADOW_OWNS_TEMPORARIES_(repmat)

namespace detail {

/// Along an axis between others: each element fills some rows, and all of them again and again. Two
/// divisions a row, where MaskedBroadcastPlan takes more (1.2 times as long for rows of 9 floats).
template <typename Src, typename DType, int dim, int axis>
class InnerAxisPlan {
 public:
  static constexpr PlanFacts kFacts{1, 0, Access::kRows};
  InnerAxisPlan(const Src& src, const Shape<dim>& shape, index_t length)
      : src_(src),
        rows_(static_cast<std::ptrdiff_t>(shape.CheckedProdShape(axis + 1, dim - 1))),
        length_(static_cast<std::ptrdiff_t>(length)) {}
  MSHADOW_XINLINE ValueCursor<DType> Row(std::ptrdiff_t y) const {
    return {RowOf(src_, 0).Eval(DivMod(FloorDiv(y, rows_), length_).rem)};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const {
    return {length_ == 1 ? 0 : std::ptrdiff_t{rows_}};
  }

 private:
  Src src_;
  FastDivmod rows_;  // of the result that one element of the source fills
  FastDivmod length_;
};

template <typename SrcExp, typename DType, int dim, int axis>
using Broadcast1DPlan = std::conditional_t<
    0 < axis && axis < dim - 1, InnerAxisPlan<RereadPlan<SrcExp, DType>, DType, dim, axis>,
    MaskedBroadcastPlan<RereadPlan<SrcExp, DType>, DType, dim, AxesBut(dim, axis)>>;

}  // namespace detail

template <typename SrcExp, typename DType, int dimdst, int dimdst_m_cast>
class Plan<Broadcast1DExp<SrcExp, DType, dimdst, dimdst_m_cast>, DType>
    : public detail::Broadcast1DPlan<SrcExp, DType, dimdst, dimdst - dimdst_m_cast> {
  using Base = detail::Broadcast1DPlan<SrcExp, DType, dimdst, dimdst - dimdst_m_cast>;

 public:
  explicit Plan(const Broadcast1DExp<SrcExp, DType, dimdst, dimdst_m_cast>& e)
      : Base(MakePlanOf<RereadPlan<SrcExp, DType>>(e.src_), e.shape_,
             e.shape_[dimdst - dimdst_m_cast]) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_BROADCAST_H_
