// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_AVG_UNPOOL_H_
#define MSHADOW_EXTENSION_SPATIAL_AVG_UNPOOL_H_

#include "../expr/argument.h"
#include "../expr/buffer_cursor.h"
#include "../expr/make_tensor.h"
#include "../expr/quotient.h"
#include "../expr/short_row.h"
#include "unpool_cursor.h"
#include "window.h"
#include "window_axis.h"

namespace mshadow {
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
    detail::CheckPaddedWindow("avg_unpool", ksize, kstride, pad);
    this->shape_ = ShapeCheck<srcdim, GradExp>::Check(src_);
    for (int i = 0; i < 2; ++i) {
      pshape_[i] = this->shape_[srcdim - 2 + i];
      this->shape_[srcdim - 2 + i] = image[i];
    }
  }
};

/// The gradient of avg_pool: out[..][y][x] = sum of grad[..][v][u] / cells(v, u) over the windows
/// (v, u) that cover (y, x): v sy - py <= y < v sy - py + ky, likewise u; cells counts those of the
/// window that lie within the image. grad_pooled (.., h, w) -> (.., image[0], image[1]).
/// Throws Error where a padding exceeds half the window, or a size or stride is not positive.
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
  using Grad = PlanOf<GradExp>;
  using Zero = Plan<ScalarExp<DType>, DType>;

  /// What each cell of a window gets of its gradient.
  struct Share {
    Grad grad_;
    Divisor height_;
    detail::WindowAxis y_, x_;
    using Mean = detail::WindowMean<DType>;
    using Value = typename Mean::Value;
    /// Windows of equally many cells.
    struct RunCursor {
      RowCursor<Grad> grad_;
      Value part_;
      MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
        return static_cast<DType>(static_cast<Value>(grad_.Eval(x)) * part_);
      }
    };
    struct Cursor {
      static constexpr bool kRuns = true;
      RowCursor<Grad> grad_;
      std::ptrdiff_t rows_;
      detail::WindowAxis x_;
      MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
        return RunCursor{grad_, Part(x)}.Eval(x);
      }
      /// Whole windows follow each other; others come one by one.
      MSHADOW_FORCE_INLINE RunCursor Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
        const std::ptrdiff_t room = x_.size - x_.ksize + x_.pad - x * x_.stride;
        if (x * x_.stride < x_.pad || room < 0) {
          *end = x + 1;
        } else if ((*end - 1 - x) * x_.stride > room) {
          *end = x + Quotient(room, x_.stride) + 1;
        }
        return RunCursor{grad_, Part(x)};
      }

     private:
      MSHADOW_XINLINE Value Part(std::ptrdiff_t x) const {
        return Mean::Part(rows_ * (x_.End(x) - x_.Begin(x)));
      }
    };
    MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
      const std::ptrdiff_t v = y - Quotient(y, height_) * height_;
      return Cursor{RowOf(grad_, y), y_.End(v) - y_.Begin(v), x_};
    }
    /// A row of gradients in memory.
    struct InMemory {
      const DType* grad;
      std::ptrdiff_t rows;
      Value part;
      MSHADOW_XINLINE Value Whole(std::ptrdiff_t u) const {
        return static_cast<Value>(grad[u]) * part;
      }
      /// A window that may have fewer columns.
      MSHADOW_XINLINE Value Cell(const detail::WindowAxis& x, std::ptrdiff_t u) const {
        const std::ptrdiff_t columns = x.End(u) - x.Begin(u);
        return columns == x.ksize ? Whole(u)
                                  : static_cast<Value>(grad[u]) * Mean::Part(rows * columns);
      }
    };
    /// Row v of the image whose first row is `first`, or where it is not there `nothing`.
    MSHADOW_XINLINE InMemory At(std::ptrdiff_t first, std::ptrdiff_t v, bool there,
                                const DType* nothing) const {
      if (!there) return InMemory{nothing, 0, Value(0)};
      const std::ptrdiff_t rows = y_.End(v) - y_.Begin(v);
      return InMemory{RowOf(grad_, first + v).Pointer(0), rows, Mean::Part(rows * x_.ksize)};
    }
  };
  // Sums have the same gradient everywhere: what the source and its pooled values are is no matter.
  using Cursor = detail::UnpoolCursor<red::sum, RowCursor<Zero>, Zero, Share, DType>;

 public:
  static constexpr int kCost = 16 + 4 * kCostOf<Grad>;
  explicit Plan(const AvgUnPoolingExp<GradExp, DType, srcdim>& e)
      : share_{MakePlan(e.src_), Divisor(static_cast<std::ptrdiff_t>(e.pshape_[0])),
               detail::MakeWindowAxis(e.shape_[srcdim - 2], e.ksize_[0], e.kstride_[0], e.pad_[0],
                                      e.pshape_[0]),
               detail::MakeWindowAxis(e.shape_[srcdim - 1], e.ksize_[1], e.kstride_[1], e.pad_[1],
                                      e.pshape_[1])},
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        y_(detail::MakeCoverAxis(e.pshape_[0], e.ksize_[0], e.kstride_[0], e.pad_[0])),
        x_(detail::MakeCoverAxis(e.pshape_[1], e.ksize_[1], e.kstride_[1], e.pad_[1])) {}

  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const Division image = Split(y, height_);
    const detail::CoverAxis::Windows rows = y_.Of(image.rest);
    return Cursor{RowOf(zero_, 0), zero_, share_, image.quotient * y_.windows + rows.begin,
                  rows.Count(),    1,     0,      x_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void WriteRows(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                      std::ptrdiff_t end_y, std::ptrdiff_t x,
                                      std::ptrdiff_t end) const {
    if constexpr (detail::HasPointer<RowCursor<Grad>>::value) {
      if (x == 0 && end == share_.x_.size) {
        if (HasTwos()) return WriteTwos(to, stride, y, end_y);
        if (HasThrees()) return WriteThrees(to, stride, y, end_y);
      }
    }
    // Rows that the same windows cover are the same.
    std::ptrdiff_t first = -1, rows = 0;
    for (; y < end_y; ++y, to += stride) {
      const Cursor row = Row(y);
      if (row.first_ == first && row.rows_ == rows) {
        detail::CopyRow(to - stride, end - x, to);
      } else {
        row.Write(to, x, end);
      }
      first = row.first_;
      rows = row.rows_;
    }
  }

 private:
  static constexpr std::ptrdiff_t kLeast = 4, kMost = 512;  // windows at a time
  using Value = typename Share::Value;

  /// Do windows of 2 by 2 cells lie side by side, and nothing else?
  MSHADOW_XINLINE bool HasTwos() const {
    return x_.ksize == 2 && x_.stride == 2 && x_.pad == 0 && 2 * x_.windows == share_.x_.size &&
           y_.ksize == 2 && y_.stride == 2 && y_.pad == 0 && 2 * y_.windows == height_ &&
           x_.windows >= kLeast;
  }
  /// Whole rows of cells that are in one window each.
  MSHADOW_FORCE_INLINE void WriteTwos(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                      std::ptrdiff_t end_y) const {
    const Value part = Share::Mean::Part(4);
    while (y < end_y) {
      const bool both = y % 2 == 0 && y + 1 < end_y;
      const DType* const grad = RowOf(share_.grad_, y / 2).Pointer(0);
      DType* const next = both ? to + stride : to;
      detail::ForEachInVectors<kLeast>(x_.windows, [&](std::ptrdiff_t u) MSHADOW_INLINE_LAMBDA {
        const DType cell = static_cast<DType>(static_cast<Value>(grad[u]) * part);
        to[2 * u] = to[2 * u + 1] = cell;
        next[2 * u] = next[2 * u + 1] = cell;
      });
      y += 1 + both;
      to += (1 + both) * stride;
    }
  }

  /// Are windows 3 columns wide and 2 apart, as many as WriteThrees takes, and in at most two rows
  /// over any cell?
  MSHADOW_XINLINE bool HasThrees() const {
    return x_.ksize == 3 && x_.stride == 2 && y_.ksize <= 2 * y_.stride && x_.windows <= kMost &&
           share_.x_.Whole(share_.x_.FirstWhole(), x_.windows) > kLeast;
  }
  /// Whole rows. Cells x and x + 1 with x + pad even are the first two of a window, and x the third
  /// of the one before. Rows of windows that are not there are `nothing`.
  MSHADOW_FORCE_INLINE void WriteThrees(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                        std::ptrdiff_t end_y) const {
    DType nothing[kMost];
    for (std::ptrdiff_t u = 0; u < x_.windows; ++u) nothing[u] = DType(0);
    const std::ptrdiff_t n = x_.windows, pad = x_.pad, end = share_.x_.size;
    // Whole windows of which the one before is whole too are [begin, behind), their cells [first,
    // last).
    const std::ptrdiff_t begin = share_.x_.FirstWhole() + 1;
    const std::ptrdiff_t behind = begin - 1 + share_.x_.Whole(begin - 1, n);
    const std::ptrdiff_t first = 2 * begin - pad, last = 2 * behind - pad;
    for (; y < end_y; ++y, to += stride) {
      const Division image = Split(y, height_);
      const detail::CoverAxis::Windows rows = y_.Of(image.rest);
      const std::ptrdiff_t top = image.quotient * y_.windows;
      const auto a = share_.At(top, rows.begin, rows.Count() > 0, nothing);
      const auto b = share_.At(top, rows.begin + 1, rows.Count() > 1, nothing);
      DType* const out = to + first;
      detail::ForEachInVectors<kLeast>(behind - begin, [&](std::ptrdiff_t k) MSHADOW_INLINE_LAMBDA {
        const Value third = a.Whole(begin - 1 + k) + b.Whole(begin - 1 + k);
        const Value cell = a.Whole(begin + k) + b.Whole(begin + k);
        out[2 * k] = static_cast<DType>(third + cell);
        out[2 * k + 1] = static_cast<DType>(cell);
      });
      // Before these, window 0 and where it has fewer columns window 1; behind them, one that may
      // have fewer columns, or nothing.
      const Value zeroth = a.Cell(share_.x_, 0) + b.Cell(share_.x_, 0);
      to[0] = static_cast<DType>(zeroth);
      if (pad == 0) {
        to[1] = to[0];
      } else {
        const Value second = a.Whole(1) + b.Whole(1);
        to[1] = static_cast<DType>(zeroth + second);
        to[2] = static_cast<DType>(second);
      }
      Value rest = Value(0);
      if (behind < n) rest = a.Cell(share_.x_, behind) + b.Cell(share_.x_, behind);
      if (last < end) {
        const Value third = a.Whole(behind - 1) + b.Whole(behind - 1);
        to[last] = static_cast<DType>(third + rest);
      }
      for (std::ptrdiff_t x = last + 1; x < end; ++x) to[x] = static_cast<DType>(rest);
    }
  }

  Zero zero_{DType(0)};
  Share share_;
  Divisor height_;
  detail::CoverAxis y_, x_;
};

}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXTENSION_SPATIAL_AVG_UNPOOL_H_
