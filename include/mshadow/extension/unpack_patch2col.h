// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_UNPACK_PATCH2COL_H_
#define MSHADOW_EXTENSION_UNPACK_PATCH2COL_H_

#include <cstring>
#include <type_traits>

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../simd/copy_rows.h"
#include "../window/memory_rows.h"
#include "../window/window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int srcdim>
struct UnpackPatchToColXExp
    : public MakeTensorExp<UnpackPatchToColXExp<SrcExp, DType, srcdim>, SrcExp, 2, DType> {
  static_assert(srcdim >= 3, "mshadow: unpack_patch2col needs images of three axes or more: "
                             "(.., channel, y, x)");
  SrcExp img_;
  index_t psize_y_, psize_x_, pstride_y_, pstride_x_, pdilate_y_, pdilate_x_;
  index_t i_channel_, i_height_, i_width_, o_height_, o_width_;
  UnpackPatchToColXExp(const SrcExp& img, index_t psize_y, index_t psize_x, index_t pstride_y,
                       index_t pstride_x, index_t pdilate_y, index_t pdilate_x)
      : img_(img), psize_y_(psize_y), psize_x_(psize_x) {
    const Shape<srcdim> imshape = ShapeCheck<srcdim, SrcExp>::Check(img_);
    i_channel_ = imshape[srcdim - 3];
    i_height_ = imshape[srcdim - 2];
    i_width_ = imshape[srcdim - 1];
    const detail::PatchGrid grid("unpack_patch2col", i_height_, i_width_, psize_y, psize_x,
                                 pstride_y, pstride_x, pdilate_y, pdilate_x);
    o_height_ = grid.height;
    o_width_ = grid.width;
    pstride_y_ = detail::FitExtent(pstride_y, i_height_);
    pstride_x_ = detail::FitExtent(pstride_x, i_width_);
    pdilate_y_ = detail::FitExtent(pdilate_y, i_height_);
    pdilate_x_ = detail::FitExtent(pdilate_x, i_width_);
    const Shape<3> rows = Shape3(i_channel_, psize_y, psize_x);
    const Shape<3> columns = Shape3(imshape.CheckedProdShape(0, srcdim - 3), o_height_, o_width_);
    this->shape_ = Shape2(rows.CheckedSize(), columns.CheckedSize());
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return expr::Overlaps(img_, written, false);
  }
};

/// out[(c ky + i) kx + j][(n oh + y) ow + x] = img[n][c][y sy + i dy][x sx + j dx];
/// img (.., C, H, W), n counting the leading axes -> (C ky kx, N oh ow) with
/// oh = (H - dy (ky - 1) - 1) / sy + 1, ow = (W - dx (kx - 1) - 1) / sx + 1, rounded down: what is
/// left of the image behind the last whole patch is not read. dot(weight (oc, C ky kx), out) is a
/// convolution. Throws Error where a patch exceeds the image or an argument is not positive.
template <typename SrcExp, typename DType, int etype>
inline UnpackPatchToColXExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> unpack_patch2col(
    const Exp<SrcExp, DType, etype>& img, index_t psize_y, index_t psize_x, index_t pstride_y,
    index_t pstride_x, index_t pdilate_y, index_t pdilate_x) {
  return UnpackPatchToColXExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(
      img.self(), psize_y, psize_x, pstride_y, pstride_x, pdilate_y, pdilate_x);
}
/// The same stride and the same dilation both ways.
template <typename SrcExp, typename DType, int etype>
inline UnpackPatchToColXExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> unpack_patch2col(
    const Exp<SrcExp, DType, etype>& img, index_t psize_y, index_t psize_x, index_t pstride,
    index_t pdilate = 1) {
  return unpack_patch2col(img, psize_y, psize_x, pstride, pstride, pdilate, pdilate);
}
MSHADOW_OWNS_TEMPORARIES_(unpack_patch2col)

namespace detail {

/// Where elements of unpack_patch2col come from: rows are counted over all images and channels.
struct PatchPixels {
  FastDivmod psize_y, psize_x;
  uint32_t stride_y, stride_x;  // of 32 bits: a GPU multiplies by them in one instruction
  std::ptrdiff_t dilate_y, dilate_x;
  std::ptrdiff_t src_height, image_rows;
  FastDivmod height, width;  // patches of an image

