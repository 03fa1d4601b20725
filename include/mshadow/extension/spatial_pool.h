// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_POOL_H_
#define MSHADOW_EXTENSION_SPATIAL_POOL_H_

#include "../expr/argument.h"
#include "../expr/make_tensor.h"
#include "../expr/quotient.h"
#include "window.h"

namespace mshadow {
namespace expr {

template <typename Reducer, typename SrcExp, typename DType, int srcdim>
struct PoolingExp
    : public MakeTensorExp<PoolingExp<Reducer, SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: pool needs an expression of two axes or more");
  SrcExp src_;
  index_t ksize_y_, ksize_x_, kstride_y_, kstride_x_;
  index_t src_height_, src_width_;
  PoolingExp(const SrcExp& src, index_t ksize_y, index_t ksize_x, index_t kstride_y,
             index_t kstride_x)
      : PoolingExp(src, Shape2(0, 0), ksize_y, ksize_x, kstride_y, kstride_x) {
    detail::CheckArgument("pool", "ksize_y", ksize_y, 1, src_height_,
                          ", the image's height (kernel must be smaller than image)");
    detail::CheckArgument("pool", "ksize_x", ksize_x, 1, src_width_,
                          ", the image's width (kernel must be smaller than image)");
    this->shape_[srcdim - 2] = (src_height_ - ksize_y) / kstride_y + 1;
    this->shape_[srcdim - 1] = (src_width_ - ksize_x) / kstride_x + 1;
  }
  PoolingExp(const SrcExp& src, const Shape<2>& pshape, index_t ksize_y, index_t ksize_x,
             index_t kstride_y, index_t kstride_x)
      : src_(src), ksize_y_(ksize_y), ksize_x_(ksize_x), kstride_y_(kstride_y),
        kstride_x_(kstride_x) {
    detail::CheckPositive("pool", "ksize_y", ksize_y);
    detail::CheckPositive("pool", "ksize_x", ksize_x);
    detail::CheckPositive("pool", "kstride_y", kstride_y);
    detail::CheckPositive("pool", "kstride_x", kstride_x);
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    src_height_ = this->shape_[srcdim - 2];
    src_width_ = this->shape_[srcdim - 1];
    this->shape_[srcdim - 2] = pshape[0];
    this->shape_[srcdim - 1] = pshape[1];
  }
};

/// out[..][y][x] = reduction of src[..][y sy + i][x sx + j] over i < ky, j < kx;
/// src (.., H, W) -> (.., (H - ky) / sy + 1, (W - kx) / sx + 1), rounded down: what is left of the
/// image behind the last whole window is not read. Sums are not divided by the window's size.
/// Throws Error where the window exceeds the image or a stride is not positive.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride_y,
    index_t kstride_x) {
  return PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), ksize_y, ksize_x,
                                                                   kstride_y, kstride_x);
}
/// The same stride both ways.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, index_t ksize_y, index_t ksize_x, index_t kstride) {
  return pool<Reducer>(src, ksize_y, ksize_x, kstride, kstride);
}

/// The same with the result's last two axes given: src (.., H, W) -> (.., pshape[0], pshape[1]).
/// Windows are clipped at the end of the image; one that lies behind it gives the reduction over
/// nothing: 0, or minus infinity.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, Shape<2> pshape, index_t ksize_y, index_t ksize_x,
    index_t kstride_y, index_t kstride_x) {
  return PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim>(
      src.self(), pshape, ksize_y, ksize_x, kstride_y, kstride_x);
}
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline PoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool(
    const Exp<SrcExp, DType, etype>& src, Shape<2> pshape, index_t ksize_y, index_t ksize_x,
    index_t kstride) {
  return pool<Reducer>(src, pshape, ksize_y, ksize_x, kstride, kstride);
}

