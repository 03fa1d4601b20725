// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_CROP_H_
#define MSHADOW_EXTENSION_CROP_H_

#include <type_traits>

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/cursor/shift_cursor.h"
#include "../expr/make_tensor.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int srcdim>
struct CroppingExp
    : public MakeTensorExp<CroppingExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: crop needs an expression of two axes or more");
  SrcExp src_;
  index_t src_height_, start_height_, start_width_;
  CroppingExp(const SrcExp& src, const Shape<2>& oshape) : CroppingExp(src) {
    CheckSize(oshape);
    SetBox(oshape, (src_height_ - oshape[0]) / 2, (this->shape_[srcdim - 1] - oshape[1]) / 2);
  }
  CroppingExp(const SrcExp& src, const Shape<2>& oshape, index_t start_height, index_t start_width)
      : CroppingExp(src) {
    CheckSize(oshape);
    detail::CheckArgument("crop", "start_height", start_height, 0, src_height_ - oshape[0],
                          ", the source's height less the result's");
    detail::CheckArgument("crop", "start_width", start_width, 0,
                          this->shape_[srcdim - 1] - oshape[1],
                          ", the source's width less the result's");
    SetBox(oshape, start_height, start_width);
  }

 private:
  explicit CroppingExp(const SrcExp& src) : src_(src) {
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    src_height_ = this->shape_[srcdim - 2];
  }
  void CheckSize(const Shape<2>& oshape) const {
    detail::CheckArgument("crop", "oshape[0]", oshape[0], 0, src_height_, ", the source's height");
    detail::CheckArgument("crop", "oshape[1]", oshape[1], 0, this->shape_[srcdim - 1],
                          ", the source's width");
  }
  void SetBox(const Shape<2>& oshape, index_t start_height, index_t start_width) {
    start_height_ = start_height;
    start_width_ = start_width;
    this->shape_[srcdim - 2] = oshape[0];
    this->shape_[srcdim - 1] = oshape[1];
  }
};

/// out[..][y][x] = src[..][y + (H - oh) / 2][x + (W - ow) / 2]; src (.., H, W) -> (.., oh, ow);
/// throws Error where oshape = (oh, ow) exceeds (H, W).
template <typename SrcExp, typename DType, int etype>
inline CroppingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> crop(const Exp<SrcExp, DType, etype>& src,
                                                              Shape<2> oshape) {
  return CroppingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), oshape);
}

/// out[..][y][x] = src[..][y + start_height][x + start_width]; src (.., H, W) -> (.., oh, ow);
/// throws Error where start_height + oh exceeds H or start_width + ow exceeds W.
template <typename SrcExp, typename DType, int etype>
inline CroppingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> crop(const Exp<SrcExp, DType, etype>& src,
                                                              Shape<2> oshape, index_t start_height,
                                                              index_t start_width) {
  return CroppingExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), oshape, start_height,
                                                           start_width);
}

template <typename SrcExp, typename DType, int srcdim>
class Plan<CroppingExp<SrcExp, DType, srcdim>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  static constexpr Fills kFills = kFillsOf<Src>;
  explicit Plan(const CroppingExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlan(e.src_)),
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        src_height_(static_cast<std::ptrdiff_t>(e.src_height_)),
        start_height_(static_cast<std::ptrdiff_t>(e.start_height_)),
        start_width_(static_cast<std::ptrdiff_t>(e.start_width_)) {}
  using Cursor = ShiftCursor<RowCursor<Src>>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const DivModResult image = DivMod(y, height_);
    const std::ptrdiff_t row = image.rem + start_height_;
    return Cursor{RowOf(src_, image.quot * src_height_ + row), start_width_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  template <typename P = Src, typename = std::enable_if_t<detail::HasRowStride<P>::value>>
  MSHADOW_XINLINE std::ptrdiff_t EvenRows(std::ptrdiff_t y, const DType** begin,
                                          std::ptrdiff_t* stride) const {
    *begin = Row(y).Pointer(0);
    *stride = src_.RowStride();
    return height_ - DivMod(y, height_).rem;
  }
  template <typename P = Src>
  auto MoveBy(std::ptrdiff_t bytes) -> decltype(std::declval<P&>().MoveBy(bytes)) {
    src_.MoveBy(bytes);
  }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (std::ptrdiff_t n; y < end_y; y += n, to += n * stride) {
      const DivModResult image = DivMod(y, height_);
      const std::ptrdiff_t row = image.quot * src_height_ + image.rem + start_height_;
      n = height_ - image.rem < end_y - y ? height_ - image.rem : end_y - y;
      src_.Fill(to, stride, row, row + n, x + start_width_, end + start_width_);
    }
  }

 private:
  Src src_;
  FastDivmod height_;
  std::ptrdiff_t src_height_, start_height_, start_width_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CROP_H_
