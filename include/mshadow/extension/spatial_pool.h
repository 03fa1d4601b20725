// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_POOL_H_
#define MSHADOW_EXTENSION_SPATIAL_POOL_H_

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/make_tensor.h"
#include "../window/pool_cursor.h"
#include "../window/window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename Reducer, typename SrcExp, typename DType, int srcdim>
struct PoolingExp
    : public MakeTensorExp<PoolingExp<Reducer, SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: pool needs an expression of two axes or more");
  SrcExp src_;
  index_t ksize_y_, ksize_x_, kstride_y_, kstride_x_;
  index_t src_height_, src_width_;
  PoolingExp(const SrcExp& src, index_t ksize_y, index_t ksize_x, index_t kstride_y,
             index_t kstride_x)
      : PoolingExp(src, Shape2(0, 0), ksize_y, ksize_x, kstride_y, kstride_x) {
    detail::CheckArgument("pool", "ksize_y", ksize_y, 1, src_height_,
                          ", the image's height (kernel must be smaller than image)");
    detail::CheckArgument("pool", "ksize_x", ksize_x, 1, src_width_,
                          ", the image's width (kernel must be smaller than image)");
    this->shape_[srcdim - 2] = (src_height_ - ksize_y) / kstride_y + 1;
    this->shape_[srcdim - 1] = (src_width_ - ksize_x) / kstride_x + 1;
    kstride_y_ = detail::FitExtent(kstride_y, src_height_);
    kstride_x_ = detail::FitExtent(kstride_x, src_width_);
  }
  PoolingExp(const SrcExp& src, const Shape<2>& pshape, index_t ksize_y, index_t ksize_x,
             index_t kstride_y, index_t kstride_x)
      : src_(src) {
    detail::CheckPositive("pool", "ksize_y", ksize_y);
    detail::CheckPositive("pool", "ksize_x", ksize_x);
    detail::CheckPositive("pool", "kstride_y", kstride_y);
    detail::CheckPositive("pool", "kstride_x", kstride_x);
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    src_height_ = this->shape_[srcdim - 2];
    src_width_ = this->shape_[srcdim - 1];
    Shape<2> ksize = Shape2(ksize_y, ksize_x), kstride = Shape2(kstride_y, kstride_x);
    detail::FitWindows("pool", Shape2(src_height_, src_width_), &ksize, &kstride, Shape2(0, 0),
                       pshape);
    ksize_y_ = ksize[0];
    ksize_x_ = ksize[1];
    kstride_y_ = kstride[0];
    kstride_x_ = kstride[1];
    this->shape_[srcdim - 2] = pshape[0];
    this->shape_[srcdim - 1] = pshape[1];
  }
};

/// out[..][y][x] = reduction of src[..][y sy + i][x sx + j] over i < ky, j < kx;
/// src (.., H, W) -> (.., (H - ky) / sy + 1, (W - kx) / sx + 1), rounded down: what is left of the
/// image behind the last whole window is not read. Sums are not divided by the window's size.
/// Throws Error where the window exceeds the image or a stride is not positive.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride_y,
    index_t kstride_x) {
  return PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), ksize_y, ksize_x,
                                                                   kstride_y, kstride_x);
}
/// The same stride both ways.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride) {
  return pool<Reducer>(src, ksize_y, ksize_x, kstride, kstride);
}

/// The same with the result's last two axes given: src (.., H, W) -> (.., pshape[0], pshape[1]).
/// The image's end clips the windows that cross it: the reduction is over what is left of them.
/// Throws Error where a window holds no element, (pshape[0] - 1) sy >= H or (pshape[1] - 1) sx >=
/// W, or where a size or stride is not positive.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, Shape<2> pshape, index_t ksize_y, index_t ksize_x,
    index_t kstride_y, index_t kstride_x) {
  return PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim>(
      src.self(), pshape, ksize_y, ksize_x, kstride_y, kstride_x);
}
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, Shape<2> pshape, index_t ksize_y, index_t ksize_x,
    index_t kstride) {
  return pool<Reducer>(src, pshape, ksize_y, ksize_x, kstride, kstride);
}

template <typename Reducer, typename SrcExp, typename DType, int srcdim>
class Plan<PoolingExp<Reducer, SrcExp, DType, srcdim>, DType> {
  using Src = RereadPlan<SrcExp, DType>;
  using Cursor = detail::PoolCursorOf<detail::WindowReduction<Reducer, DType>, Src, DType>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(8 + 4 * kCostOf<Src>);
  static constexpr Fills kFills = Fills::kBlocks;
  explicit Plan(const PoolingExp<Reducer, SrcExp, DType, srcdim>& e)
      : src_(MakePlanOf<Src>(e.src_)),
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        y_(detail::MakeWindowAxis(e.src_height_, e.ksize_y_, e.kstride_y_, 0,
                                  e.shape_[srcdim - 2])),
        x_(detail::MakeWindowAxis(e.src_width_, e.ksize_x_, e.kstride_x_, 0,
                                  e.shape_[srcdim - 1])) {}

  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const DivModResult image = DivMod(y, height_);
    const std::ptrdiff_t first = y_.Begin(image.rem), last = y_.End(image.rem);
    return Cursor({src_, image.quot * y_.size + first, last - first, 1, 0, x_});
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return LayoutOf(src_, cols).Joined(1).Reading(y_.reads * x_.reads);
  }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    detail::WriteWindowRows(*this, height_, y_, y_.size, to, stride, y, end_y, x, end);
  }

 private:
  Src src_;
  FastDivmod height_;
  detail::WindowAxis y_, x_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SPATIAL_POOL_H_
