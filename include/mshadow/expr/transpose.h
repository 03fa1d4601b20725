// SPDX-License-Identifier: Apache-2.0
// e.T(): a matrix transposed.
#ifndef MSHADOW_EXPR_TRANSPOSE_H_
#define MSHADOW_EXPR_TRANSPOSE_H_

#include "operand.h"
#include "plan/plan.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// out[i][j] = exp[j][i]; exp (m, n) -> (n, m). Inside dot it is a flag and copies nothing.
template <typename EType, typename DType>
struct TransposeExp : public Exp<TransposeExp<EType, DType>, DType, type::kChainer> {
  static constexpr int kRank = ExpInfo<EType>::kDim;
  static constexpr int kDevices = ExpInfo<EType>::kDevMask;
  EType exp;
  MSHADOW_XINLINE explicit TransposeExp(const EType& e) : exp(e) {}
  TransposeExp(const TransposeExp&) = default;
  TransposeExp& operator=(const TransposeExp&) = delete;  // a.T() = b.T() would write no element
  MSHADOW_XINLINE const EType& T() const { return exp; }
  static constexpr detail::View kView = detail::View::kAny;
  void Move(const detail::OperandViews& operands) const { operands.Swap(0, 1); }
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == 2, "mshadow: .T() as a value is defined for matrices (2 axes); use "
                            "transpose or swapaxis for more");
    Shape<dim> shape = ShapeCheck<dim, EType>::Check(exp);
    const index_t rows = shape[0];
    shape[0] = shape[1];
    shape[1] = rows;
    return shape;
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return expr::Overlaps(exp, written, false);
  }
};

template <typename EType, typename DType>
class Plan<TransposeExp<EType, DType>, DType> {
  using Src = PlanOf<EType>;

 public:
  static constexpr PlanFacts kFacts = TransposedFacts(2 + kCostOf<Src>);
  explicit Plan(const TransposeExp<EType, DType>& e) : src_(MakePlan(e.exp)) {}
  struct Cursor {
    Src src_;
    std::ptrdiff_t y_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const { return RowOf(src_, x).Eval(y_); }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return Cursor{src_, y}; }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const { return {1, 1, ReadsOf(src_)}; }

 private:
  Src src_;
};

template <typename SubType, typename DType, int exp_type>
MSHADOW_XINLINE TransposeExp<SubType, DType> Exp<SubType, DType, exp_type>::T() const {
  return TransposeExp<SubType, DType>(self());
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_TRANSPOSE_H_
