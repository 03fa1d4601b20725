// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_CHANNEL_UNPOOL_H_
#define MSHADOW_EXTENSION_CHANNEL_UNPOOL_H_

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../op/long_sum.h"
#include "../op/math/wrap.h"
#include "../window/axis.h"
#include "../window/window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// The three operands may be of different expression types.
template <typename Reducer, typename SrcExp, typename DType, int srcdim,
          typename PooledExp = SrcExp, typename GradExp = SrcExp>
struct ChannelUnpoolingExp
    : public MakeTensorExp<
          ChannelUnpoolingExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>, SrcExp, srcdim,
          DType> {
  static_assert(srcdim >= 3, "mshadow: ch_unpool needs expressions of three axes or more");
  static_assert(ExpInfo<PooledExp>::kDim == srcdim && ExpInfo<GradExp>::kDim == srcdim,
                "mshadow: ch_unpool: data_src, data_pooled and grad_pooled must have the same "
                "number of axes");
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask & ExpInfo<PooledExp>::kDevMask &
                                  ExpInfo<GradExp>::kDevMask;
  static constexpr int kAxis = srcdim - 3;
  SrcExp data_src_;
  PooledExp data_pooled_;
  GradExp grad_pooled_;
  index_t nsize_, kstride_, pad_, pchannel_;
  ChannelUnpoolingExp(const SrcExp& data_src, const PooledExp& data_pooled,
                      const GradExp& grad_pooled, index_t nsize, index_t kstride, index_t pad)
      : data_src_(data_src), data_pooled_(data_pooled), grad_pooled_(grad_pooled), nsize_(nsize),
        kstride_(kstride), pad_(pad) {
    detail::CheckPositive("ch_unpool", "nsize", nsize);
    detail::CheckPositive("ch_unpool", "stride", kstride);
    detail::CheckArgument("ch_unpool", "pad", pad, 0, nsize - 1,
                          ", nsize - 1 (each window holds a channel)");
    const Shape<srcdim> pooled = ShapeCheck<srcdim, PooledExp>::Check(data_pooled_);
    const Shape<srcdim> grad = ShapeCheck<srcdim, GradExp>::Check(grad_pooled_);
    MSHADOW_CHECK_EQ(pooled, grad) << "ChannelUnPoolingExp: pooled shape mismatch";
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(data_src_);
    for (int i = 0; i < srcdim; ++i) {
      MSHADOW_CHECK(i == kAxis || this->shape_[i] == pooled[i])
          << "ChannelUnPoolingExp: pool and src shape mismatch: " << this->shape_ << ", " << pooled;
    }
    pchannel_ = pooled[kAxis];
    detail::CheckArgument("ch_unpool", "nsize", nsize, 1, this->shape_[kAxis],
                          ", the source's channels");
    Shape<1> size = Shape1(nsize), stride = Shape1(kstride);
    detail::FitWindows("ch_unpool", Shape1(this->shape_[kAxis]), &size, &stride, Shape1(pad),
                       Shape1(pchannel_));
    nsize_ = size[0];
    kstride_ = stride[0];
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(data_src_, written, same_index) ||
           expr::Overlaps(data_pooled_, written, false) ||
           expr::Overlaps(grad_pooled_, written, false);
  }
};

/// The gradient of chpool: out[..][c][y][x] = sum of PartialGrad(src[..][c][y][x],
/// pooled[..][k][y][x]) grad[..][k][y][x] over the windows k that cover channel c:
/// k stride - pad <= c < k stride - pad + nsize. data_src (.., C, H, W) and data_pooled,
/// grad_pooled (.., K, H, W) -> (.., C, H, W); the destination may be data_src itself.
/// Throws Error where shapes do not fit, a window holds no channel of data_src, or an argument is
/// out of range.
template <typename Reducer, typename SrcExp, typename PooledExp, typename GradExp, typename DType,
          int etype, int pooled_etype, int grad_etype>
inline ChannelUnpoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp>
ch_unpool(const Exp<SrcExp, DType, etype>& data_src,
          const Exp<PooledExp, DType, pooled_etype>& data_pooled,
          const Exp<GradExp, DType, grad_etype>& grad_pooled, index_t nsize, index_t stride,
          index_t pad) {
  return ChannelUnpoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp>(
      data_src.self(), data_pooled.self(), grad_pooled.self(), nsize, stride, pad);
}
/// The same of chpool(src, nsize).
template <typename Reducer, typename SrcExp, typename PooledExp, typename GradExp, typename DType,
          int etype, int pooled_etype, int grad_etype>
