// SPDX-License-Identifier: Apache-2.0
// UnpoolExp: the gradient of windows of the last axes, as unpool and unpool3d make it.
#ifndef MSHADOW_WINDOW_UNPOOL_EXP_H_
#define MSHADOW_WINDOW_UNPOOL_EXP_H_

#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "unpool_cursor.h"
#include "unpool_kernel.h"
#include "window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// Window i of each of the last `axes` axes, 2 or 3, is [i kstride, i kstride + ksize). The
/// gradient of an element is the sum of those of the windows that hold it.
template <typename Reducer, typename SrcExp, typename DType, int srcdim, int axes,
          typename PooledExp, typename GradExp>
struct UnpoolExp
    : public MakeTensorExp<UnpoolExp<Reducer, SrcExp, DType, srcdim, axes, PooledExp, GradExp>,
                           SrcExp, srcdim, DType> {
  static_assert(srcdim >= axes, "mshadow: the pooled expression lacks axes of its windows");
  static_assert(ExpInfo<PooledExp>::kDim == srcdim && ExpInfo<GradExp>::kDim == srcdim,
                "mshadow: unpool: data_src, data_pooled and grad_pooled must have the same number "
                "of axes");
  static constexpr int kDevices =
      ExpInfo<SrcExp>::kDevMask & ExpInfo<PooledExp>::kDevMask & ExpInfo<GradExp>::kDevMask;
  SrcExp data_src_;
  PooledExp data_pooled_;
  GradExp grad_pooled_;
  Shape<axes> ksize_, kstride_, pshape_;
  /// Throws Error, in the name of `function`, where shapes do not fit, a window holds no element,
  /// or a size or stride is not positive.
  UnpoolExp(const char* function, const SrcExp& data_src, const PooledExp& data_pooled,
            const GradExp& grad_pooled, const Shape<axes>& ksize, const Shape<axes>& kstride)
      : data_src_(data_src),
        data_pooled_(data_pooled),
        grad_pooled_(grad_pooled),
        ksize_(ksize),
        kstride_(kstride) {
    const Shape<axes> pad{};
    detail::CheckWindow<false>(function, ksize, kstride, pad);
    const Shape<srcdim> pooled = ShapeCheck<srcdim, PooledExp>::Check(data_pooled_);
    const Shape<srcdim> grad = ShapeCheck<srcdim, GradExp>::Check(grad_pooled_);
    MSHADOW_CHECK_EQ(pooled, grad) << "UnPoolingExp: pooled shape mismatch";
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(data_src_);
    for (int i = 0; i < srcdim - axes; ++i) {
      MSHADOW_CHECK_EQ(this->shape_[i], pooled[i])
          << "UnPoolingExp: pool and src shape mismatch: " << this->shape_ << ", " << pooled;
    }
    pshape_ = detail::LastAxes<axes>(pooled);
    detail::FitWindows(function, detail::LastAxes<axes>(this->shape_), &ksize_, &kstride_, pad,
                       pshape_);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(data_src_, written, same_index) ||
           expr::Overlaps(data_pooled_, written, false) ||
           expr::Overlaps(grad_pooled_, written, false);
  }
};

template <typename Reducer, typename SrcExp, typename DType, int srcdim, int axes,
          typename PooledExp, typename GradExp>
class Plan<UnpoolExp<Reducer, SrcExp, DType, srcdim, axes, PooledExp, GradExp>, DType> {
  using Src = detail::InMemoryPlan<SrcExp, DType>;
  using Pooled = detail::InMemoryPlan<PooledExp, DType>;
  using Grad = detail::InMemoryPlan<GradExp, DType>;
  using Windows = detail::CoveringWindows::Windows;
  using Cursor = detail::UnpoolCursor<Reducer, RowCursor<Src>, Pooled, Grad, DType>;
  static constexpr int kY = axes - 2, kX = axes - 1;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(
      4 * axes + kCostOf<Src> + (1 << kX) * (kCostOf<Pooled> + kCostOf<Grad>));
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const UnpoolExp<Reducer, SrcExp, DType, srcdim, axes, PooledExp, GradExp>& e)
      : src_(MakePlanOf<Src>(e.data_src_)),
        pooled_(MakePlanOf<Pooled>(e.data_pooled_)),
        grad_(MakePlanOf<Grad>(e.grad_pooled_)) {
    detail::ForEachAxis<axes>([&](int i) MSHADOW_INLINE_LAMBDA {
      axis_[i] = detail::MakeCoverAxis(e.pshape_[i], e.ksize_[i], e.kstride_[i]);
      if (i < kX) extent_[i] = FastDivmod(static_cast<std::ptrdiff_t>(e.shape_[srcdim - axes + i]));
    });
  }
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t row) const {
    const DivModResult plane = DivMod(row, extent_[kY]);
    const Windows rows = axis_[kY].Of(plane.rem);
    const Planes planes = PlanesOf(plane.quot);
    return Cursor{RowOf(src_, row),
                  pooled_,
                  grad_,
                  planes.first + rows.begin,
                  rows.Count(),
                  planes.count,
                  axes == 2 ? 0 : axis_[kY].windows,
                  axis_[kX]};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_NOINLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                             std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (detail::kInMemory<Src> && detail::kInMemory<Pooled> && detail::kInMemory<Grad>) {
      // The rows of a plane are in windows of the same planes; of two axes, all images follow
      // alike.
      for (std::ptrdiff_t n; y < end_y; y += n, to += n * stride) {
        std::ptrdiff_t top = 0;
        Planes planes{0, 1};
        n = end_y - y;
        if constexpr (axes == 3) {
          const DivModResult plane = DivMod(y, extent_[kY]);
          planes = PlanesOf(plane.quot);
          top = y - plane.rem;
          if (extent_[kY] - plane.rem < n) n = extent_[kY] - plane.rem;
        }
        detail::WriteUnpooledRows<Reducer, DType>(
            {detail::MemoryRowsOf<DType>(src_, top),
             detail::MemoryRowsOf<DType>(pooled_, planes.first),
             detail::MemoryRowsOf<DType>(grad_, planes.first), planes.count,
             axes == 2 ? 0 : axis_[kY].windows, axis_[kY], axis_[kX], extent_[kY], to, stride,
             y - top, y - top + n, x, end});
      }
    }
  }

 private:
  /// The rows of windows of one plane of cells: `count` planes of them, from row `first` on.
  struct Planes {
    std::ptrdiff_t first, count;
  };
  MSHADOW_XINLINE Planes PlanesOf(std::ptrdiff_t plane) const {
    if constexpr (axes == 2) return {plane * axis_[0].windows, 1};
    const DivModResult volume = DivMod(plane, extent_[0]);
    const Windows planes = axis_[0].Of(volume.rem);
    return {(volume.quot * axis_[0].windows + planes.begin) * axis_[kY].windows, planes.Count()};
  }

  Src src_;
  Pooled pooled_;
  Grad grad_;
  FastDivmod extent_[kX];  // of all axes but the last
  detail::CoveringWindows axis_[axes];
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_UNPOOL_EXP_H_
