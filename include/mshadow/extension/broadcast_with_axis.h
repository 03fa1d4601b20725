// SPDX-License-Identifier: Apache-2.0
// Broadcasting whose axes are known at run time: broadcast_with_axis, broadcast_keepdim,
// broadcast_multi_axes, broadcast_to.
#ifndef MSHADOW_EXTENSION_BROADCAST_WITH_AXIS_H_
#define MSHADOW_EXTENSION_BROADCAST_WITH_AXIS_H_

#include "../core/argument.h"
#include "../expr/make_tensor.h"
#include "../expr/plan/broadcast_plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// src_ repeated along one axis, a new one (dimdst = dimsrc + 1) or one of extent 1.
template <typename SrcExp, typename DType, int dimsrc, int dimdst>
struct BroadcastWithAxisExp
    : public MakeTensorExp<BroadcastWithAxisExp<SrcExp, DType, dimsrc, dimdst>, SrcExp, dimdst,
                           DType> {
  static_assert(dimsrc > 0, "mshadow: broadcasting along an axis needs an expression with axes");
  SrcExp src_;
  Shape<dimdst> aligned_;  // the shape of src_, 1 at a new axis
  index_t src_cols_;
  BroadcastWithAxisExp(const SrcExp& src, int axis, index_t size) : src_(src) {
    const Shape<dimsrc> shape = ShapeCheck<dimsrc, SrcExp>::Check(src_);
    src_cols_ = shape[dimsrc - 1];
    if constexpr (dimdst == dimsrc) {
      axis = detail::CheckAxis("broadcast_keepdim", axis, dimsrc);
      MSHADOW_CHECK_EQ(shape[axis], 1U) << "broadcast_keepdim: axis " << axis << " of " << shape
                                << " must have extent 1";
      aligned_ = shape;
    } else {
      detail::CheckArgument("broadcast_with_axis", "axis", axis, -1, dimsrc - 1,
                            ", the axes of the source; -1 puts the new axis in front");
      ++axis;
      for (int i = 0; i < dimdst; ++i) {
        aligned_[i] = i == axis ? 1 : shape[i < axis ? i : i - 1];
      }
    }
    this->shape_ = aligned_;
    this->shape_[axis] = size;
  }
  static constexpr bool kRepeats = true;
  static constexpr detail::View kView = detail::View::kRepeats;
  void Move(const detail::OperandViews& operands) const {
    operands.Broadcast(ShapeCheck<dimsrc, SrcExp>::Check(src_).shape_, aligned_.shape_, dimdst);
  }
};

/// out[i0]..[i_axis][j][..] = src[i0]..[i_axis][..]: a new axis of extent `size` behind `axis`; -1
/// puts it in front. src (s0, .., sk) -> (s0, .., s_axis, size, .., sk). Throws Error where axis is
/// not one of -1, .., k.
template <typename SrcExp, typename DType, int etype>
inline BroadcastWithAxisExp<SrcExp, DType, ExpInfo<SrcExp>::kDim, ExpInfo<SrcExp>::kDim + 1>
broadcast_with_axis(const Exp<SrcExp, DType, etype>& src, const int axis, const index_t size) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim;
  return BroadcastWithAxisExp<SrcExp, DType, kDim, kDim + 1>(src.self(), axis, size);
}
MSHADOW_OWNS_TEMPORARIES_(broadcast_with_axis)

/// out[..][j][..] = src[..][0][..]: the axis of extent 1 repeated `size` times; a negative axis
/// counts from the end. Throws Error where the axis has another extent, or is none.
template <typename SrcExp, typename DType, int etype>
inline BroadcastWithAxisExp<SrcExp, DType, ExpInfo<SrcExp>::kDim, ExpInfo<SrcExp>::kDim>
broadcast_keepdim(const Exp<SrcExp, DType, etype>& src, const int axis, const index_t size) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim;
  return BroadcastWithAxisExp<SrcExp, DType, kDim, kDim>(src.self(), axis, size);
}
MSHADOW_OWNS_TEMPORARIES_(broadcast_keepdim)

/// src_ with axes of extent 1 repeated, and new axes in front where dimdst exceeds dimsrc.
template <typename SrcExp, typename DType, int dimsrc, int dimdst = dimsrc>
struct BroadcastWithMultiAxesExp
    : public MakeTensorExp<BroadcastWithMultiAxesExp<SrcExp, DType, dimsrc, dimdst>, SrcExp,
                           dimdst, DType> {
  static_assert(0 < dimsrc && dimsrc <= dimdst,
                "mshadow: an expression is broadcast to as many axes as it has, or more");
  SrcExp src_;
  Shape<dimdst> aligned_;  // the shape of src_, 1 at new axes
  index_t src_cols_;
  /// The shape of src_ so far; Repeat says what becomes of it.
  explicit BroadcastWithMultiAxesExp(const SrcExp& src) : src_(src) {
    const Shape<dimsrc> shape = ShapeCheck<dimsrc, SrcExp>::Check(src_);
    src_cols_ = shape[dimsrc - 1];
    constexpr int kNew = dimdst - dimsrc;
    for (int i = 0; i < dimdst; ++i) aligned_[i] = i < kNew ? 1 : shape[i < kNew ? 0 : i - kNew];
    this->shape_ = aligned_;
  }
  static constexpr bool kRepeats = true;
  static constexpr detail::View kView = detail::View::kRepeats;
  void Move(const detail::OperandViews& operands) const {
    operands.Broadcast(ShapeCheck<dimsrc, SrcExp>::Check(src_).shape_, aligned_.shape_, dimdst);
  }
  void Repeat(const char* function, int axis, index_t size) {
    if (size == aligned_[axis]) return;
    MSHADOW_CHECK_EQ(aligned_[axis], 1U) << function << ": axis " << axis << " of " << aligned_
                                 << " must have extent 1 to become " << size;
    this->shape_[axis] = size;
  }
};