  struct Pixel {
    std::ptrdiff_t row, column;
  };
  /// The pixel of row y of the result in the first patch of image 0.
  MSHADOW_XINLINE Pixel First(std::ptrdiff_t y) const {
    const DivModResult patch_row = DivMod(y, psize_x);
    const DivModResult channel = DivMod(patch_row.quot, psize_y);
    return {channel.quot * src_height + channel.rem * dilate_y, patch_row.rem * dilate_x};
  }
  /// The same in patch x, all images counted.
  MSHADOW_XINLINE Pixel At(Pixel first, std::ptrdiff_t x) const {
    const DivModResult at = DivMod(x, width), image = DivMod(at.quot, height);
    return {image.quot * image_rows + image.rem * stride_y + first.row,
            at.rem * stride_x + first.column};
  }
};

/// Every step-th element, of `size` bytes, of so many rows that are pitch bytes apart.
template <int size>
struct CopyEveryKernel {
  const char* from;
  std::ptrdiff_t pitch, rows, cols, step;
  char* to;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t k = 0; k < rows; ++k) {
      const char* const row = from + k * pitch;
      char* const out = to + k * cols * size;
      step == 2 ? Copy(row, std::integral_constant<int, 2>(), out) : Copy(row, step, out);
    }
  }
  template <typename Step>
  MSHADOW_FORCE_INLINE void Copy(const char* row, Step by, char* out) const {
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = 0; i < cols; ++i) {
      std::memcpy(out + i * size, row + i * by * size, size);
    }
  }
};

/// Rows [y, end_y) of the result in columns [x, end), from images in memory; strides in bytes.
template <int size>
MSHADOW_NOINLINE void WritePatchPixels(const PatchPixels& at, const char* from,
                                       std::ptrdiff_t pitch, char* to, std::ptrdiff_t stride,
                                       std::ptrdiff_t y, std::ptrdiff_t end_y, std::ptrdiff_t x,
                                       std::ptrdiff_t end) {
  for (; y < end_y; ++y, to += stride) {
    const PatchPixels::Pixel first = at.First(y);
    char* out = to;
    for (std::ptrdiff_t u = x, n; u < end; u += n, out += n * size) {
      // Part of a row of patches, or whole ones of one image.
      const DivModResult row = DivMod(u, at.width);
      std::ptrdiff_t rows = 1, cols = at.width - row.rem;
      if (cols > end - u) cols = end - u;
      if (cols == at.width) {
        const DivModResult image = DivMod(row.quot, at.height);
        rows = FloorDiv(end - u, at.width);
        if (rows > at.height - image.rem) rows = at.height - image.rem;
      }
      n = rows * cols;
      const PatchPixels::Pixel pixel = at.At(first, u);
      const char* pixels = from + pixel.row * pitch + pixel.column * size;
      const std::ptrdiff_t step = at.stride_y * pitch;
      if (at.stride_x == 1 || cols == 1) {
        simd::CopyRows({out, cols * size, pixels, step, rows, cols * size});
      } else {
        simd::Dispatch(CopyEveryKernel<size>{pixels, step, rows, cols, at.stride_x, out});
      }
    }
  }
}

}  // namespace detail

template <typename SrcExp, typename DType, int srcdim>
class Plan<UnpackPatchToColXExp<SrcExp, DType, srcdim>, DType> {
  using Src = detail::InMemoryPlan<SrcExp, DType>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(2 + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const UnpackPatchToColXExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlanOf<Src>(e.img_)),
        at_{FastDivmod(static_cast<std::ptrdiff_t>(e.psize_y_)),
            FastDivmod(static_cast<std::ptrdiff_t>(e.psize_x_)),
            e.o_height_ == 1 ? 0 : static_cast<uint32_t>(e.pstride_y_),
            e.o_width_ == 1 ? 0 : static_cast<uint32_t>(e.pstride_x_),
            static_cast<std::ptrdiff_t>(e.pdilate_y_),
            static_cast<std::ptrdiff_t>(e.pdilate_x_),
            static_cast<std::ptrdiff_t>(e.i_height_),
            static_cast<std::ptrdiff_t>(e.i_channel_ * e.i_height_),
            FastDivmod(static_cast<std::ptrdiff_t>(e.o_height_)),
            FastDivmod(static_cast<std::ptrdiff_t>(e.o_width_))} {
    // Patches that take whole rows one after the other take them as one, where rows are joined.
    const std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(e.i_width_);
    if (at_.width == cols && (at_.stride_y == 1 || at_.height == 1) &&
        FlatRows(src_, cols) % at_.src_height == 0) {
      at_.width = FastDivmod(cols * at_.height);
      at_.height = FastDivmod(1);
      at_.stride_x = 1;
    }
  }

  struct Cursor {
    const Src& src_;
    const detail::PatchPixels& at_;
    detail::PatchPixels::Pixel first_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      const detail::PatchPixels::Pixel pixel = at_.At(first_, x);
      return RowOf(src_, pixel.row).Eval(pixel.column);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return Cursor{src_, at_, at_.First(y)}; }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_NOINLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                             std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (detail::kInMemory<Src>) {
      constexpr int kSize = sizeof(DType);
      const auto rows = detail::MemoryRowsOf<DType>(src_);
      detail::WritePatchPixels<kSize>(at_, reinterpret_cast<const char*>(rows.dptr_),
                                      rows.stride_ * kSize, reinterpret_cast<char*>(to),
                                      stride * kSize, y, end_y, x, end);
    } else {
      detail::FillOneByOne(*this, to, stride, y, end_y, x, end);
    }
  }

 private:
  Src src_;
  detail::PatchPixels at_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_UNPACK_PATCH2COL_H_
