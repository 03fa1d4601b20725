// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_UNPACK_PATCH2COL_H_
#define MSHADOW_EXTENSION_UNPACK_PATCH2COL_H_

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/cursor/shift_cursor.h"
#include "../expr/make_tensor.h"
#include "../expr/short_row.h"
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

template <typename SrcExp, typename DType, int srcdim>
class Plan<UnpackPatchToColXExp<SrcExp, DType, srcdim>, DType> {
  using Src = RereadPlan<SrcExp, DType>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(2 + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  static constexpr Fills kFills = Fills::kParts;
  explicit Plan(const UnpackPatchToColXExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlanOf<Src>(e.img_)),
        psize_y_(static_cast<std::ptrdiff_t>(e.psize_y_)),
        psize_x_(static_cast<std::ptrdiff_t>(e.psize_x_)),
        stride_y_(e.o_height_ == 1 ? 0 : static_cast<uint32_t>(e.pstride_y_)),
        stride_x_(e.o_width_ == 1 ? 0 : static_cast<uint32_t>(e.pstride_x_)),
        dilate_y_(static_cast<std::ptrdiff_t>(e.pdilate_y_)),
        dilate_x_(static_cast<std::ptrdiff_t>(e.pdilate_x_)),
        src_height_(static_cast<std::ptrdiff_t>(e.i_height_)),
        image_rows_(static_cast<std::ptrdiff_t>(e.i_channel_) * src_height_),
        height_(static_cast<std::ptrdiff_t>(e.o_height_)),
        width_(static_cast<std::ptrdiff_t>(e.o_width_)) {
    // Patches that take whole rows one after the other take them as one, where rows are joined.
    const std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(e.i_width_);
    if (width_ == cols && (stride_y_ == 1 || height_ == 1) &&
        FlatRows(src_, cols) % src_height_ == 0) {
      width_ = FastDivmod(cols * height_);
      height_ = FastDivmod(1);
      stride_x_ = 1;
    }
  }

  /// A run of columns is a row of one image: its patches lie stride_x apart.
  struct Cursor {
    static constexpr bool kRuns = true;
    const Src& src_;
    std::ptrdiff_t src_row_, src_column_;  // of the patch at (0, 0) of image 0
    uint32_t stride_y_, stride_x_;
    std::ptrdiff_t image_rows_;
    FastDivmod height_, width_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      const DivModResult at = DivMod(x, width_);
      return RowOf(src_, SrcRow(at.quot)).Eval(at.rem * stride_x_ + src_column_);
    }
    MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
      const std::ptrdiff_t row = FloorDiv(x, width_);
      const std::ptrdiff_t begin = row * width_;
      if (*end > begin + width_) *end = begin + width_;
      return RunOf(StrideCursor<RowCursor<Src>>{RowOf(src_, SrcRow(row)), stride_x_,
                                                src_column_ - begin * stride_x_},
                   x, end);
    }
    /// Row by row of the images, without divisions for each.
    MSHADOW_FORCE_INLINE void FillRow(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
      const DivModResult at = DivMod(x, width_);
      const DivModResult image = DivMod(at.quot, height_);
      std::ptrdiff_t column = at.rem, v = image.rem;
      std::ptrdiff_t top = image.quot * image_rows_ + src_row_;
      for (std::ptrdiff_t n; x < end; x += n, to += n, column = 0) {
        n = width_ - column < end - x ? width_ - column : end - x;
        CopyPixels(RowOf(src_, top + v * stride_y_), column * stride_x_ + src_column_, n, to);
        if (++v == height_) {
          v = 0;
          top += image_rows_;
        }
      }
    }

   private:
    /// to[i] = row[first + i stride_x] for i < n.
    MSHADOW_FORCE_INLINE void CopyPixels(const RowCursor<Src>& row, std::ptrdiff_t first,
                                         std::ptrdiff_t n, DType* to) const {
      if (stride_x_ == 1) return detail::WriteShortRow(row, first, first + n, to);
      ForEachRun(StrideCursor<RowCursor<Src>>{row, stride_x_, first}, 0, n,
                 [&](const auto& run, std::ptrdiff_t i, std::ptrdiff_t last) MSHADOW_INLINE_LAMBDA {
                   MSHADOW_IVDEP
                   for (; i < last; ++i) to[i] = static_cast<DType>(run.Eval(i));
                 });
    }
    /// Where patches of row `row`, all images counted, have their pixel.
    MSHADOW_XINLINE std::ptrdiff_t SrcRow(std::ptrdiff_t row) const {
      const DivModResult image = DivMod(row, height_);
      return image.quot * image_rows_ + image.rem * stride_y_ + src_row_;
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const DivModResult patch_row = DivMod(y, psize_x_);
    const DivModResult channel = DivMod(patch_row.quot, psize_y_);
    return Cursor{src_,
                  channel.quot * src_height_ + channel.rem * dilate_y_,
                  patch_row.rem * dilate_x_,
                  stride_y_,
                  stride_x_,
                  image_rows_,
                  height_,
                  width_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }

 private:
  Src src_;
  FastDivmod psize_y_, psize_x_;
  uint32_t stride_y_, stride_x_;  // of 32 bits: a GPU multiplies by them in one instruction
  std::ptrdiff_t dilate_y_, dilate_x_;
  std::ptrdiff_t src_height_, image_rows_;
  FastDivmod height_, width_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_UNPACK_PATCH2COL_H_
