// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_AVG_UNPOOL_H_
#define MSHADOW_EXTENSION_SPATIAL_AVG_UNPOOL_H_

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/make_tensor.h"
#include "../expr/short_row.h"
#include "../window/axis.h"
#include "../window/unpool_rows.h"
#include "../window/window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename GradExp, typename DType, int srcdim>
struct AvgUnPoolingExp
    : public MakeTensorExp<AvgUnPoolingExp<GradExp, DType, srcdim>, GradExp, srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: avg_unpool needs an expression of two axes or more");
  static_assert(!std::is_integral_v<DType>, "mshadow: avg_unpool needs floating point numbers");
  GradExp src_;
  Shape<2> ksize_, kstride_, pad_, pshape_;
  AvgUnPoolingExp(const GradExp& grad, const Shape<2>& image, const Shape<2>& ksize,
                  const Shape<2>& kstride, const Shape<2>& pad)
      : src_(grad), ksize_(ksize), kstride_(kstride), pad_(pad) {
    detail::CheckWindow<true>("avg_unpool", ksize, kstride, pad);
    this->shape_ = ShapeCheck<srcdim, GradExp>::Check(src_);
    for (int i = 0; i < 2; ++i) {
      pshape_[i] = this->shape_[srcdim - 2 + i];
      this->shape_[srcdim - 2 + i] = image[i];
    }
    detail::FitWindows("avg_unpool", image, &ksize_, &kstride_, pad, pshape_);
  }
};

/// The gradient of avg_pool: out[..][y][x] = sum of grad[..][v][u] / cells(v, u) over the windows
/// (v, u) that cover (y, x): v sy - py <= y < v sy - py + ky, likewise u; cells counts those of the
/// window that lie within the image. grad_pooled (.., h, w) -> (.., image[0], image[1]).
/// Throws Error where a padding exceeds half the window, a window holds no cell of the image, or a
/// size or stride is not positive.
template <typename GradExp, typename DType, int etype>
inline AvgUnPoolingExp<GradExp, DType, ExpInfo<GradExp>::kDim> avg_unpool(
    const Exp<GradExp, DType, etype>& grad_pooled, Shape<2> image, index_t ksize_y,
    index_t ksize_x, index_t kstride_y, index_t kstride_x, index_t pad_y = 0, index_t pad_x = 0) {
  return AvgUnPoolingExp<GradExp, DType, ExpInfo<GradExp>::kDim>(
      grad_pooled.self(), image, Shape2(ksize_y, ksize_x), Shape2(kstride_y, kstride_x),
      Shape2(pad_y, pad_x));
}

template <typename GradExp, typename DType, int srcdim>
class Plan<AvgUnPoolingExp<GradExp, DType, srcdim>, DType> {
  using Grad = RereadPlan<GradExp, DType>;
  using Zero = Plan<ScalarExp<DType>, DType>;

  /// What each cell of a window gets of its gradient.
  struct Share {
    static constexpr Fills kFills = Fills::kBlocks;
    Grad grad_;
    FastDivmod height_;
    detail::WindowAxis y_, x_;
    using Mean = detail::WindowMean<DType>;
    using Value = typename Mean::Value;
    struct Cursor {
      RowCursor<Grad> grad_;
      std::ptrdiff_t rows_;
      detail::WindowAxis x_;
      MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
        return Cell(x, Mean::Part(rows_ * (x_.End(x) - x_.Begin(x))));
      }
      /// to[i] = element x + i for x + i < end: whole windows follow each other.
      MSHADOW_FORCE_INLINE void FillRow(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
        const std::ptrdiff_t first = x_.FirstWhole(), begin = first < x ? x : first;
        const std::ptrdiff_t whole = begin < end ? x_.Whole(begin, end) : 0;
        const std::ptrdiff_t behind = whole > 0 ? begin + whole : begin;
        for (std::ptrdiff_t u = x; u < end; ++u) {
          if (u == begin) u = behind;
          if (u < end) to[u - x] = Eval(u);
        }
        const Value part = Mean::Part(rows_ * x_.ksize);
        detail::ForEachInShortRow(whole, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
          to[begin - x + i] = Cell(begin + i, part);
        });
      }

