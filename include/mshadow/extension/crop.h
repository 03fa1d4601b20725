// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_CROP_H_
#define MSHADOW_EXTENSION_CROP_H_

#include "../core/argument.h"
#include "../expr/make_tensor.h"
#include "../expr/plan/strided_plan.h"

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
  static constexpr detail::View kView = detail::View::kRows;
  void Move(const detail::OperandViews& operands) const {
    operands.Slice(srcdim - 2, static_cast<std::ptrdiff_t>(start_height_));
    operands.Slice(srcdim - 1, static_cast<std::ptrdiff_t>(start_width_));
  }
  /// The rows of the source that the box takes.
  RowMap<2> Rows() const {
    RowMap<2> rows(static_cast<std::ptrdiff_t>(start_height_));
    rows.Append(static_cast<std::ptrdiff_t>(this->shape_.CheckedProdShape(0, srcdim - 2)),
                static_cast<std::ptrdiff_t>(src_height_));
    rows.Append(static_cast<std::ptrdiff_t>(this->shape_[srcdim - 2]), 1);
    return rows;
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
MSHADOW_OWNS_TEMPORARIES_(crop)

template <typename SrcExp, typename DType, int srcdim>
class Plan<CroppingExp<SrcExp, DType, srcdim>, DType>
    : public detail::StridedOperand<PlanOf<SrcExp>, RowMap<2>, detail::ShiftedColumns> {
 public:
  explicit Plan(const CroppingExp<SrcExp, DType, srcdim>& e)
      : Plan::StridedOperand(
            e.src_, e.Rows(),
            detail::ShiftedColumns(static_cast<std::ptrdiff_t>(e.start_width_))) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CROP_H_
