// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_CHANNEL_POOL_H_
#define MSHADOW_EXTENSION_CHANNEL_POOL_H_

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../expr/plan/across_rows.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename Reducer, typename SrcExp, typename DType, int srcdim>
struct ChannelPoolingExp
    : public MakeTensorExp<ChannelPoolingExp<Reducer, SrcExp, DType, srcdim>, SrcExp, srcdim,
                           DType> {
  static_assert(srcdim >= 3, "mshadow: chpool needs an expression of three axes or more");
  static constexpr int kAxis = srcdim - 3;
  SrcExp src_;
  index_t nsize_, stride_, pad_, src_channel_;
  ChannelPoolingExp(const SrcExp& src, index_t nsize, index_t stride, index_t pad)
      : src_(src), nsize_(nsize), stride_(stride), pad_(pad) {
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    src_channel_ = this->shape_[kAxis];
    detail::CheckArgument("chpool", "nsize", nsize, 1, src_channel_, ", the source's channels");
    detail::CheckPositive("chpool", "stride", stride);
    detail::CheckArgument("chpool", "pad", pad, 0, nsize - 1,
                          ", nsize - 1 (each window holds a channel)");
    this->shape_[kAxis] = (src_channel_ - nsize + 2 * pad + 1) / stride;
  }
};

/// out[..][c][y][x] = reduction of src[..][c stride - pad + i][y][x] over i < nsize, as far as
/// there are such channels; src (.., C, H, W) -> (.., (C - nsize + 2 pad + 1) / stride, H, W),
/// rounded down. Sums are not divided by nsize. Throws Error where nsize exceeds C, pad reaches
/// nsize, or the stride is not positive.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline ChannelPoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> chpool(
    const Exp<SrcExp, DType, etype>& src, index_t nsize, index_t stride, index_t pad) {
  return ChannelPoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), nsize, stride,
                                                                          pad);
}
/// The same over the nsize channels around c, for each c; src (.., C, H, W) -> the same shape.
/// Throws Error where nsize is even.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline ChannelPoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> chpool(
    const Exp<SrcExp, DType, etype>& src, index_t nsize) {
  MSHADOW_CHECK_EQ(nsize % 2, 1U) << "chpool: if no pad is specified, local size must be odd";
  return chpool<Reducer>(src, nsize, 1, nsize / 2);
}
MSHADOW_OWNS_TEMPORARIES_OF_(typename, chpool)

template <typename Reducer, typename SrcExp, typename DType, int srcdim>
class Plan<ChannelPoolingExp<Reducer, SrcExp, DType, srcdim>, DType> {
  using Src = ReorderedPlan<SrcExp, DType>;
  using Node = ChannelPoolingExp<Reducer, SrcExp, DType, srcdim>;

 public:
  static constexpr int kCost = 4 + 4 * kCostOf<Src>;
  explicit Plan(const Node& e)
      : src_(MakePlanOf<Src>(e.src_)),
        nsize_(static_cast<std::ptrdiff_t>(e.nsize_)),
        stride_(static_cast<std::ptrdiff_t>(e.stride_)),
        pad_(static_cast<std::ptrdiff_t>(e.pad_)),
        src_channels_(static_cast<std::ptrdiff_t>(e.src_channel_)),
        channels_(static_cast<std::ptrdiff_t>(e.shape_[Node::kAxis])),
        rows_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])) {}

  MSHADOW_XINLINE auto Row(std::ptrdiff_t y) const {
    const std::ptrdiff_t plane = FloorDiv(y, rows_);
    const std::ptrdiff_t image = FloorDiv(plane, channels_);
    std::ptrdiff_t first = (plane - image * channels_) * stride_ - pad_;
    std::ptrdiff_t last = first + nsize_;
    first = first > 0 ? first : 0;
    last = last < src_channels_ ? last : src_channels_;
    return detail::AcrossRowsCursor<Reducer, Src, DType>{
        src_, (image * src_channels_ + first) * rows_ + (y - plane * rows_), rows_,
        last > first ? last - first : 0};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (; y < end_y; ++y, to += stride) Row(y).Write(to, x, end);
  }
  /// The rows of one channel, where those of the source can be joined.
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return PlanLayout{Gcd(expr::FlatRows(src_, cols), rows_), 0, ReadsOf(src_)}.Reading(nsize_);
  }

 private:
  Src src_;
  std::ptrdiff_t nsize_, stride_, pad_;
  std::ptrdiff_t src_channels_;
  FastDivmod channels_, rows_;  // rows of a channel
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CHANNEL_POOL_H_
