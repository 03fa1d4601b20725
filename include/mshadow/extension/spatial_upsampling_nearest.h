// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_UPSAMPLING_NEAREST_H_
#define MSHADOW_EXTENSION_SPATIAL_UPSAMPLING_NEAREST_H_

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/cursor/buffer_cursor.h"
#include "../expr/make_tensor.h"
#include "../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int srcdim>
struct UpSamplingNearestExp
    : public MakeTensorExp<UpSamplingNearestExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 2,
                "mshadow: upsampling_nearest needs an expression of two axes or more");
  SrcExp src_;
  index_t scale_;
  UpSamplingNearestExp(const SrcExp& src, index_t scale) : src_(src), scale_(scale) {
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    const long long height = this->shape_[srcdim - 2], width = this->shape_[srcdim - 1];
    const long long longer = height > width ? height : width;
    const long long most = 0x7fffffff / (longer > 0 ? longer : 1);
    detail::CheckArgument("upsampling_nearest", "scale", scale, 1, most,
                          ", what the source's extents may grow by");
    this->shape_[srcdim - 2] *= scale;
    this->shape_[srcdim - 1] *= scale;
  }
};

/// out[..][y][x] = src[..][y / scale][x / scale], rounded down; src (.., H, W) ->
/// (.., scale H, scale W). Throws Error where scale is 0, or an extent would exceed 2^31 - 1.
template <typename SrcExp, typename DType, int etype>
inline UpSamplingNearestExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> upsampling_nearest(
    const Exp<SrcExp, DType, etype>& src, index_t scale) {
  return UpSamplingNearestExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), scale);
}

template <typename SrcExp, typename DType, int srcdim>
class Plan<UpSamplingNearestExp<SrcExp, DType, srcdim>, DType> {
  using Src = RereadPlan<SrcExp, DType>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(2 + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  static constexpr Fills kFills = Fills::kBlocks;
  explicit Plan(const UpSamplingNearestExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlanOf<Src>(e.src_)), scale_(static_cast<std::ptrdiff_t>(e.scale_)) {}

  struct Cursor {
    RowCursor<Src> row_;
    FastDivmod scale_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const { return row_.Eval(FloorDiv(x, scale_)); }
    /// Part of a pixel, whole ones, each written `scale` times, and part of one again.
    MSHADOW_FORCE_INLINE void FillRow(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
      std::ptrdiff_t first = FloorDiv(x, scale_);
      if (first * scale_ < x) {
        const DType value = row_.Eval(first++);
        for (; x < end && x < first * scale_; ++x) *to++ = value;
      }
      const std::ptrdiff_t last = FloorDiv(end, scale_);
      if (first < last) {
        ForEachRun(row_, first, last,
                   [&](const auto& run, std::ptrdiff_t begin, std::ptrdiff_t stop)
                       MSHADOW_INLINE_LAMBDA {
                         DType* const part = to + (begin - first) * scale_;
                         if (scale_ == 2) {
                           Repeat<2>(part, run, begin, stop);
                         } else if (scale_ == 4) {
                           Repeat<4>(part, run, begin, stop);
                         } else {
                           Repeat<0>(part, run, begin, stop);
                         }
                       });
        to += (last - first) * scale_;
        x = last * scale_;
      }
      if (x < end) {
        const DType value = row_.Eval(last);
        for (; x < end; ++x) *to++ = value;
      }
    }

   private:
    /// Elements [begin, end) of a run, each kScale times; 0: scale_ times.
    template <int kScale, typename Run>
    MSHADOW_FORCE_INLINE void Repeat(DType* to, const Run& run, std::ptrdiff_t begin,
                                     std::ptrdiff_t end) const {
      const std::ptrdiff_t scale = kScale > 0 ? kScale : std::ptrdiff_t(scale_);
      MSHADOW_IVDEP
      for (std::ptrdiff_t i = 0; i < end - begin; ++i) {
        const DType value = run.Eval(begin + i);
        for (std::ptrdiff_t k = 0; k < (kScale > 0 ? kScale : scale); ++k) {
          to[i * scale + k] = value;
        }
      }
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    // The height of the result is a multiple of the scale: images need no division of their own.
    return Cursor{RowOf(src_, FloorDiv(y, scale_)), scale_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  /// Rows of one row of pixels are the same.
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    std::ptrdiff_t pixels = -1;
    for (; y < end_y; ++y, to += stride) {
      const std::ptrdiff_t row = FloorDiv(y, scale_);
      if (row == pixels) {
        detail::CopyRow(to - stride, end - x, to);
      } else {
        Cursor{RowOf(src_, row), scale_}.FillRow(to, x, end);
      }
      pixels = row;
    }
  }

 private:
  Src src_;
  FastDivmod scale_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SPATIAL_UPSAMPLING_NEAREST_H_
