// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SPATIAL_UNPOOL_H_
#define MSHADOW_EXTENSION_SPATIAL_UNPOOL_H_

#include "../expr/argument.h"
#include "../expr/make_tensor.h"
#include "../expr/quotient.h"
#include "window.h"

namespace mshadow {
namespace expr {

/// The three operands may be of different expression types.
template <typename Reducer, typename SrcExp, typename DType, int srcdim,
          typename PooledExp = SrcExp, typename GradExp = SrcExp>
struct UnPoolingExp
    : public MakeTensorExp<UnPoolingExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>, SrcExp,
                           srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: unpool needs expressions of two axes or more");
  static_assert(ExpInfo<PooledExp>::kDim == srcdim && ExpInfo<GradExp>::kDim == srcdim,
                "mshadow: unpool: data_src, data_pooled and grad_pooled must have the same number "
                "of axes");
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask & ExpInfo<PooledExp>::kDevMask &
                                  ExpInfo<GradExp>::kDevMask;
  SrcExp data_src_;
  PooledExp data_pooled_;
  GradExp grad_pooled_;
  index_t ksize_y_, ksize_x_, kstride_y_, kstride_x_;
  index_t pshape_y_, pshape_x_;
  UnPoolingExp(const SrcExp& data_src, const PooledExp& data_pooled, const GradExp& grad_pooled,
               index_t ksize_y, index_t ksize_x, index_t kstride_y, index_t kstride_x)
      : data_src_(data_src), data_pooled_(data_pooled), grad_pooled_(grad_pooled),
        ksize_y_(ksize_y), ksize_x_(ksize_x), kstride_y_(kstride_y), kstride_x_(kstride_x) {
    detail::CheckPositive("unpool", "ksize_y", ksize_y);
    detail::CheckPositive("unpool", "ksize_x", ksize_x);
    detail::CheckPositive("unpool", "kstride_y", kstride_y);
    detail::CheckPositive("unpool", "kstride_x", kstride_x);
    const Shape<srcdim> pooled = ShapeCheck<srcdim, PooledExp>::Check(data_pooled_);
    const Shape<srcdim> grad = ShapeCheck<srcdim, GradExp>::Check(grad_pooled_);
    CHECK_EQ(pooled, grad) << "UnPoolingExp: pooled shape mismatch";
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(data_src_);
    for (int i = 0; i < srcdim - 2; ++i) {
      CHECK_EQ(this->shape_[i], pooled[i])
          << "UnPoolingExp: pool and src shape mismatch: " << this->shape_ << ", " << pooled;
    }
    pshape_y_ = pooled[srcdim - 2];
    pshape_x_ = pooled[srcdim - 1];
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(data_src_, written, same_index) ||
           expr::Overlaps(data_pooled_, written, false) ||
           expr::Overlaps(grad_pooled_, written, false);
  }
};

/// The gradient of pool: out[..][y][x] = sum of PartialGrad(src[..][y][x], pooled[..][v][u])
/// grad[..][v][u] over the windows (v, u) that cover (y, x): v sy <= y < v sy + ky, likewise u.
/// Of a maximum, every element equal to it gets the gradient. data_src (.., H, W) and data_pooled,
/// grad_pooled (.., h, w) -> (.., H, W); the destination may be data_src itself.
/// Throws Error where shapes do not fit or an argument is not positive.
template <typename Reducer, typename SrcExp, typename PooledExp, typename GradExp, typename DType,
          int etype, int pooled_etype, int grad_etype>
inline UnPoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp> unpool(
    const Exp<SrcExp, DType, etype>& data_src,
    const Exp<PooledExp, DType, pooled_etype>& data_pooled,
    const Exp<GradExp, DType, grad_etype>& grad_pooled, index_t ksize_y, index_t ksize_x,
    index_t kstride_y, index_t kstride_x) {
  return UnPoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp>(
      data_src.self(), data_pooled.self(), grad_pooled.self(), ksize_y, ksize_x, kstride_y,
      kstride_x);
}
/// The same stride both ways.
template <typename Reducer, typename SrcExp, typename PooledExp, typename GradExp, typename DType,
          int etype, int pooled_etype, int grad_etype>
inline UnPoolingExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim, PooledExp, GradExp> unpool(
    const Exp<SrcExp, DType, etype>& data_src,
    const Exp<PooledExp, DType, pooled_etype>& data_pooled,
    const Exp<GradExp, DType, grad_etype>& grad_pooled, index_t ksize_y, index_t ksize_x,
    index_t kstride) {
  return unpool<Reducer>(data_src, data_pooled, grad_pooled, ksize_y, ksize_x, kstride, kstride);
}

template <typename Reducer, typename SrcExp, typename DType, int srcdim, typename PooledExp,
          typename GradExp>
class Plan<UnPoolingExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>, DType> {
  using Src = PlanOf<SrcExp>;
  using Pooled = PlanOf<PooledExp>;
  using Grad = PlanOf<GradExp>;
  using Value = detail::SumOf<DType>;

