// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_UNPOOL_H_
#define MSHADOW_EXTENSION_SPATIAL_UNPOOL_H_

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/make_tensor.h"
#include "../window/unpool_cursor.h"
#include "../window/window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// The three operands may be of different expression types.
template <typename Reducer, typename SrcExp, typename DType, int srcdim,
          typename PooledExp = SrcExp, typename GradExp = SrcExp>
struct UnPoolingExp
    : public MakeTensorExp<UnPoolingExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>, SrcExp,
                           srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: unpool needs expressions of two axes or more");
  static_assert(ExpInfo<PooledExp>::kDim == srcdim && ExpInfo<GradExp>::kDim == srcdim,
                "mshadow: unpool: data_src, data_pooled and grad_pooled must have the same number "
                "of axes");
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask & ExpInfo<PooledExp>::kDevMask &
                                  ExpInfo<GradExp>::kDevMask;
  SrcExp data_src_;
  PooledExp data_pooled_;
  GradExp grad_pooled_;
  index_t ksize_y_, ksize_x_, kstride_y_, kstride_x_;
  index_t pshape_y_, pshape_x_;
  UnPoolingExp(const SrcExp& data_src, const PooledExp& data_pooled, const GradExp& grad_pooled,
               index_t ksize_y, index_t ksize_x, index_t kstride_y, index_t kstride_x)
      : data_src_(data_src), data_pooled_(data_pooled), grad_pooled_(grad_pooled) {
    detail::CheckPositive("unpool", "ksize_y", ksize_y);
    detail::CheckPositive("unpool", "ksize_x", ksize_x);
    detail::CheckPositive("unpool", "kstride_y", kstride_y);
    detail::CheckPositive("unpool", "kstride_x", kstride_x);
    const Shape<srcdim> pooled = ShapeCheck<srcdim, PooledExp>::Check(data_pooled_);
    const Shape<srcdim> grad = ShapeCheck<srcdim, GradExp>::Check(grad_pooled_);
    MSHADOW_CHECK_EQ(pooled, grad) << "UnPoolingExp: pooled shape mismatch";
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(data_src_);
    for (int i = 0; i < srcdim - 2; ++i) {
      MSHADOW_CHECK_EQ(this->shape_[i], pooled[i])
          << "UnPoolingExp: pool and src shape mismatch: " << this->shape_ << ", " << pooled;
    }
    pshape_y_ = pooled[srcdim - 2];
    pshape_x_ = pooled[srcdim - 1];
    Shape<2> ksize = Shape2(ksize_y, ksize_x), kstride = Shape2(kstride_y, kstride_x);
    detail::FitWindows("unpool", Shape2(this->shape_[srcdim - 2], this->shape_[srcdim - 1]), &ksize,
                       &kstride, Shape2(0, 0), Shape2(pshape_y_, pshape_x_));
    ksize_y_ = ksize[0];
    ksize_x_ = ksize[1];
    kstride_y_ = kstride[0];
    kstride_x_ = kstride[1];
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(data_src_, written, same_index) ||
           expr::Overlaps(data_pooled_, written, false) ||
           expr::Overlaps(grad_pooled_, written, false);
  }
};

/// The gradient of pool: out[..][y][x] = sum of PartialGrad(src[..][y][x], pooled[..][v][u])
/// grad[..][v][u] over the windows (v, u) that cover (y, x): v sy <= y < v sy + ky, likewise u.
/// Of a maximum, every element equal to it gets the gradient. data_src (.., H, W) and data_pooled,
/// grad_pooled (.., h, w) -> (.., H, W); the destination may be data_src itself.
/// Throws Error where shapes do not fit, a window holds no element of data_src, or an argument is
/// not positive.
template <typename Reducer, typename SrcExp, typename PooledExp, typename GradExp, typename DType,
          int etype, int pooled_etype, int grad_etype>
inline UnPoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp> unpool(
    const Exp<SrcExp, DType, etype>& data_src,
    const Exp<PooledExp, DType, pooled_etype>& data_pooled,
    const Exp<GradExp, DType, grad_etype>& grad_pooled, index_t ksize_y, index_t ksize_x,
    index_t kstride_y, index_t kstride_x) {
  return UnPoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp>(
      data_src.self(), data_pooled.self(), grad_pooled.self(), ksize_y, ksize_x, kstride_y,
      kstride_x);
}
/// The same stride both ways.
template <typename Reducer, typename SrcExp, typename PooledExp, typename GradExp, typename DType,
          int etype, int pooled_etype, int grad_etype>
inline UnPoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp> unpool(
    const Exp<SrcExp, DType, etype>& data_src,
    const Exp<PooledExp, DType, pooled_etype>& data_pooled,
    const Exp<GradExp, DType, grad_etype>& grad_pooled, index_t ksize_y, index_t ksize_x,
    index_t kstride) {
  return unpool<Reducer>(data_src, data_pooled, grad_pooled, ksize_y, ksize_x, kstride, kstride);
}

template <typename Reducer, typename SrcExp, typename DType, int srcdim, typename PooledExp,
          typename GradExp>
class Plan<UnPoolingExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>, DType> {
  using Src = RereadPlan<SrcExp, DType>;
  using Pooled = RereadPlan<PooledExp, DType>;
  using Grad = RereadPlan<GradExp, DType>;
  using Cursor = detail::UnpoolCursor<Reducer, RowCursor<Src>, Pooled, Grad, DType>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(
      8 + kCostOf<Src> + 2 * kCostOf<Pooled> + 2 * kCostOf<Grad>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  static constexpr Fills kFills = Fills::kBlocks;
  explicit Plan(const UnPoolingExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>& e)
      : src_(MakePlanOf<Src>(e.data_src_)), pooled_(MakePlanOf<Pooled>(e.data_pooled_)),
        grad_(MakePlanOf<Grad>(e.grad_pooled_)),
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        y_(detail::MakeCoverAxis(e.pshape_y_, e.ksize_y_, e.kstride_y_)),
        x_(detail::MakeCoverAxis(e.pshape_x_, e.ksize_x_, e.kstride_x_)) {}

  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const DivModResult image = DivMod(y, height_);
    const detail::CoveringWindows::Windows rows = y_.Of(image.rem);
    return Cursor{RowOf(src_, y), pooled_, grad_, image.quot * y_.windows + rows.begin,
                  rows.Count(),   1,       0,     x_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    detail::WriteCells<Reducer, DType>(
        src_, 0, pooled_, grad_, 0,
        {{}, {}, {}, 1, 0, y_, x_, height_, to, stride, y, end_y, x, end},
        [this](std::ptrdiff_t v, std::ptrdiff_t u)
            MSHADOW_INLINE_LAMBDA { return Row(v).Eval(u); });
  }

 private:
  Src src_;
  Pooled pooled_;
  Grad grad_;
  FastDivmod height_;
  detail::CoveringWindows y_, x_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SPATIAL_UNPOOL_H_
