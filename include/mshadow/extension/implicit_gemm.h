// SPDX-License-Identifier: Apache-2.0
// implicit_dot(a, b): a matrix product that is part of an expression.
#ifndef MSHADOW_EXTENSION_IMPLICIT_GEMM_H_
#define MSHADOW_EXTENSION_IMPLICIT_GEMM_H_

#include "../core/dtype.h"
#include "../expr/make_tensor.h"

namespace mshadow {
namespace expr {

/// out[i][j] = sum_k lhs[i][k] rhs[k][j]; lhs (m, k), rhs (k, n) -> (m, n).
template <typename LhsExp, typename RhsExp, typename DType>
struct ImplicitGEMMExp
    : public Exp<ImplicitGEMMExp<LhsExp, RhsExp, DType>, DType, type::kChainer> {
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
    CHECK_EQ(left[1], right[0]) << "implicit_dot: matrix shape mismatch, lhs " << left << ", rhs "
                                << right;
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
/// lhs (m, k), rhs (k, n) -> (m, n). It evaluates its operands n and m times over: for large
/// matrices dot is faster by far. Throws Error where the inner extents differ.
template <typename LhsExp, typename RhsExp, typename DType, int etype1, int etype2>
inline ImplicitGEMMExp<LhsExp, RhsExp, DType> implicit_dot(
    const Exp<LhsExp, DType, etype1>& lhs, const Exp<RhsExp, DType, etype2>& rhs) {
  return ImplicitGEMMExp<LhsExp, RhsExp, DType>(lhs.self(), rhs.self());
}

template <typename LhsExp, typename RhsExp, typename DType>
class Plan<ImplicitGEMMExp<LhsExp, RhsExp, DType>, DType> {
  using Lhs = PlanOf<LhsExp>;
  using Rhs = PlanOf<RhsExp>;

 public:
  static constexpr int kCost = 64 * (1 + kCostOf<Lhs> + kCostOf<Rhs>);
  explicit Plan(const ImplicitGEMMExp<LhsExp, RhsExp, DType>& e)
      : lhs_(MakePlan(e.lhs_)), rhs_(MakePlan(e.rhs_)),
        size_(static_cast<std::ptrdiff_t>(e.prod_size_)) {}
  struct Cursor {
    RowCursor<Lhs> lhs_;
    Rhs rhs_;
    std::ptrdiff_t size_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      // 16-bit floats add up in float.
      Accumulator<DType> sum = 0;
      for (std::ptrdiff_t k = 0; k < size_; ++k) {
        sum += static_cast<Accumulator<DType>>(lhs_.Eval(k)) *
               static_cast<Accumulator<DType>>(RowOf(rhs_, k).Eval(x));
      }
      return static_cast<DType>(sum);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{RowOf(lhs_, y), rhs_, size_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }

 private:
  Lhs lhs_;
  Rhs rhs_;
  std::ptrdiff_t size_;
};

}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXTENSION_IMPLICIT_GEMM_H_
