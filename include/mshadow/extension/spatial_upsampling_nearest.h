// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_UPSAMPLING_NEAREST_H_
#define MSHADOW_EXTENSION_SPATIAL_UPSAMPLING_NEAREST_H_

#include <cstring>

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../simd/isa.h"
#include "../window/memory_rows.h"

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
MSHADOW_OWNS_TEMPORARIES_(upsampling_nearest)

namespace detail {

/// Elements [x, end) of rows [y, end_y), each pixel of `size` bytes `scale` times; strides in
/// bytes.
template <int size>
struct RepeatPixelsKernel {
  const char* from;
  std::ptrdiff_t pitch;
  FastDivmod scale;
  char* to;
  std::ptrdiff_t stride, y, end_y, x, end;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    char* out = to;
    for (std::ptrdiff_t v = y, pixels = -1; v < end_y; ++v, out += stride) {
      const std::ptrdiff_t row = FloorDiv(v, scale);
      if (row == pixels) {
        MSHADOW_IVDEP
        for (std::ptrdiff_t i = 0; i < end - x; ++i) {
          Copy(out + i * size, out - stride + i * size);
        }
      } else {
        Write(from + row * pitch, out);
      }
      pixels = row;
    }
  }

 private:
  /// Part of a pixel, whole ones, and part of one again.
  MSHADOW_FORCE_INLINE void Write(const char* row, char* out) const {
    const std::ptrdiff_t begin = FloorDiv(x + scale - 1, scale), stop = FloorDiv(end, scale);
    std::ptrdiff_t i = x;
    for (; i < end && i < begin * scale; ++i, out += size) Copy(out, row + (begin - 1) * size);
    if (begin < stop) {
      if (scale == 2) {
        Repeat<2>(row + begin * size, stop - begin, out);
      } else if (scale == 4) {
        Repeat<4>(row + begin * size, stop - begin, out);
      } else {
        Repeat<0>(row + begin * size, stop - begin, out);
      }
      out += (stop - begin) * scale * size;
      i = stop * scale;
    }
    for (; i < end; ++i, out += size) Copy(out, row + stop * size);
  }
  /// n pixels, each kScale times; 0: scale times.
  template <int kScale>
  MSHADOW_FORCE_INLINE void Repeat(const char* row, std::ptrdiff_t n, char* out) const {
    const std::ptrdiff_t times = kScale > 0 ? kScale : std::ptrdiff_t(scale);
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      for (std::ptrdiff_t k = 0; k < (kScale > 0 ? kScale : times); ++k) {
        Copy(out + (i * times + k) * size, row + i * size);
      }
    }
  }
  MSHADOW_FORCE_INLINE static void Copy(char* out, const char* pixel) {
    std::memcpy(out, pixel, size);
  }
};

}  // namespace detail

template <typename SrcExp, typename DType, int srcdim>
class Plan<UpSamplingNearestExp<SrcExp, DType, srcdim>, DType> {
  using Src = detail::InMemoryPlan<SrcExp, DType>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(2 + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const UpSamplingNearestExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlanOf<Src>(e.src_)), scale_(static_cast<std::ptrdiff_t>(e.scale_)) {}

  struct Cursor {
    RowCursor<Src> row_;
    FastDivmod scale_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const { return row_.Eval(FloorDiv(x, scale_)); }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    // The height of the result is a multiple of the scale: images need no division of their own.
    return Cursor{RowOf(src_, FloorDiv(y, scale_)), scale_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_NOINLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                             std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (detail::kInMemory<Src>) {
      constexpr int kSize = sizeof(DType);
      const auto rows = detail::MemoryRowsOf<DType>(src_);
      simd::Dispatch(detail::RepeatPixelsKernel<kSize>{
          reinterpret_cast<const char*>(rows.dptr_), rows.stride_ * kSize, scale_,
          reinterpret_cast<char*>(to), stride * kSize, y, end_y, x, end});
    } else {
      detail::FillOneByOne(*this, to, stride, y, end_y, x, end);
    }
  }

 private:
  Src src_;
  FastDivmod scale_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SPATIAL_UPSAMPLING_NEAREST_H_
