// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_PACK_COL2PATCH_H_
#define MSHADOW_EXTENSION_PACK_COL2PATCH_H_

#include <type_traits>

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../expr/plan/short_row.h"
#include "../op/math/wrap.h"
#include "../window/memory_rows.h"
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
MSHADOW_OWNS_TEMPORARIES_(pack_col2patch)

namespace detail {

/// The patches that meet a row of the image: the k-th of `count` rows of them is row
/// `row + k row_step` of mat, in the columns from `column - k column_step` on, `width` of them.
struct PatchesOfRow {
  std::ptrdiff_t count, row, row_step, column, column_step, width;
};
/// Which patches meet the rows and columns of what pack_col2patch makes.
struct PatchCover {
  std::ptrdiff_t psize_y, psize_x, stride_y, stride_x, dilate_y, dilate_x;
  FastDivmod channels, height;
  std::ptrdiff_t col_height, col_width;
  // i dy = y (mod sy) has solutions i that lie step_i apart, of patches step_v apart, if any.
  std::ptrdiff_t step_i, step_v;
  bool single;  // each patch is one pixel, each pixel in one patch

  MSHADOW_XINLINE PatchesOfRow Of(std::ptrdiff_t y) const {
    const std::ptrdiff_t plane = FloorDiv(y, height);
    const std::ptrdiff_t image = FloorDiv(plane, channels);
    const std::ptrdiff_t channel = plane - image * channels;
    y -= plane * height;
    // The first i >= 0 that belongs to a patch v < oh.
    std::ptrdiff_t i = 0;
    if (stride_y > 1) {
      while (i < step_i && (y - i * dilate_y) % stride_y != 0) ++i;
    }
    std::ptrdiff_t count = 0;
    std::ptrdiff_t v = 0;
    if (i < step_i && i * dilate_y <= y) {
      v = FloorDiv(y - i * dilate_y, stride_y);
      if (v >= col_height) {
        const std::ptrdiff_t skip = FloorDiv(v - col_height, step_v) + 1;
        v -= skip * step_v;
        i += skip * step_i;
      }
      if (v >= 0 && i < psize_y) {
        const std::ptrdiff_t by_size = FloorDiv(psize_y - 1 - i, step_i) + 1;
        const std::ptrdiff_t by_image = FloorDiv(v, step_v) + 1;
        count = by_size < by_image ? by_size : by_image;
      }
    }
    return {count, (channel * psize_y + i) * psize_x, step_i * psize_x,
            (image * col_height + v) * col_width, step_v * col_width,
            single ? col_width * (col_height - v) : col_width};
  }
  /// Element x of a row.
  template <typename DType, typename Src>
  MSHADOW_XINLINE DType Sum(const Src& src, const PatchesOfRow& of, std::ptrdiff_t x) const {
    using Value = Accumulator<DType>;
    Value sum = Value(0);
    for (std::ptrdiff_t j = 0; j < psize_x; ++j) {
      const std::ptrdiff_t offset = x - j * dilate_x;
      if (offset < 0) break;
      const std::ptrdiff_t u = stride_x == 1 ? offset : FloorDiv(offset, stride_x);
      if (u >= of.width || u * stride_x != offset) continue;
      for (std::ptrdiff_t k = 0; k < of.count; ++k) {
        sum = op::math::Add(sum, static_cast<Value>(RowOf(src, of.row + k * of.row_step + j)
                                                        .Eval(of.column - k * of.column_step + u)));
      }
    }
    return static_cast<DType>(sum);
  }
};

/// Elements [x, end) of rows [y, end_y), of patches in memory.
template <typename DType>
struct PackKernel {
  using Value = Accumulator<DType>;
  const PatchCover& cover;
  StridedRows<DType> src;
  DType* to;
  std::ptrdiff_t stride, y, end_y, x, end;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    // Pixels between these are in as many patches as may be.
    const std::ptrdiff_t inner = (cover.psize_x - 1) * cover.dilate_x;
    const std::ptrdiff_t first = x < inner ? inner : x;
    DType* out = to;
    for (std::ptrdiff_t v = y; v < end_y; ++v, out += stride) {
      const PatchesOfRow of = cover.Of(v);
      const std::ptrdiff_t last = end < of.width ? end : of.width;
      if (cover.stride_x == 1 && last - first >= 4) {
        for (std::ptrdiff_t i = x; i < first; ++i) out[i - x] = cover.Sum<DType>(src, of, i);
        WriteInner(of, first, last, out + (first - x));
        for (std::ptrdiff_t i = last; i < end; ++i) out[i - x] = cover.Sum<DType>(src, of, i);
      } else if constexpr (std::is_same_v<Value, DType>) {
        AddUp(of, x, end, out);
      } else {
        constexpr std::ptrdiff_t kMax = 512;
        Value sums[kMax];
        for (std::ptrdiff_t i = x, n; i < end; i += n) {
          n = end - i < kMax ? end - i : kMax;
          AddUp(of, i, i + n, sums);
          DType* const part = out + (i - x);
          ForEachInShortRow(n, [&](std::ptrdiff_t k) MSHADOW_INLINE_LAMBDA {
            part[k] = static_cast<DType>(sums[k]);
          });
        }
      }
    }
  }

