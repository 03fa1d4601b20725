// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_PACK_COL2PATCH_H_
#define MSHADOW_EXTENSION_PACK_COL2PATCH_H_

#include <type_traits>

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/cursor/shift_cursor.h"
#include "../expr/make_tensor.h"
#include "../expr/short_row.h"
#include "../op/math/wrap.h"
#include "../window/window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int dstdim>
struct PackColToPatchXExp
    : public MakeTensorExp<PackColToPatchXExp<SrcExp, DType, dstdim>, SrcExp, dstdim, DType> {
  static_assert(dstdim >= 3, "mshadow: pack_col2patch makes images of three axes or more: "
                             "(.., channel, y, x)");
  SrcExp src_;
  index_t psize_y_, psize_x_, pstride_y_, pstride_x_, pdilate_y_, pdilate_x_;
  index_t o_height_, o_width_;
  PackColToPatchXExp(const SrcExp& mat, const Shape<dstdim>& imshape, index_t psize_y,
                     index_t psize_x, index_t pstride_y, index_t pstride_x, index_t pdilate_y,
                     index_t pdilate_x)
      : src_(mat), psize_y_(psize_y), psize_x_(psize_x) {
    this->shape_ = imshape;
    const detail::PatchGrid grid("pack_col2patch", imshape[dstdim - 2], imshape[dstdim - 1],
                                 psize_y, psize_x, pstride_y, pstride_x, pdilate_y, pdilate_x);
    o_height_ = grid.height;
    o_width_ = grid.width;
    pstride_y_ = detail::FitExtent(pstride_y, imshape[dstdim - 2]);
    pstride_x_ = detail::FitExtent(pstride_x, imshape[dstdim - 1]);
    pdilate_y_ = detail::FitExtent(pdilate_y, imshape[dstdim - 2]);
    pdilate_x_ = detail::FitExtent(pdilate_x, imshape[dstdim - 1]);
    const Shape<3> rows = Shape3(imshape[dstdim - 3], psize_y, psize_x);
    const Shape<3> columns = Shape3(imshape.CheckedProdShape(0, dstdim - 3), o_height_, o_width_);
    const Shape<2> needed = Shape2(rows.CheckedSize(), columns.CheckedSize());
    const Shape<2> mat_shape = ShapeCheck<2, SrcExp>::Check(src_);
    MSHADOW_CHECK_EQ(mat_shape, needed) << "pack_col2patch: the shape of mat must be that of "
                                   "unpack_patch2col of an image "
                                << imshape;
  }
};

/// out[n][c][y][x] = sum of mat[(c ky + i) kx + j][(n oh + v) ow + u] over all i < ky, j < kx,
/// v < oh, u < ow with v sy + i dy = y and u sx + j dx = x: the adjoint of unpack_patch2col;
/// mat (C ky kx, N oh ow) -> imshape (.., C, H, W). Throws Error where mat has not the shape of
/// unpack_patch2col of such an image, a patch exceeds it, or an argument is not positive.
template <typename SrcExp, typename DType, int dstdim, int etype>
inline PackColToPatchXExp<SrcExp, DType, dstdim> pack_col2patch(
    const Exp<SrcExp, DType, etype>& mat, Shape<dstdim> imshape, index_t psize_y, index_t psize_x,
    index_t pstride_y, index_t pstride_x, index_t pdilate_y, index_t pdilate_x) {
  static_assert(ExpInfo<SrcExp>::kDim == 2, "mshadow: pack_col2patch needs a matrix");
  return PackColToPatchXExp<SrcExp, DType, dstdim>(mat.self(), imshape, psize_y, psize_x,
                                                   pstride_y, pstride_x, pdilate_y, pdilate_x);
}
/// The same stride and the same dilation both ways.
template <typename SrcExp, typename DType, int dstdim, int etype>
inline PackColToPatchXExp<SrcExp, DType, dstdim> pack_col2patch(
    const Exp<SrcExp, DType, etype>& mat, Shape<dstdim> imshape, index_t psize_y, index_t psize_x,
    index_t pstride, index_t pdilate = 1) {
  return pack_col2patch(mat, imshape, psize_y, psize_x, pstride, pstride, pdilate, pdilate);
}

template <typename SrcExp, typename DType, int dstdim>
class Plan<PackColToPatchXExp<SrcExp, DType, dstdim>, DType> {
  using Src = ReorderedPlan<SrcExp, DType>;
  using Value = Accumulator<DType>;