     private:
      MSHADOW_XINLINE DType Cell(std::ptrdiff_t x, Value part) const {
        return static_cast<DType>(static_cast<Value>(grad_.Eval(x)) * part);
      }
    };
    MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
      const std::ptrdiff_t v = y - FloorDiv(y, height_) * height_;
      return Cursor{RowOf(grad_, y), y_.End(v) - y_.Begin(v), x_};
    }
  };
  // Sums have the same gradient everywhere: what the source and its pooled values are is no matter.
  using Cursor = detail::UnpoolCursor<red::sum, RowCursor<Zero>, Zero, Share, DType>;

 public:
  static constexpr int kCost = 16 + 4 * kCostOf<Grad>;
  static constexpr Fills kFills = Fills::kBlocks;
  explicit Plan(const AvgUnPoolingExp<GradExp, DType, srcdim>& e)
      : share_{MakePlanOf<Grad>(e.src_), FastDivmod(static_cast<std::ptrdiff_t>(e.pshape_[0])),
               detail::MakeWindowAxis(e.shape_[srcdim - 2], e.ksize_[0], e.kstride_[0], e.pad_[0],
                                      e.pshape_[0]),
               detail::MakeWindowAxis(e.shape_[srcdim - 1], e.ksize_[1], e.kstride_[1], e.pad_[1],
                                      e.pshape_[1])},
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        y_(detail::MakeCoverAxis(e.pshape_[0], e.ksize_[0], e.kstride_[0], e.pad_[0])),
        x_(detail::MakeCoverAxis(e.pshape_[1], e.ksize_[1], e.kstride_[1], e.pad_[1])) {}

  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const DivModResult image = DivMod(y, height_);
    const detail::CoveringWindows::Windows rows = y_.Of(image.rem);
    return Cursor{RowOf(zero_, 0), zero_, share_, image.quot * y_.windows + rows.begin,
                  rows.Count(),    1,     0,      x_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (detail::HasPointer<RowCursor<Grad>>::value) {
      if (x == 0 && end == share_.x_.size && HasTwos()) return WriteTwos(to, stride, y, end_y);
    }
    detail::WriteCells<red::sum, DType>(
        zero_, 0, zero_, share_, 0,
        {{}, {}, {}, 1, 0, y_, x_, height_, to, stride, y, end_y, x, end},
        [this](std::ptrdiff_t v, std::ptrdiff_t u)
            MSHADOW_INLINE_LAMBDA { return Row(v).Eval(u); });
  }

 private:
  static constexpr std::ptrdiff_t kMin = 4;  // windows that make vectors
  using Value = typename Share::Value;

  /// Do windows of 2 by 2 cells lie side by side, and nothing else?
  MSHADOW_XINLINE bool HasTwos() const {
    return x_.ksize == 2 && x_.stride == 2 && x_.pad == 0 && 2 * x_.windows == share_.x_.size &&
           y_.ksize == 2 && y_.stride == 2 && y_.pad == 0 && 2 * y_.windows == height_ &&
           x_.windows >= kMin;
  }
  /// Whole rows of cells that are in one window each.
  MSHADOW_FORCE_INLINE void WriteTwos(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                      std::ptrdiff_t end_y) const {
    const Value part = Share::Mean::Part(4);
    while (y < end_y) {
      const bool both = y % 2 == 0 && y + 1 < end_y;
      const DType* const grad = RowOf(share_.grad_, y / 2).Pointer(0);
      DType* const next = both ? to + stride : to;
      detail::ForEachInVectors<kMin>(x_.windows, [&](std::ptrdiff_t u) MSHADOW_INLINE_LAMBDA {
        const DType cell = static_cast<DType>(static_cast<Value>(grad[u]) * part);
        to[2 * u] = to[2 * u + 1] = cell;
        next[2 * u] = next[2 * u + 1] = cell;
      });
      y += 1 + both;
      to += (1 + both) * stride;
    }
  }

  Zero zero_{DType(0)};
  Share share_;
  FastDivmod height_;
  detail::CoveringWindows y_, x_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SPATIAL_AVG_UNPOOL_H_
