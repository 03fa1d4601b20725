// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_BROADCAST_H_
#define MSHADOW_EXTENSION_BROADCAST_H_

#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../expr/gather_rows.h"

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
};

/// out[i0]...[ik] = src[i_dimcast]; src (n), any expression of one axis -> shape;
/// throws Error where n is not shape[dimcast].
template <int dimcast, typename SrcExp, typename DType, int etype, int dimdst>
inline Broadcast1DExp<SrcExp, DType, dimdst, dimdst - dimcast> broadcast(
    const Exp<SrcExp, DType, etype>& src, Shape<dimdst> shape) {
  static_assert(0 <= dimcast && dimcast < dimdst,
                "mshadow: broadcast<dimcast>: dimcast must be an axis of the result");
  static_assert(ExpInfo<SrcExp>::kDim == 1,
                "mshadow: broadcast<dimcast> needs an expression of one axis");
  const Shape<1> src_shape = ShapeCheck<1, SrcExp>::Check(src.self());
  MSHADOW_CHECK_EQ(src_shape[0], shape[dimcast])
      << "broadcast, shape mismatch: source " << src_shape << ", axis dimcast=" << dimcast
      << " of " << shape;
  return Broadcast1DExp<SrcExp, DType, dimdst, dimdst - dimcast>(src.self(), shape);
}

/// out[y][x] = src[x]; src (n), any expression of one axis -> (nrow, n).
template <typename SrcExp, typename DType, int etype>
inline Broadcast1DExp<SrcExp, DType, 2, 1> repmat(const Exp<SrcExp, DType, etype>& src,
                                                  index_t nrow) {
  static_assert(ExpInfo<SrcExp>::kDim == 1, "mshadow: repmat needs an expression of one axis");
  const Shape<1> src_shape = ShapeCheck<1, SrcExp>::Check(src.self());
  return Broadcast1DExp<SrcExp, DType, 2, 1>(src.self(), Shape2(nrow, src_shape[0]));
}

template <typename SrcExp, typename DType, int dimdst, int dimdst_m_cast>
class Plan<Broadcast1DExp<SrcExp, DType, dimdst, dimdst_m_cast>, DType> {
  using Src = RereadPlan<SrcExp, DType>;
  static constexpr int kDimcast = dimdst - dimdst_m_cast;

 public:
  static constexpr PlanFacts kFacts{1, 0, Access::kRows};
  explicit Plan(const Broadcast1DExp<SrcExp, DType, dimdst, dimdst_m_cast>& e)
      : src_(MakePlanOf<Src>(e.src_)),
        rows_(static_cast<std::ptrdiff_t>(e.shape_.CheckedProdShape(kDimcast + 1, dimdst - 1))),
        length_(static_cast<std::ptrdiff_t>(e.shape_[kDimcast])) {}
  MSHADOW_XINLINE detail::ValueCursor<DType> Row(std::ptrdiff_t y) const {
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

/// The last axis: every row is the source.
template <typename SrcExp, typename DType, int dimdst>
class Plan<Broadcast1DExp<SrcExp, DType, dimdst, 1>, DType> {
  using Src = RereadPlan<SrcExp, DType>;

 public:
  static constexpr PlanFacts kFacts = BroadcastFacts<Src>(kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const Broadcast1DExp<SrcExp, DType, dimdst, 1>& e)
      : src_(MakePlanOf<Src>(e.src_)) {}
  MSHADOW_XINLINE auto Row(std::ptrdiff_t) const { return RowOf(src_, 0); }
  static constexpr int kGatherBytes =
      sizeof(DType) + (detail::MovesRows<Src>() ? 0 : detail::kEvaluated);
  static constexpr bool kArithmetic = kArithmeticOf<Src>;
  void GatherRows(detail::RowGather* gather) { gather->Repeat(&src_); }
  MSHADOW_XINLINE DType Eval(index_t, index_t x) const { return RowOf(src_, 0).Eval(x); }

 private:
  Src src_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_BROADCAST_H_