  /// What the window of value `pooled` and gradient `grad` adds to `sum`.
  MSHADOW_XINLINE static Value Add(Value sum, DType src, DType pooled, DType grad) {
    return static_cast<Value>(
        sum + static_cast<Value>(Reducer::template PartialGrad<DType>(src, pooled)) *
                  static_cast<Value>(grad));
  }

 public:
  static constexpr int kCost = 8 + kCostOf<Src> + 2 * kCostOf<Pooled> + 2 * kCostOf<Grad>;
  static constexpr bool kTransposed = kTransposedOf<Src>;
  explicit Plan(const UnPoolingExp<Reducer, SrcExp, DType, srcdim, PooledExp, GradExp>& e)
      : src_(MakePlan(e.data_src_)), pooled_(MakePlan(e.data_pooled_)),
        grad_(MakePlan(e.grad_pooled_)),
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        pooled_height_(static_cast<std::ptrdiff_t>(e.pshape_y_)),
        pooled_width_(static_cast<std::ptrdiff_t>(e.pshape_x_)),
        ksize_y_(static_cast<std::ptrdiff_t>(e.ksize_y_)),
        ksize_x_(static_cast<std::ptrdiff_t>(e.ksize_x_)),
        stride_y_(static_cast<std::ptrdiff_t>(e.kstride_y_)),
        stride_x_(static_cast<std::ptrdiff_t>(e.kstride_x_)) {}

  using Buffer = detail::BufferCursor<DType, Value>;

  /// The windows of rows [first, last) that cover x.
  struct Cursor {
    static constexpr bool kRuns = true;
    RowCursor<Src> row_;
    Pooled pooled_;
    Grad grad_;
    std::ptrdiff_t first_, last_, width_, ksize_x_, stride_x_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      const DType src = row_.Eval(x);
      const std::ptrdiff_t begin = x < ksize_x_ ? 0 : Quotient(x - ksize_x_, stride_x_) + 1;
      const std::ptrdiff_t behind = Quotient(x, stride_x_) + 1;
      const std::ptrdiff_t end = behind < width_ ? behind : width_;
      Value sum = Value(0);
      for (std::ptrdiff_t v = first_; v < last_; ++v) {
        for (std::ptrdiff_t u = begin; u < end; ++u) {
          sum = Add(sum, src, RowOf(pooled_, v).Eval(u), RowOf(grad_, v).Eval(u));
        }
      }
      return static_cast<DType>(sum);
    }
    /// Elements x = q stride + r of one r are covered by windows q, q - 1, ...: these vectorise.
    MSHADOW_XINLINE Buffer Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
      constexpr std::ptrdiff_t kMost = Buffer::kMost;
      const std::ptrdiff_t back = Quotient(ksize_x_ - 1, stride_x_);
      const std::ptrdiff_t q = Quotient(x, stride_x_);
      Buffer run;
      run.begin_ = q * stride_x_;
      if (stride_x_ > kMost / 4 || back > kMost / 4) {
        *end = x + 1;
        run.begin_ = x;
        run.value_[0] = static_cast<Value>(Eval(x));
        return run;
      }
      if (*end - run.begin_ > kMost / 2) *end = run.begin_ + kMost / 2;
      if constexpr (kPlain) {
        if (ksize_x_ == 2 && stride_x_ == 2 && x == run.begin_ && x + 1 < *end && q < width_) {
          const std::ptrdiff_t room = width_ - q;
          const std::ptrdiff_t pairs = (*end - x) / 2 < room ? (*end - x) / 2 : room;
          *end = x + 2 * pairs;
          SpreadPairs(q, pairs, run.value_);
          return run;
        }
      }
      const std::ptrdiff_t n = Quotient(*end - 1, stride_x_) + 1 - q;
      DType src[kMost], pooled[kMost], grad[kMost];
      for (std::ptrdiff_t i = 0; i < n * stride_x_; ++i) run.value_[i] = Value(0);
      Fill(row_, x, *end, n * stride_x_, src, run.begin_);
      for (std::ptrdiff_t v = first_; v < last_; ++v) {
        // Windows beyond the sides have no gradient.
        const std::ptrdiff_t begin = q - back > 0 ? q - back : 0;
        const std::ptrdiff_t stop = q + n < width_ ? q + n : width_;
        if (begin >= stop) break;
        Fill(RowOf(pooled_, v), begin, stop, n + back, pooled, q - back);
        Fill(RowOf(grad_, v), begin, stop, n + back, grad, q - back);
        if (ksize_x_ == 3 && stride_x_ == 2) {
          Spread<3, 2>(src, pooled, grad, n, run.value_);
        } else if (stride_x_ == 1) {
          Spread<1>(src, pooled, grad, n, run.value_);
        } else {
          Spread<0>(src, pooled, grad, n, run.value_);
        }
      }
      return run;
    }