inline ChannelUnpoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp>
ch_unpool(const Exp<SrcExp, DType, etype>& data_src,
          const Exp<PooledExp, DType, pooled_etype>& data_pooled,
          const Exp<GradExp, DType, grad_etype>& grad_pooled, index_t nsize) {
  return ch_unpool<Reducer>(data_src, data_pooled, grad_pooled, nsize, 1, nsize / 2);
}
MSHADOW_OWNS_TEMPORARIES_OF_(typename, ch_unpool)

template <typename Reducer, typename SrcExp, typename DType, int srcdim, typename PooledExp,
          typename GradExp>
class Plan<ChannelUnpoolingExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>, DType> {
  using Src = RereadPlan<SrcExp, DType>;
  using Pooled = RereadPlan<PooledExp, DType>;
  using Grad = RereadPlan<GradExp, DType>;
  using Node = ChannelUnpoolingExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>;

 public:
  static constexpr int kCost = 4 + kCostOf<Src> + 2 * kCostOf<Pooled> + 2 * kCostOf<Grad>;
  explicit Plan(const Node& e)
      : src_(MakePlanOf<Src>(e.data_src_)), pooled_(MakePlanOf<Pooled>(e.data_pooled_)),
        grad_(MakePlanOf<Grad>(e.grad_pooled_)),
        channels_(static_cast<std::ptrdiff_t>(e.shape_[Node::kAxis])),
        rows_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        cover_(detail::MakeCoverAxis(e.pchannel_, e.nsize_, e.kstride_, e.pad_)) {}

  /// The windows that cover the row: `count` of them, rows `step_` apart from row_ on.
  struct Cursor {
    using Value = Accumulator<DType>;
    RowCursor<Src> src_;
    const Pooled& pooled_;
    const Grad& grad_;
    std::ptrdiff_t row_, step_, count_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      const DType element = src_.Eval(x);
      return static_cast<DType>(red::ReduceInBlocks<red::sum, Value>(
          count_, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
            return Part(element, RowOf(pooled_, row_ + i * step_).Eval(x),
                        RowOf(grad_, row_ + i * step_).Eval(x));
          }));
    }
    /// to[i] = element x + i for x + i < end.
    MSHADOW_FORCE_INLINE void Write(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
      for (std::ptrdiff_t n; x < end; x += n, to += n) {
        n = end - x < kMax ? end - x : kMax;
        FillPart(to, x, n);
      }
    }

   private:
    static constexpr std::ptrdiff_t kMax = 512;
    MSHADOW_FORCE_INLINE void FillPart(DType* to, std::ptrdiff_t x, std::ptrdiff_t n) const {
      Value sum[kMax];
      red::WideSum<Value> total[kMax];
      for (std::ptrdiff_t k = 0; k < n; ++k) sum[k] = Value(0);
      for (std::ptrdiff_t i = 0; i < count_; ++i) {
        if (i > 0 && i % red::kSumBlock == 0) {
          for (std::ptrdiff_t k = 0; i == red::kSumBlock && k < n; ++k) total[k] = 0;
          red::FlushSums(sum, n, total);
        }
        const auto pooled = RowOf(pooled_, row_ + i * step_);
        const auto grad = RowOf(grad_, row_ + i * step_);
        MSHADOW_IVDEP
        for (std::ptrdiff_t k = 0; k < n; ++k) {
          sum[k] = op::math::Add(
              sum[k], Part(src_.Eval(x + k), pooled.Eval(x + k), grad.Eval(x + k)));
        }
      }
      if (count_ > red::kSumBlock) {
        red::FlushSums(sum, n, total);
        for (std::ptrdiff_t k = 0; k < n; ++k) sum[k] = static_cast<Value>(total[k]);
      }
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < n; ++k) to[k] = static_cast<DType>(sum[k]);
    }
    MSHADOW_XINLINE static Value Part(DType element, DType pooled, DType grad) {
      return op::math::Mul(static_cast<Value>(Reducer::PartialGrad(element, pooled)),
                           static_cast<Value>(grad));
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const DivModResult plane = DivMod(y, rows_), image = DivMod(plane.quot, channels_);
    const detail::CoveringWindows::Windows windows = cover_.Of(image.rem);
    return Cursor{RowOf(src_, y), pooled_,
                  grad_,          (image.quot * cover_.windows + windows.begin) * rows_ + plane.rem,
                  rows_,          windows.Count()};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (; y < end_y; ++y, to += stride) Row(y).Write(to, x, end);
  }
  /// The rows of one channel, where those of all operands can be joined.
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const PlanLayout layout = LayoutOf(cols, src_, pooled_, grad_);
    return {Gcd(layout.join, rows_), 0, layout.reads};
  }

 private:
  Src src_;
  Pooled pooled_;
  Grad grad_;
  FastDivmod channels_;
  FastDivmod rows_;  // of a channel
  detail::CoveringWindows cover_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CHANNEL_UNPOOL_H_
