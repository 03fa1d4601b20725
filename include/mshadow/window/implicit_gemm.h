// SPDX-License-Identifier: Apache-2.0
// implicit_dot(a, b): a matrix product that is part of an expression.
#ifndef MSHADOW_WINDOW_IMPLICIT_GEMM_H_
#define MSHADOW_WINDOW_IMPLICIT_GEMM_H_

#include "../core/dtype.h"
#include "../expr/make_tensor.h"
#include "../expr/plan/blocks.h"
#include "../op/long_sum.h"
#include "../op/math/wrap.h"
#include "window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// out[i][j] = sum_k lhs[i][k] rhs[k][j]; lhs (m, k), rhs (k, n) -> (m, n).
template <typename LhsExp, typename RhsExp, typename DType>
struct ImplicitGEMMExp : public Exp<ImplicitGEMMExp<LhsExp, RhsExp, DType>, DType, type::kChainer> {
  static_assert(ExpInfo<LhsExp>::kDim == 2 && ExpInfo<RhsExp>::kDim == 2,
                "mshadow: the operands of implicit_dot are matrices (2 axes)");
  static constexpr int kRank = 2;
  static constexpr int kDevices = ExpInfo<LhsExp>::kDevMask & ExpInfo<RhsExp>::kDevMask;
  LhsExp lhs_;
  RhsExp rhs_;
  index_t prod_size_;
  Shape<2> shape_;
  ImplicitGEMMExp(const LhsExp& lhs, const RhsExp& rhs) : lhs_(lhs), rhs_(rhs) {
    const Shape<2> left = ShapeCheck<2, LhsExp>::Check(lhs_);
    const Shape<2> right = ShapeCheck<2, RhsExp>::Check(rhs_);
    MSHADOW_CHECK_EQ(left[1], right[0])
        << "implicit_dot: matrix shape mismatch, lhs " << left << ", rhs " << right;
    prod_size_ = left[1];
    shape_ = Shape2(left[0], right[1]);
  }
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == 2, "mshadow: implicit_dot gives a matrix");
    return shape_;
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return expr::Overlaps(lhs_, written, false) || expr::Overlaps(rhs_, written, false);
  }
};

/// The product of two matrices of any expressions, itself an expression:
/// `out = implicit_dot(a * 2.0f, b.T()) + 1.0f`. out[i][j] = sum_k lhs[i][k] rhs[k][j];
/// lhs (m, k), rhs (k, n) -> (m, n). On the CPU operands that are not in memory are computed first;
/// a GPU evaluates them n and m times over. Sums are off by 1e-5 of the sum of absolute values at
/// most, however large k is. Throws Error where the inner extents differ.
///
/// For code of mshadow 2.x, whose dot is no operand. Write dot: it is 2 to 8 times as fast, also
/// for small matrices.
template <typename LhsExp, typename RhsExp, typename DType, int etype1, int etype2>
inline ImplicitGEMMExp<LhsExp, RhsExp, DType> implicit_dot(const Exp<LhsExp, DType, etype1>& lhs,
                                                           const Exp<RhsExp, DType, etype2>& rhs) {
  return ImplicitGEMMExp<LhsExp, RhsExp, DType>(lhs.self(), rhs.self());
}
MSHADOW_OWNS_TEMPORARIES_(implicit_dot)

template <typename LhsExp, typename RhsExp, typename DType>
class Plan<ImplicitGEMMExp<LhsExp, RhsExp, DType>, DType> {
  // What is not in memory would be computed again for each row or column of the result.
  template <typename E>
  using Operand = detail::PlanFirstIf<!detail::HasRowStride<PlanOf<E>>::value, E, DType>;
  using Lhs = Operand<LhsExp>;
  using Rhs = Operand<RhsExp>;

 public:
  static constexpr int kCost = 64 * (1 + kCostOf<Lhs> + kCostOf<Rhs>);
  explicit Plan(const ImplicitGEMMExp<LhsExp, RhsExp, DType>& e)
      : lhs_(MakePlanOf<Lhs>(e.lhs_)),
        rhs_(MakePlanOf<Rhs>(e.rhs_)),
        size_(static_cast<std::ptrdiff_t>(e.prod_size_)) {}
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const {
    return PlanLayout{1, 0, ReadsOf(lhs_, rhs_)}.Reading(size_);
  }
  struct Cursor {
    using Acc = Accumulator<DType>;  // 16-bit floats add up in float
    RowCursor<Lhs> lhs_;
    const Rhs& rhs_;
    std::ptrdiff_t size_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return static_cast<DType>(
          red::ReduceInBlocks<red::sum, Acc>(size_, [&](std::ptrdiff_t k) MSHADOW_INLINE_LAMBDA {
            return op::math::Mul(static_cast<Acc>(lhs_.Eval(k)),
                                 static_cast<Acc>(RowOf(rhs_, k).Eval(x)));
          }));
    }
    /// to[i] = element x + i for x + i < end.
    MSHADOW_FORCE_INLINE void Write(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
      Acc sum[kMax];
      for (std::ptrdiff_t n; x < end; x += n, to += n) {
        n = end - x < kMax ? end - x : kMax;
        AddUp(sum, x, n);
        MSHADOW_IVDEP
        for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = static_cast<DType>(sum[i]);
      }
    }

   private:
    static constexpr std::ptrdiff_t kMax = 512;
    /// Rows of rhs, each times an element of lhs, are added up.
    MSHADOW_FORCE_INLINE void AddUp(Acc* sum, std::ptrdiff_t x, std::ptrdiff_t n) const {
      for (std::ptrdiff_t i = 0; i < n; ++i) sum[i] = 0;
      if (size_ <= red::kSumBlock) return AddRows(0, size_, x, x + n, sum);
      red::WideSum<Acc> total[kMax];
      for (std::ptrdiff_t i = 0; i < n; ++i) total[i] = 0;
      for (std::ptrdiff_t k = 0; k < size_; k += red::kSumBlock) {
        AddRows(k, size_ - k < red::kSumBlock ? size_ : k + red::kSumBlock, x, x + n, sum);
        red::FlushSums(sum, n, total);
      }
      MSHADOW_IVDEP
      for (std::ptrdiff_t i = 0; i < n; ++i) sum[i] = static_cast<Acc>(total[i]);
    }
    /// Rows [k, stop) of rhs.
    MSHADOW_FORCE_INLINE void AddRows(std::ptrdiff_t k, std::ptrdiff_t stop, std::ptrdiff_t x,
                                      std::ptrdiff_t end, Acc* sum) const {
      for (; k < stop; ++k) AddRow(k, x, end, sum);
    }
    MSHADOW_FORCE_INLINE void AddRow(std::ptrdiff_t k, std::ptrdiff_t x, std::ptrdiff_t end,
                                     Acc* sum) const {
      const Acc factor = static_cast<Acc>(lhs_.Eval(k));
      InPieces(
          rhs_, k, x, end,
          [&](const auto& run, std::ptrdiff_t begin, std::ptrdiff_t stop) MSHADOW_INLINE_LAMBDA {
            MSHADOW_IVDEP
            for (std::ptrdiff_t i = begin; i < stop; ++i) {
              sum[i - x] = op::math::MulAdd(factor, static_cast<Acc>(run.Eval(i)), sum[i - x]);
            }
          });
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return Cursor{RowOf(lhs_, y), rhs_, size_}; }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (; y < end_y; ++y, to += stride) Row(y).Write(to, x, end);
  }

 private:
  Lhs lhs_;
  Rhs rhs_;
  std::ptrdiff_t size_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_IMPLICIT_GEMM_H_
