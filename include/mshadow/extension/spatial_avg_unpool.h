// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_AVG_UNPOOL_H_
#define MSHADOW_EXTENSION_SPATIAL_AVG_UNPOOL_H_

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../window/axis.h"
#include "../window/unpool_cursor.h"
#include "../window/unpool_kernel.h"
#include "../window/window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename GradExp, typename DType, int srcdim>
struct AvgUnPoolingExp
    : public MakeTensorExp<AvgUnPoolingExp<GradExp, DType, srcdim>, GradExp, srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: avg_unpool needs an expression of two axes or more");
  static_assert(!std::is_integral_v<DType>, "mshadow: avg_unpool needs floating point numbers");
  GradExp src_;
  Shape<2> ksize_, kstride_, pad_, pshape_;
  AvgUnPoolingExp(const GradExp& grad, const Shape<2>& image, const Shape<2>& ksize,
                  const Shape<2>& kstride, const Shape<2>& pad)
      : src_(grad), ksize_(ksize), kstride_(kstride), pad_(pad) {
    detail::CheckWindow<true>("avg_unpool", ksize, kstride, pad);
    this->shape_ = ShapeCheck<srcdim, GradExp>::Check(src_);
    for (int i = 0; i < 2; ++i) {
      pshape_[i] = this->shape_[srcdim - 2 + i];
      this->shape_[srcdim - 2 + i] = image[i];
    }
    detail::FitWindows("avg_unpool", image, &ksize_, &kstride_, pad, pshape_);
  }
};

namespace adl {

/// The gradient of avg_pool: out[..][y][x] = sum of grad[..][v][u] / cells(v, u) over the windows
/// (v, u) that cover (y, x): v sy - py <= y < v sy - py + ky, likewise u; cells counts those of the
/// window that lie within the image. grad_pooled (.., h, w) -> (.., image[0], image[1]).
/// Throws Error where a padding exceeds half the window, a window holds no cell of the image, or a
/// size or stride is not positive.
template <typename GradExp, typename DType, int etype>
inline AvgUnPoolingExp<GradExp, DType, ExpInfo<GradExp>::kDim> avg_unpool(
    const Exp<GradExp, DType, etype>& grad_pooled, Shape<2> image, index_t ksize_y, index_t ksize_x,
    index_t kstride_y, index_t kstride_x, index_t pad_y = 0, index_t pad_x = 0) {
  return AvgUnPoolingExp<GradExp, DType, ExpInfo<GradExp>::kDim>(
      grad_pooled.self(), image, Shape2(ksize_y, ksize_x), Shape2(kstride_y, kstride_x),
      Shape2(pad_y, pad_x));
}
MSHADOW_OWNS_TEMPORARIES_(avg_unpool)

}  // namespace adl

template <typename GradExp, typename DType, int srcdim>
class Plan<AvgUnPoolingExp<GradExp, DType, srcdim>, DType> {
  using Grad = detail::InMemoryPlan<GradExp, DType>;
  using Zero = Plan<ScalarExp<DType>, DType>;
  using Share = detail::SharedRows<Grad, DType>;
  // Sums have the same gradient everywhere: what the source and its pooled values are is no matter.
  using Cursor = detail::UnpoolCursor<red::sum, RowCursor<Zero>, Zero, Share, DType>;

 public:
  static constexpr int kCost = 16 + 4 * kCostOf<Grad>;
  explicit Plan(const AvgUnPoolingExp<GradExp, DType, srcdim>& e)
      : share_{MakePlanOf<Grad>(e.src_),
               FastDivmod(static_cast<std::ptrdiff_t>(e.pshape_[0])),
               {detail::MakeWindowAxis(e.shape_[srcdim - 2], e.ksize_[0], e.kstride_[0], e.pad_[0],
                                       e.pshape_[0]),
                detail::MakeWindowAxis(e.shape_[srcdim - 1], e.ksize_[1], e.kstride_[1], e.pad_[1],
                                       e.pshape_[1])}},
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        y_(detail::MakeCoverAxis(e.pshape_[0], e.ksize_[0], e.kstride_[0], e.pad_[0])),
        x_(detail::MakeCoverAxis(e.pshape_[1], e.ksize_[1], e.kstride_[1], e.pad_[1])) {}

  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const DivModResult image = DivMod(y, height_);
    const detail::CoveringWindows::Windows rows = y_.Of(image.rem);
    return Cursor{RowOf(zero_, 0), zero_, share_, image.quot * y_.windows + rows.begin,
                  rows.Count(),    1,     0,      x_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_NOINLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                             std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (detail::kInMemory<Grad>) {
      const auto grad = detail::MemoryRowsOf<DType>(share_.grad_);
      if (detail::WriteSharedRows<DType>(
              {grad, grad, grad, 1, 0, y_, x_, height_, to, stride, y, end_y, x, end},
              share_.share_)) {
        return;
      }
    }
    detail::FillOneByOne(*this, to, stride, y, end_y, x, end);
  }

 private:
  Zero zero_{DType(0)};
  Share share_;
  FastDivmod height_;
  detail::CoveringWindows y_, x_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SPATIAL_AVG_UNPOOL_H_