   private:
    // Cursors that need no dispatch are read where they are.
    static constexpr bool kPlain =
        kPlainOf<RowCursor<Src>> && kPlainOf<RowCursor<Pooled>> && kPlainOf<RowCursor<Grad>>;

    /// The elements of the windows [q, q + n), 2 wide and 2 apart.
    MSHADOW_XINLINE void SpreadPairs(std::ptrdiff_t q, std::ptrdiff_t n, Value* sum) const {
      for (std::ptrdiff_t i = 0; i < 2 * n; ++i) sum[i] = Value(0);
      for (std::ptrdiff_t v = first_; v < last_; ++v) {
        const auto pooled = RowOf(pooled_, v);
        const auto grad = RowOf(grad_, v);
        MSHADOW_IVDEP
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          const DType value = pooled.Eval(q + i);
          const DType slope = grad.Eval(q + i);
          sum[2 * i] = Add(sum[2 * i], row_.Eval(2 * (q + i)), value, slope);
          sum[2 * i + 1] = Add(sum[2 * i + 1], row_.Eval(2 * (q + i) + 1), value, slope);
        }
      }
    }
    /// to[x - first] = row[x] for x in [begin, end), 0 for the others of n elements from `first`.
    template <typename Row>
    MSHADOW_XINLINE static void Fill(const Row& row, std::ptrdiff_t begin, std::ptrdiff_t end,
                                     std::ptrdiff_t n, DType* to, std::ptrdiff_t first) {
      for (std::ptrdiff_t i = 0; i < begin - first; ++i) to[i] = DType(0);
      for (std::ptrdiff_t i = end - first; i < n; ++i) to[i] = DType(0);
      ForEachRun(row, begin, end, [&](const auto& run, std::ptrdiff_t x, std::ptrdiff_t stop) {
        MSHADOW_IVDEP
        for (; x < stop; ++x) to[x - first] = run.Eval(x);
      });
    }
    template <int KX, int SX>
    MSHADOW_XINLINE static void Spread(const DType* src, const DType* pooled, const DType* grad,
                                       std::ptrdiff_t n, Value* sum) {
      constexpr int kBack = (KX - 1) / SX;
      MSHADOW_IVDEP
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        SpreadAt<KX, SX, 0>(src + i * SX, pooled + i + kBack, grad + i + kBack, sum + i * SX);
      }
    }
    /// Elements r, ..., SX - 1 of one step; a loop over r would keep GCC from vectorising.
    template <int KX, int SX, int r>
    MSHADOW_XINLINE static void SpreadAt(const DType* src, const DType* pooled, const DType* grad,
                                         Value* sum) {
      sum[r] = SpreadTo<KX, SX, r, 0>(sum[r], src[r], pooled, grad);
      if constexpr (r + 1 < SX) SpreadAt<KX, SX, r + 1>(src, pooled, grad, sum);
    }
    template <int KX, int SX, int r, int j>
    MSHADOW_XINLINE static Value SpreadTo(Value sum, DType src, const DType* pooled,
                                          const DType* grad) {
      if constexpr (r + j * SX < KX) {
        return SpreadTo<KX, SX, r, j + 1>(Add(sum, src, pooled[-j], grad[-j]), src, pooled, grad);
      } else {
        return sum;
      }
    }
    template <int SX>
    MSHADOW_XINLINE void Spread(const DType* src, const DType* pooled, const DType* grad,
                                std::ptrdiff_t n, Value* sum) const {
      const std::ptrdiff_t stride = SX > 0 ? SX : stride_x_;
      const std::ptrdiff_t back = Quotient(ksize_x_ - 1, stride);
      for (std::ptrdiff_t r = 0; r < stride; ++r) {
        for (std::ptrdiff_t j = 0; r + j * stride < ksize_x_; ++j) {
          MSHADOW_IVDEP
          for (std::ptrdiff_t i = 0; i < n; ++i) {
            sum[i * stride + r] = Add(sum[i * stride + r], src[i * stride + r],
                                      pooled[i + back - j], grad[i + back - j]);
          }
        }
      }
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const std::ptrdiff_t image = Quotient(y, height_);
    const std::ptrdiff_t row = y - image * height_;
    const std::ptrdiff_t first = row < ksize_y_ ? 0 : Quotient(row - ksize_y_, stride_y_) + 1;
    const std::ptrdiff_t behind = Quotient(row, stride_y_) + 1;
    const std::ptrdiff_t last = behind < pooled_height_ ? behind : pooled_height_;
    return Cursor{RowOf(src_, y),
                  pooled_,
                  grad_,
                  image * pooled_height_ + first,
                  image * pooled_height_ + last,
                  pooled_width_,
                  ksize_x_,
                  stride_x_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }

 private:
  Src src_;
  Pooled pooled_;
  Grad grad_;
  std::ptrdiff_t height_, pooled_height_, pooled_width_;
  std::ptrdiff_t ksize_y_, ksize_x_, stride_y_, stride_x_;
};

}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXTENSION_SPATIAL_UNPOOL_H_