 public:
  static constexpr int kCost = 8 + 9 * kCostOf<Src>;
  MSHADOW_XINLINE const Src& source() const { return src_; }
  static constexpr Fills kFills = Fills::kBlocks;
  explicit Plan(const PackColToPatchXExp<SrcExp, DType, dstdim>& e)
      : src_(MakePlanOf<Src>(e.src_)),
        psize_y_(static_cast<std::ptrdiff_t>(e.psize_y_)),
        psize_x_(static_cast<std::ptrdiff_t>(e.psize_x_)),
        stride_y_(static_cast<std::ptrdiff_t>(e.pstride_y_)),
        stride_x_(static_cast<std::ptrdiff_t>(e.pstride_x_)),
        dilate_y_(static_cast<std::ptrdiff_t>(e.pdilate_y_)),
        dilate_x_(static_cast<std::ptrdiff_t>(e.pdilate_x_)),
        channels_(static_cast<std::ptrdiff_t>(e.shape_[dstdim - 3])),
        height_(static_cast<std::ptrdiff_t>(e.shape_[dstdim - 2])),
        col_height_(static_cast<std::ptrdiff_t>(e.o_height_)),
        col_width_(static_cast<std::ptrdiff_t>(e.o_width_)) {
    // i dy = y (mod sy) has solutions i that lie this far apart, if any.
    const std::ptrdiff_t common = Gcd(stride_y_, dilate_y_);
    step_i_ = stride_y_ / common;
    step_v_ = dilate_y_ / common;
    single_ = psize_y_ == 1 && psize_x_ == 1 && stride_y_ == 1 && stride_x_ == 1;
  }

  /// The k-th of `count` patch rows that meet this row of the image is row `row + k row_step` of
  /// mat, in the columns from `column - k column_step` on.
  struct Cursor {
    const Src& src_;
    std::ptrdiff_t count_, row_, row_step_, column_, column_step_;
    std::ptrdiff_t psize_x_, stride_x_, dilate_x_, width_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      Value sum = Value(0);
      for (std::ptrdiff_t j = 0; j < psize_x_; ++j) {
        const std::ptrdiff_t offset = x - j * dilate_x_;
        if (offset < 0) break;
        const std::ptrdiff_t u = FloorDiv(offset, stride_x_);
        if (u >= width_ || u * stride_x_ != offset) continue;
        for (std::ptrdiff_t k = 0; k < count_; ++k) {
          sum = op::math::Add(sum, static_cast<Value>(RowOf(src_, row_ + k * row_step_ + j)
                                                          .Eval(column_ - k * column_step_ + u)));
        }
      }
      return static_cast<DType>(sum);
    }
    /// to[i] = element x + i for x + i < end.
    MSHADOW_FORCE_INLINE void FillRow(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
      if constexpr (kPlainOf<RowCursor<Src>>) {
        // Pixels between these are in as many patches as may be.
        const std::ptrdiff_t inner = (psize_x_ - 1) * dilate_x_;
        const std::ptrdiff_t first = x < inner ? inner : x, last = end < width_ ? end : width_;
        if (stride_x_ == 1 && last - first >= 4) {
          for (std::ptrdiff_t i = x; i < first; ++i) to[i - x] = Pixel(i);
          FillInner(to + (first - x), first, last);
          for (std::ptrdiff_t i = last; i < end; ++i) to[i - x] = Pixel(i);
          return;
        }
      }
      if constexpr (std::is_same_v<Value, DType>) {
        AddUp(to, x, end);
      } else {
        constexpr std::ptrdiff_t kMax = 512;
        Value sums[kMax];
        for (std::ptrdiff_t n; x < end; x += n, to += n) {
          n = end - x < kMax ? end - x : kMax;
          AddUp(sums, x, x + n);
          MSHADOW_IVDEP
          for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = static_cast<DType>(sums[i]);
        }
      }
    }