template <typename Reducer, typename SrcExp, typename DType, int srcdim>
class Plan<PoolingExp<Reducer, SrcExp, DType, srcdim>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr int kCost = 8 + 4 * kCostOf<Src>;
  static constexpr bool kTransposed = kTransposedOf<Src>;
  explicit Plan(const PoolingExp<Reducer, SrcExp, DType, srcdim>& e)
      : src_(MakePlan(e.src_)),
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        src_height_(static_cast<std::ptrdiff_t>(e.src_height_)),
        src_width_(static_cast<std::ptrdiff_t>(e.src_width_)),
        ksize_y_(static_cast<std::ptrdiff_t>(e.ksize_y_)),
        ksize_x_(static_cast<std::ptrdiff_t>(e.ksize_x_)),
        stride_y_(static_cast<std::ptrdiff_t>(e.kstride_y_)),
        stride_x_(static_cast<std::ptrdiff_t>(e.kstride_x_)) {}

  using Window = detail::WindowReduction<Reducer, DType>;
  using Value = typename Window::Value;
  using Buffer = detail::BufferCursor<DType, Value>;

  /// Windows of KX columns, SX apart, of a row that is the reduction of the windows' rows.
  template <int KX, int SX>
  struct FixedCursor {
    const Value* column_;
    std::ptrdiff_t begin_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      const std::ptrdiff_t left = (x - begin_) * SX;
      Value value = column_[left];
      for (int j = 1; j < KX; ++j) value = Window::Combine(value, column_[left + j]);
      return static_cast<DType>(value);
    }
  };
  /// A run: reduced columns, or the values themselves.
  struct RunCursor {
    static constexpr bool kSpecializes = true;
    Buffer buffer_;
    std::ptrdiff_t ksize_x_, stride_x_;  // of the windows still to be reduced; 1 if none
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      const Value* const left = buffer_.value_ + (x - buffer_.begin_) * stride_x_;
      Value value = left[0];
      for (std::ptrdiff_t j = 1; j < ksize_x_; ++j) value = Window::Combine(value, left[j]);
      return static_cast<DType>(value);
    }
    template <typename F>
    MSHADOW_XINLINE void Specialize(const F& f) const {
      const Value* const column = buffer_.value_;
      const std::ptrdiff_t begin = buffer_.begin_;
      if (ksize_x_ == 2 && stride_x_ == 2) {
        f(FixedCursor<2, 2>{column, begin});
      } else if (ksize_x_ == 3 && stride_x_ == 2) {
        f(FixedCursor<3, 2>{column, begin});
      } else if (ksize_x_ == 3 && stride_x_ == 1) {
        f(FixedCursor<3, 1>{column, begin});
      } else {
        f(FixedCursor<1, 1>{column, begin});
      }
    }
  };

  /// Windows of the source's rows [first, last).
  struct Cursor {
    static constexpr bool kRuns = Window::kAnyOrder;
    Src src_;
    std::ptrdiff_t first_, last_, width_, ksize_x_, stride_x_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      Window window;
      const std::ptrdiff_t left = x * stride_x_;
      const std::ptrdiff_t right = left + ksize_x_ < width_ ? left + ksize_x_ : width_;
      for (std::ptrdiff_t row = first_; row < last_; ++row) {
        for (std::ptrdiff_t column = left; column < right; ++column) {
          window.Add(RowOf(src_, row).Eval(column));
        }
      }
      return window.Result();
    }
    /// Reduces the columns first, then windows of one row.
    MSHADOW_XINLINE RunCursor Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
      constexpr std::ptrdiff_t kMost = Buffer::kMost;
      RunCursor run;
      run.buffer_.begin_ = x;
      run.ksize_x_ = run.stride_x_ = 1;
      if (ksize_x_ > kMost / 2) {
        *end = x + 1;
        run.buffer_.value_[0] = static_cast<Value>(Eval(x));
        return run;
      }
      if ((*end - x - 1) * stride_x_ + ksize_x_ > kMost) {
        *end = x + Quotient(kMost - ksize_x_, stride_x_) + 1;
      }
      const std::ptrdiff_t n = *end - x;
      const std::ptrdiff_t columns = (n - 1) * stride_x_ + ksize_x_;
      const bool fixed = (ksize_x_ == 2 && stride_x_ == 2) ||
                         (ksize_x_ == 3 && (stride_x_ == 1 || stride_x_ == 2));
      Value scratch[kMost];
      Value* const column = fixed ? run.buffer_.value_ : scratch;
      ReduceColumns(x, columns, column);
      if (fixed) {
        run.ksize_x_ = ksize_x_;
        run.stride_x_ = stride_x_;
        return run;
      }
      if (stride_x_ == 1) {
        ReduceRow<1>(column, n, run.buffer_.value_);
      } else if (stride_x_ == 2) {
        ReduceRow<2>(column, n, run.buffer_.value_);
      } else {
        ReduceRow<0>(column, n, run.buffer_.value_);
      }
      return run;
    }

   private:
    MSHADOW_XINLINE void ReduceColumns(std::ptrdiff_t x, std::ptrdiff_t columns,
                                       Value* column) const {
      const std::ptrdiff_t left = x * stride_x_;
      // A few columns more than needed, for the sake of whole vectors.
      std::ptrdiff_t right = left + Buffer::RoundUp(columns);
      if (right > width_) right = width_;
      if (first_ >= last_ || right < left) right = left;
      // What the windows reach beyond the image changes nothing.
      for (std::ptrdiff_t i = right - left; i < columns; ++i) column[i] = Window::Initial();
      if (left < right) ReduceAllRows(left, right, column);
    }
    MSHADOW_XINLINE void ReduceAllRows(std::ptrdiff_t left, std::ptrdiff_t right,
                                       Value* column) const {
      using Row = expr::RowCursor<Src>;
      std::ptrdiff_t y = first_ + 1;
      if constexpr (!kPlainOf<Row>) {
        ForEachRun(RowOf(src_, first_), left, right,
                   [&](const auto& row, std::ptrdiff_t begin, std::ptrdiff_t end) {
                     MSHADOW_IVDEP
                     for (std::ptrdiff_t c = begin; c < end; ++c) {
                       column[c - left] = static_cast<Value>(row.Eval(c));
                     }
                   });
      } else if (last_ - first_ >= 3) {
        // Several rows at once, where their cursors need no dispatch.
        y = FirstRows<3>(left, right, column);
      } else if (last_ - first_ == 2) {
        y = FirstRows<2>(left, right, column);
      } else {
        y = FirstRows<1>(left, right, column);
      }
      for (; y < last_; ++y) {
        ForEachRun(RowOf(src_, y), left, right,
                   [&](const auto& row, std::ptrdiff_t begin, std::ptrdiff_t end) {
                     MSHADOW_IVDEP
                     for (std::ptrdiff_t c = begin; c < end; ++c) {
                       column[c - left] =
                           Window::Combine(column[c - left], static_cast<Value>(row.Eval(c)));
                     }
                   });
      }
    }
    template <int n>
    MSHADOW_XINLINE std::ptrdiff_t FirstRows(std::ptrdiff_t left, std::ptrdiff_t right,
                                             Value* column) const {
      const auto rows = detail::RowsOf<n>(src_, first_);
      MSHADOW_IVDEP
      for (std::ptrdiff_t c = left; c < right; ++c) {
        Value value = static_cast<Value>(rows.item[0].Eval(c));
        for (int k = 1; k < n; ++k) {
          value = Window::Combine(value, static_cast<Value>(rows.item[k].Eval(c)));
        }
        column[c - left] = value;
      }
      return first_ + n;
    }
    template <int SX>
    MSHADOW_XINLINE void ReduceRow(const Value* column, std::ptrdiff_t n, Value* out) const {
      const std::ptrdiff_t stride = SX > 0 ? SX : stride_x_;
      for (std::ptrdiff_t i = 0; i < n; ++i) out[i] = column[i * stride];
      for (std::ptrdiff_t j = 1; j < ksize_x_; ++j) {
        MSHADOW_IVDEP
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          out[i] = Window::Combine(out[i], column[i * stride + j]);
        }
      }
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const std::ptrdiff_t image = Quotient(y, height_);
    const std::ptrdiff_t top = (y - image * height_) * stride_y_;
    const std::ptrdiff_t first = top < src_height_ ? top : src_height_;
    const std::ptrdiff_t last = top + ksize_y_ < src_height_ ? top + ksize_y_ : src_height_;
    return Cursor{src_,       image * src_height_ + first, image * src_height_ + last,
                  src_width_, ksize_x_, stride_x_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }

 private:
  Src src_;
  std::ptrdiff_t height_, src_height_, src_width_;
  std::ptrdiff_t ksize_y_, ksize_x_, stride_y_, stride_x_;
};

}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXTENSION_SPATIAL_POOL_H_