/// out[..][j][..] = src[..][0][..] for each of `axes`, of extent 1, repeated sizes[i] times. axes
/// and sizes are of any type with ndim() and [], such as TShape. Throws Error where their numbers
/// differ, axes do not ascend or are none of src, or an extent is not 1.
template <typename SrcExp, typename DType, int etype, typename TShape>
inline BroadcastWithMultiAxesExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> broadcast_multi_axes(
    const Exp<SrcExp, DType, etype>& src, const TShape& axes, const TShape& sizes) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim;
  const int count = static_cast<int>(axes.ndim());
  MSHADOW_CHECK_EQ(count, static_cast<int>(sizes.ndim()))
      << "broadcast_multi_axes: axes and sizes differ in number";
  BroadcastWithMultiAxesExp<SrcExp, DType, kDim> result(src.self());
  int last = -1;
  for (int i = 0; i < count; ++i) {
    const int axis = static_cast<int>(axes[i]);
    detail::CheckArgument("broadcast_multi_axes", "axis", axis, 0, kDim - 1,
                          ", the axes of the source");
    MSHADOW_CHECK_GT(axis, last) << "broadcast_multi_axes: axes must ascend";
    last = axis;
    MSHADOW_CHECK_EQ(result.aligned_[axis], 1U)
        << "broadcast_multi_axes: axis " << axis << " of " << result.aligned_
        << " must have extent 1";
    result.Repeat("broadcast_multi_axes", axis, static_cast<index_t>(sizes[i]));
  }
  return result;
}
MSHADOW_OWNS_TEMPORARIES_(broadcast_multi_axes)
/// The same.
template <typename SrcExp, typename DType, int etype, typename TShape>
inline auto broadcast_with_multi_axes(const Exp<SrcExp, DType, etype>& src, const TShape& axes,
                                      const TShape& sizes) {
  return broadcast_multi_axes(src, axes, sizes);
}
MSHADOW_OWNS_TEMPORARIES_(broadcast_with_multi_axes)

/// src with its axes of extent 1 repeated so that its shape becomes `target`, a TShape or the like
/// of as many axes. Throws Error, with both shapes, where another axis differs.
template <typename SrcExp, typename DType, int etype, typename TShape>
inline BroadcastWithMultiAxesExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> broadcast_to(
    const Exp<SrcExp, DType, etype>& src, const TShape& target) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim;
  MSHADOW_CHECK_EQ(static_cast<int>(target.ndim()), kDim)
      << "broadcast_to: source and target differ in the number of axes";
  Shape<kDim> shape;
  for (int i = 0; i < kDim; ++i) shape[i] = static_cast<index_t>(target[i]);
  return broadcast_to(src, shape);
}
/// The same for a Shape, which may have more axes than src: these come in front, as NumPy has it.
template <typename SrcExp, typename DType, int etype, int dimdst>
inline BroadcastWithMultiAxesExp<SrcExp, DType, ExpInfo<SrcExp>::kDim, dimdst> broadcast_to(
    const Exp<SrcExp, DType, etype>& src, const Shape<dimdst>& target) {
  BroadcastWithMultiAxesExp<SrcExp, DType, ExpInfo<SrcExp>::kDim, dimdst> result(src.self());
  const Shape<dimdst> from = result.aligned_;
  for (int i = 0; i < dimdst; ++i) {
    MSHADOW_CHECK(from[i] == target[i] || from[i] == 1)
        << "broadcast_to: shape " << from << " cannot become " << target << ": axis " << i
        << " has neither extent 1 nor that of the target";
    result.Repeat("broadcast_to", i, target[i]);
  }
  return result;
}
MSHADOW_OWNS_TEMPORARIES_(broadcast_to)

template <typename SrcExp, typename DType, int dimsrc, int dimdst>
class Plan<BroadcastWithAxisExp<SrcExp, DType, dimsrc, dimdst>, DType>
    : public detail::BroadcastPlan<RereadPlan<SrcExp, DType>, DType, dimdst> {
  using Src = RereadPlan<SrcExp, DType>;

 public:
  explicit Plan(const BroadcastWithAxisExp<SrcExp, DType, dimsrc, dimdst>& e)
      : detail::BroadcastPlan<Src, DType, dimdst>(MakePlanOf<Src>(e.src_), e.aligned_, e.shape_,
                                                  e.src_cols_) {}
};
template <typename SrcExp, typename DType, int dimsrc, int dimdst>
class Plan<BroadcastWithMultiAxesExp<SrcExp, DType, dimsrc, dimdst>, DType>
    : public detail::BroadcastPlan<RereadPlan<SrcExp, DType>, DType, dimdst> {
  using Src = RereadPlan<SrcExp, DType>;

 public:
  explicit Plan(const BroadcastWithMultiAxesExp<SrcExp, DType, dimsrc, dimdst>& e)
      : detail::BroadcastPlan<Src, DType, dimdst>(MakePlanOf<Src>(e.src_), e.aligned_, e.shape_,
                                                  e.src_cols_) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_BROADCAST_WITH_AXIS_H_