   private:
    /// Element x for a stride of 1.
    MSHADOW_FORCE_INLINE DType Pixel(std::ptrdiff_t x) const {
      Value sum = Value(0);
      std::ptrdiff_t u = x;
      for (std::ptrdiff_t j = 0; j < psize_x_ && u >= 0; ++j, u -= dilate_x_) {
        if (u >= width_) continue;
        for (std::ptrdiff_t k = 0; k < count_; ++k) {
          sum = op::math::Add(sum, static_cast<Value>(RowOf(src_, row_ + k * row_step_ + j)
                                                          .Eval(column_ - k * column_step_ + u)));
        }
      }
      return static_cast<DType>(sum);
    }
    /// Elements [x, end) for a stride of 1, all j of which lie in mat, in vectors that stay in
    /// registers until all patches are added.
    MSHADOW_FORCE_INLINE void FillInner(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
      detail::ForEachVector<4>(end - x, [&](std::ptrdiff_t i, auto lanes) MSHADOW_INLINE_LAMBDA {
        constexpr int kLanes = decltype(lanes)::value;
        Value sum[kLanes];
        for (int l = 0; l < kLanes; ++l) sum[l] = Value(0);
        for (std::ptrdiff_t k = 0; k < count_; ++k) {
          std::ptrdiff_t column = column_ - k * column_step_ + x + i;
          for (std::ptrdiff_t j = 0; j < psize_x_; ++j, column -= dilate_x_) {
            const auto row = RowOf(src_, row_ + k * row_step_ + j);
            MSHADOW_SIMD_LOOP
            for (int l = 0; l < kLanes; ++l) {
              sum[l] = op::math::Add(sum[l], static_cast<Value>(row.Eval(column + l)));
            }
          }
        }
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < kLanes; ++l) to[i + l] = static_cast<DType>(sum[l]);
      });
    }
    /// Adds the patches row by row of mat, which is read in order.
    MSHADOW_FORCE_INLINE void AddUp(Value* sums, std::ptrdiff_t x, std::ptrdiff_t end) const {
      detail::FillShortRow(Value(0), end - x, sums);
      for (std::ptrdiff_t k = 0; k < count_; ++k) {
        const std::ptrdiff_t shift = column_ - k * column_step_;
        for (std::ptrdiff_t j = 0; j < psize_x_; ++j) {
          // Patch u adds to x = u stride + j dilate.
          const std::ptrdiff_t offset = j * dilate_x_;
          if (end <= offset) break;
          const std::ptrdiff_t begin = x > offset ? FloorDiv(x - offset - 1, stride_x_) + 1 : 0;
          const std::ptrdiff_t all = FloorDiv(end - offset - 1, stride_x_) + 1;
          const std::ptrdiff_t stop = all < width_ ? all : width_;
          if (begin >= stop) continue;
          Value* const to = sums + (offset - x);
          ForEachRun(ShiftCursor<RowCursor<Src>>{RowOf(src_, row_ + k * row_step_ + j), shift},
                     begin, stop,
                     [&](const auto& row, std::ptrdiff_t u,
                         std::ptrdiff_t last) MSHADOW_INLINE_LAMBDA {
                       if (stride_x_ == 1) {
                         MSHADOW_IVDEP
                         for (; u < last; ++u) {
                           to[u] = op::math::Add(to[u], static_cast<Value>(row.Eval(u)));
                         }
                       } else {
                         for (; u < last; ++u) {
                           Value& sum = to[u * stride_x_];
                           sum = op::math::Add(sum, static_cast<Value>(row.Eval(u)));
                         }
                       }
                     });
        }
      }
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const std::ptrdiff_t plane = FloorDiv(y, height_);
    const std::ptrdiff_t image = FloorDiv(plane, channels_);
    const std::ptrdiff_t channel = plane - image * channels_;
    y -= plane * height_;
    // The first patch row i >= 0 with i dy = y (mod sy) that belongs to a patch v < oh.
    std::ptrdiff_t i = 0;
    if (stride_y_ > 1) {
      while (i < step_i_ && (y - i * dilate_y_) % stride_y_ != 0) ++i;
    }
    std::ptrdiff_t count = 0;
    std::ptrdiff_t v = 0;
    if (i < step_i_ && i * dilate_y_ <= y) {
      v = FloorDiv(y - i * dilate_y_, stride_y_);
      if (v >= col_height_) {
        const std::ptrdiff_t skip = FloorDiv(v - col_height_, step_v_) + 1;
        v -= skip * step_v_;
        i += skip * step_i_;
      }
      if (v >= 0 && i < psize_y_) {
        const std::ptrdiff_t by_size = FloorDiv(psize_y_ - 1 - i, step_i_) + 1;
        const std::ptrdiff_t by_image = FloorDiv(v, step_v_) + 1;
        count = by_size < by_image ? by_size : by_image;
      }
    }
    return Cursor{src_,
                  count,
                  (channel * psize_y_ + i) * psize_x_,
                  step_i_ * psize_x_,
                  (image * col_height_ + v) * col_width_,
                  step_v_ * col_width_,
                  psize_x_,
                  stride_x_,
                  dilate_x_,
                  single_ ? col_width_ * (col_height_ - v) : col_width_};
  }
  /// Rows of an image of patches of one pixel are joined.
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const {
    return {single_ ? std::ptrdiff_t{height_} : 1, 0, ReadsOf(src_)};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }

 private:
  Src src_;
  std::ptrdiff_t psize_y_, psize_x_, stride_y_, stride_x_, dilate_y_, dilate_x_;
  FastDivmod channels_, height_;
  std::ptrdiff_t col_height_, col_width_;
  std::ptrdiff_t step_i_, step_v_;
  bool single_;  // each patch is one pixel, each pixel in one patch
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_PACK_COL2PATCH_H_
