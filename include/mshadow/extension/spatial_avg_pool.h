// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_AVG_POOL_H_
#define MSHADOW_EXTENSION_SPATIAL_AVG_POOL_H_

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/make_tensor.h"
#include "../window/pool_cursor.h"
#include "../window/window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int srcdim>
struct AvgPoolingExp
    : public MakeTensorExp<AvgPoolingExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: avg_pool needs an expression of two axes or more");
  SrcExp src_;
  Shape<2> src_size_, ksize_, kstride_, pad_;
  AvgPoolingExp(const SrcExp& src, const Shape<2>& ksize, const Shape<2>& kstride,
                const Shape<2>& pad)
      : AvgPoolingExp(src, Shape2(0, 0), ksize, kstride, pad) {
    const char* const names[] = {"ksize_y", "ksize_x"};
    for (int i = 0; i < 2; ++i) {
      const long long room = static_cast<long long>(src_size_[i]) + 2 * pad[i];
      detail::CheckArgument("avg_pool", names[i], ksize[i], 1, room,
                            ", the image's extent with its padding");
      this->shape_[srcdim - 2 + i] = static_cast<index_t>((room - ksize[i]) / kstride[i] + 1);
    }
    Fit();
  }
  AvgPoolingExp(const SrcExp& src, const Shape<2>& pshape, const Shape<2>& ksize,
                const Shape<2>& kstride, const Shape<2>& pad)
      : src_(src), ksize_(ksize), kstride_(kstride), pad_(pad) {
    detail::CheckPaddedWindow("avg_pool", ksize, kstride, pad);
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    for (int i = 0; i < 2; ++i) {
      src_size_[i] = this->shape_[srcdim - 2 + i];
      this->shape_[srcdim - 2 + i] = pshape[i];
    }
    Fit();
  }

 private:
  void Fit() {
    detail::FitWindows("avg_pool", src_size_, &ksize_, &kstride_, pad_,
                       Shape2(this->shape_[srcdim - 2], this->shape_[srcdim - 1]));
  }
};

/// out[..][y][x] = the mean of src[..][y sy - py + i][x sx - px + j] over those i < ky, j < kx that
/// lie within the image: cells outside do not count (count_include_pad=False in PyTorch).
/// src (.., H, W) -> (.., (H + 2 py - ky) / sy + 1, (W + 2 px - kx) / sx + 1), rounded down.
/// Integers are summed up in wider ones, and their means are rounded towards 0.
/// Throws Error where the window exceeds the padded image, a padding half the window, or where a
/// stride is not positive.
template <typename SrcExp, typename DType, int etype>
inline AvgPoolingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> avg_pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride_y,
    index_t kstride_x, index_t pad_y, index_t pad_x) {
  return AvgPoolingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(
      src.self(), Shape2(ksize_y, ksize_x), Shape2(kstride_y, kstride_x), Shape2(pad_y, pad_x));
}
/// Without padding.
template <typename SrcExp, typename DType, int etype>
inline AvgPoolingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> avg_pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride_y,
    index_t kstride_x) {
  return avg_pool(src, ksize_y, ksize_x, kstride_y, kstride_x, 0, 0);
}
/// The same stride both ways.
template <typename SrcExp, typename DType, int etype>
inline AvgPoolingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> avg_pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride) {
  return avg_pool(src, ksize_y, ksize_x, kstride, kstride, 0, 0);
}
/// The same with the result's last two axes given: src (.., H, W) -> (.., pshape[0], pshape[1]).
/// Throws Error where a window holds no cell of the image.
template <typename SrcExp, typename DType, int etype>
inline AvgPoolingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> avg_pool(
    const Exp<SrcExp, DType, etype>& src, Shape<2> pshape, index_t ksize_y, index_t ksize_x,
    index_t kstride_y, index_t kstride_x, index_t pad_y = 0, index_t pad_x = 0) {
  return AvgPoolingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(
      src.self(), pshape, Shape2(ksize_y, ksize_x), Shape2(kstride_y, kstride_x),
      Shape2(pad_y, pad_x));
}

template <typename SrcExp, typename DType, int srcdim>
class Plan<AvgPoolingExp<SrcExp, DType, srcdim>, DType> {
  using Src = RereadPlan<SrcExp, DType>;
  using Cursor = detail::PoolCursor<detail::WindowMean<DType>, Src, DType>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(8 + 4 * kCostOf<Src>);
  static constexpr Fills kFills = Fills::kBlocks;
  explicit Plan(const AvgPoolingExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlanOf<Src>(e.src_)),
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        y_(detail::MakeWindowAxis(e.src_size_[0], e.ksize_[0], e.kstride_[0], e.pad_[0],
                                  e.shape_[srcdim - 2])),
        x_(detail::MakeWindowAxis(e.src_size_[1], e.ksize_[1], e.kstride_[1], e.pad_[1],
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
#endif  // MSHADOW_EXTENSION_SPATIAL_AVG_POOL_H_
