// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_UNPOOL3D_H_
#define MSHADOW_EXTENSION_UNPOOL3D_H_

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/make_tensor.h"
#include "../window/unpool_cursor.h"
#include "../window/window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// The three operands may be of different expression types.
template <typename Reducer, typename SrcExp, typename DType, int srcdim, typename PooledExp,
          typename GradExp>
struct UnPooling3dExp
    : public MakeTensorExp<UnPooling3dExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>,
                           SrcExp, srcdim, DType> {
  static_assert(srcdim >= 3, "mshadow: unpool3d needs expressions of three axes or more");
  static_assert(ExpInfo<PooledExp>::kDim == srcdim && ExpInfo<GradExp>::kDim == srcdim,
                "mshadow: unpool3d: data_src, data_pooled and grad_pooled must have the same "
                "number of axes");
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask & ExpInfo<PooledExp>::kDevMask &
                                  ExpInfo<GradExp>::kDevMask;
  SrcExp data_src_;
  PooledExp data_pooled_;
  GradExp grad_pooled_;
  Shape<3> ksize_, kstride_, pshape_;
  UnPooling3dExp(const SrcExp& data_src, const PooledExp& data_pooled, const GradExp& grad_pooled,
                 const Shape<3>& ksize, const Shape<3>& kstride)
      : data_src_(data_src), data_pooled_(data_pooled), grad_pooled_(grad_pooled), ksize_(ksize),
        kstride_(kstride) {
    detail::CheckWindow3("unpool3d", ksize, kstride);
    const Shape<srcdim> pooled = ShapeCheck<srcdim, PooledExp>::Check(data_pooled_);
    const Shape<srcdim> grad = ShapeCheck<srcdim, GradExp>::Check(grad_pooled_);
    MSHADOW_CHECK_EQ(pooled, grad) << "unpool3d: pooled shape mismatch";
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(data_src_);
    for (int i = 0; i < srcdim - 3; ++i) {
      MSHADOW_CHECK_EQ(this->shape_[i], pooled[i])
          << "unpool3d: pool and src shape mismatch: " << this->shape_ << ", " << pooled;
    }
    Shape<3> volume;
    for (int i = 0; i < 3; ++i) {
      pshape_[i] = pooled[srcdim - 3 + i];
      volume[i] = this->shape_[srcdim - 3 + i];
    }
    detail::FitWindows("unpool3d", volume, &ksize_, &kstride_, Shape3(0, 0, 0), pshape_);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(data_src_, written, same_index) ||
           expr::Overlaps(data_pooled_, written, false) ||
           expr::Overlaps(grad_pooled_, written, false);
  }
};

/// The gradient of pool3d: out[..][z][y][x] = sum of
/// PartialGrad(src[..][z][y][x], pooled[..][w][v][u]) grad[..][w][v][u] over the windows (w, v, u)
/// that cover (z, y, x): w s0 <= z < w s0 + k0, likewise v and u. Of a maximum, every element
/// equal to it gets the gradient. data_src (.., D, H, W) and
/// data_pooled, grad_pooled (.., d, h, w) -> (.., D, H, W); the destination may be data_src itself.
/// Throws Error where shapes do not fit, a window holds no element of data_src, or an argument is
/// not positive.
template <typename Reducer, typename SrcExp, typename PooledExp, typename GradExp, typename DType,
          int etype, int pooled_etype, int grad_etype>
inline UnPooling3dExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp> unpool3d(
    const Exp<SrcExp, DType, etype>& data_src,
    const Exp<PooledExp, DType, pooled_etype>& data_pooled,
    const Exp<GradExp, DType, grad_etype>& grad_pooled, Shape<3> ksize, Shape<3> kstride) {
  return UnPooling3dExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp>(
      data_src.self(), data_pooled.self(), grad_pooled.self(), ksize, kstride);
}

template <typename Reducer, typename SrcExp, typename DType, int srcdim, typename PooledExp,
          typename GradExp>
class Plan<UnPooling3dExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>, DType> {
  using Src = RereadPlan<SrcExp, DType>;
  using Pooled = RereadPlan<PooledExp, DType>;
  using Grad = RereadPlan<GradExp, DType>;
  using Cursor = detail::UnpoolCursor<Reducer, RowCursor<Src>, Pooled, Grad, DType>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(
      12 + kCostOf<Src> + 4 * kCostOf<Pooled> + 4 * kCostOf<Grad>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  static constexpr Fills kFills = Fills::kBlocks;
  explicit Plan(const UnPooling3dExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>& e)
      : src_(MakePlanOf<Src>(e.data_src_)), pooled_(MakePlanOf<Pooled>(e.data_pooled_)),
        grad_(MakePlanOf<Grad>(e.grad_pooled_)),
        depth_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 3])),
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        z_(detail::MakeCoverAxis(e.pshape_[0], e.ksize_[0], e.kstride_[0])),
        y_(detail::MakeCoverAxis(e.pshape_[1], e.ksize_[1], e.kstride_[1])),
        x_(detail::MakeCoverAxis(e.pshape_[2], e.ksize_[2], e.kstride_[2])) {}

  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t row) const {
    const DivModResult plane = DivMod(row, height_), volume = DivMod(plane.quot, depth_);
    const detail::CoveringWindows::Windows rows = y_.Of(plane.rem), planes = z_.Of(volume.rem);
    const std::ptrdiff_t first =
        (volume.quot * z_.windows + planes.begin) * y_.windows + rows.begin;
    return Cursor{RowOf(src_, row), pooled_, grad_, first, rows.Count(), planes.Count(),
                  y_.windows, x_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    // The rows of a plane are in the windows of the same planes.
    for (std::ptrdiff_t n; y < end_y; y += n, to += n * stride) {
      const DivModResult plane = DivMod(y, height_), volume = DivMod(plane.quot, depth_);
      const detail::CoveringWindows::Windows planes = z_.Of(volume.rem);
      const std::ptrdiff_t top = plane.quot * height_;
      n = height_ - plane.rem < end_y - y ? height_ - plane.rem : end_y - y;
      detail::WriteCells<Reducer, DType>(
          src_, top, pooled_, grad_, (volume.quot * z_.windows + planes.begin) * y_.windows,
          {{},
           {},
           {},
           planes.Count(),
           y_.windows,
           y_,
           x_,
           height_,
           to,
           stride,
           plane.rem,
           plane.rem + n,
           x,
           end},
          [this, top](std::ptrdiff_t v, std::ptrdiff_t u)
              MSHADOW_INLINE_LAMBDA { return Row(top + v).Eval(u); });
    }
  }

 private:
  Src src_;
  Pooled pooled_;
  Grad grad_;
  FastDivmod depth_, height_;
  detail::CoveringWindows z_, y_, x_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_UNPOOL3D_H_