 private:
  /// Elements [begin, stop) for a stride of 1, all of whose patches have all columns, in vectors
  /// that stay in registers until all patches are added.
  MSHADOW_FORCE_INLINE void WriteInner(const PatchesOfRow& of, std::ptrdiff_t begin,
                                       std::ptrdiff_t stop, DType* out) const {
    ForEachVector<4>(stop - begin, [&](std::ptrdiff_t i, auto lanes) MSHADOW_INLINE_LAMBDA {
      constexpr int kLanes = decltype(lanes)::value;
      Value sum[kLanes];
      for (int l = 0; l < kLanes; ++l) sum[l] = Value(0);
      for (std::ptrdiff_t k = 0; k < of.count; ++k) {
        const std::ptrdiff_t column = of.column - k * of.column_step + begin + i;
        const DType* row = src.Row(of.row + k * of.row_step).Pointer(column);
        for (std::ptrdiff_t j = 0; j < cover.psize_x; ++j, row += src.stride_ - cover.dilate_x) {
          MSHADOW_SIMD_LOOP
          for (int l = 0; l < kLanes; ++l) {
            sum[l] = op::math::Add(sum[l], static_cast<Value>(row[l]));
          }
        }
      }
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kLanes; ++l) out[i + l] = static_cast<DType>(sum[l]);
    });
  }
  /// Adds the patches row by row of mat, which is read in order.
  MSHADOW_FORCE_INLINE void AddUp(const PatchesOfRow& of, std::ptrdiff_t begin,
                                  std::ptrdiff_t stop, Value* sums) const {
    const std::ptrdiff_t step = cover.stride_x;
    FillShortRow(Value(0), stop - begin, sums);
    for (std::ptrdiff_t k = 0; k < of.count; ++k) {
      for (std::ptrdiff_t j = 0; j < cover.psize_x; ++j) {
        // Patch u adds to x = u step + offset.
        const std::ptrdiff_t offset = j * cover.dilate_x;
        if (stop <= offset) break;
        std::ptrdiff_t u = begin > offset ? FloorDiv(begin - offset - 1, step) + 1 : 0;
        const std::ptrdiff_t all = FloorDiv(stop - offset - 1, step) + 1;
        const std::ptrdiff_t last = all < of.width ? all : of.width;
        const DType* const row =
            src.Row(of.row + k * of.row_step + j).Pointer(of.column - k * of.column_step);
        Value* sum = sums + (u * step + offset - begin);
        for (; u < last; ++u, sum += step) *sum = op::math::Add(*sum, static_cast<Value>(row[u]));
      }
    }
  }
};

}  // namespace detail

template <typename SrcExp, typename DType, int dstdim>
class Plan<PackColToPatchXExp<SrcExp, DType, dstdim>, DType> {
  using Src = detail::InMemoryPlan<SrcExp, DType>;

 public:
  static constexpr int kCost = 8 + 9 * kCostOf<Src>;
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const PackColToPatchXExp<SrcExp, DType, dstdim>& e)
      : src_(MakePlanOf<Src>(e.src_)),
        cover_{static_cast<std::ptrdiff_t>(e.psize_y_),
               static_cast<std::ptrdiff_t>(e.psize_x_),
               static_cast<std::ptrdiff_t>(e.pstride_y_),
               static_cast<std::ptrdiff_t>(e.pstride_x_),
               static_cast<std::ptrdiff_t>(e.pdilate_y_),
               static_cast<std::ptrdiff_t>(e.pdilate_x_),
               FastDivmod(static_cast<std::ptrdiff_t>(e.shape_[dstdim - 3])),
               FastDivmod(static_cast<std::ptrdiff_t>(e.shape_[dstdim - 2])),
               static_cast<std::ptrdiff_t>(e.o_height_),
               static_cast<std::ptrdiff_t>(e.o_width_),
               1,
               1,
               e.psize_y_ == 1 && e.psize_x_ == 1 && e.pstride_y_ == 1 && e.pstride_x_ == 1} {
    const std::ptrdiff_t common = Gcd(cover_.stride_y, cover_.dilate_y);
    cover_.step_i = cover_.stride_y / common;
    cover_.step_v = cover_.dilate_y / common;
  }

  struct Cursor {
    const Src& src_;
    const detail::PatchCover& cover_;
    detail::PatchesOfRow of_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return cover_.template Sum<DType>(src_, of_, x);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return Cursor{src_, cover_, cover_.Of(y)}; }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  /// Rows of an image of patches of one pixel are joined.
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const {
    return {cover_.single ? std::ptrdiff_t{cover_.height} : 1, 0, ReadsOf(src_)};
  }
  MSHADOW_NOINLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                             std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (detail::kInMemory<Src>) {
      simd::Dispatch(detail::PackKernel<DType>{cover_, detail::MemoryRowsOf<DType>(src_), to,
                                               stride, y, end_y, x, end});
    } else {
      detail::FillOneByOne(*this, to, stride, y, end_y, x, end);
    }
  }

 private:
  Src src_;
  detail::PatchCover cover_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_PACK_COL2PATCH_H_
