// SPDX-License-Identifier: Apache-2.0
// tcast<T>(exp): every element converted to another type.
#ifndef MSHADOW_EXPR_TYPECAST_H_
#define MSHADOW_EXPR_TYPECAST_H_

#include "plan.h"
#include "traits.h"

namespace mshadow {
namespace expr {

/// out[i] = DstDType(exp[i])
template <typename DstDType, typename SrcDType, typename EType, int etype>
struct TypecastExp
    : public Exp<TypecastExp<DstDType, SrcDType, EType, etype>, DstDType, etype> {
  static constexpr int kRank = ExpInfo<EType>::kDim;
  static constexpr int kDevices = ExpInfo<EType>::kDevMask;
  EType exp;
  MSHADOW_XINLINE explicit TypecastExp(const EType& e) : exp(e) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return ShapeCheck<dim, EType>::Check(exp);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    // Elements of another size: the memory of element i is not that of element i of the result.
    return expr::Overlaps(exp, written, same_index && sizeof(DstDType) == sizeof(SrcDType));
  }
};

namespace detail {

template <typename DstDType, typename A>
struct TypecastCursor {
  static constexpr bool kSpecializes = kSpecializesOf<A>;
  static constexpr bool kRuns = kRunsOf<A>;
  A a_;
  MSHADOW_XINLINE DstDType Eval(std::ptrdiff_t x) const {
    return static_cast<DstDType>(a_.Eval(x));
  }
  MSHADOW_XINLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    return TypecastCursor<DstDType, RunCursor<A>>{RunOf(a_, x, end)};
  }
  template <typename F>
  MSHADOW_XINLINE void Specialize(const F& f) const {
    expr::Specialize(a_, [&](const auto& a) {
      f(TypecastCursor<DstDType, std::decay_t<decltype(a)>>{a});
    });
  }
};

}  // namespace detail

template <typename DstDType, typename SrcDType, typename EType, int etype>
class Plan<TypecastExp<DstDType, SrcDType, EType, etype>, DstDType> {
  using Src = PlanOf<EType>;

 public:
  static constexpr int kCost = 1 + kCostOf<Src>;
  static constexpr bool kTransposed = kTransposedOf<Src>;
  explicit Plan(const TypecastExp<DstDType, SrcDType, EType, etype>& e) : src_(MakePlan(e.exp)) {}
  using Cursor = detail::TypecastCursor<DstDType, RowCursor<Src>>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return Cursor{RowOf(src_, y)}; }
  MSHADOW_XINLINE DstDType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE std::ptrdiff_t FlatRows(std::ptrdiff_t cols) const {
    return expr::FlatRows(src_, cols);
  }

 private:
  Src src_;
};

/// tcast<T>(exp): out[i] = T(exp[i]).
template <typename DstDType, typename SrcDType, typename EType, int etype>
inline TypecastExp<DstDType, SrcDType, EType, (etype | type::kMapper)> tcast(
    const Exp<EType, SrcDType, etype>& exp) {
  return TypecastExp<DstDType, SrcDType, EType, (etype | type::kMapper)>(exp.self());
}

}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXPR_TYPECAST_H_
