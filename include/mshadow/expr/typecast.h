// SPDX-License-Identifier: Apache-2.0
// tcast<T>(exp), saturate_cast<T>(exp): every element converted to another type.
#ifndef MSHADOW_EXPR_TYPECAST_H_
#define MSHADOW_EXPR_TYPECAST_H_

#include "../op/unary.h"
#include "../simd/half_convert.h"
#include "map.h"
#include "plan.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// out[i] = op::math::Convert<DstDType>(exp[i])
template <typename DstDType, typename SrcDType, typename EType, int etype>
struct TypecastExp : public detail::ElementWiseExp<TypecastExp<DstDType, SrcDType, EType, etype>,
                                                   DstDType, etype, EType> {
  EType exp;
  MSHADOW_XINLINE explicit TypecastExp(const EType& e) : exp(e) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return ShapeCheck<dim, EType>::Check(exp);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(exp, written, same_index);
  }
  template <typename F>
  MSHADOW_FORCE_INLINE decltype(auto) Apply(const F& f) const {
    return f(exp);
  }
  template <typename F>
  auto WithOperands(const F& f) const {
    return TypecastExp<DstDType, SrcDType, decltype(f(exp)), etype>(f(exp));
  }
};

namespace detail {

/// Is there an instruction for From to To that no compiler makes of a loop?
template <typename To, typename From>
inline constexpr bool kHalfCast =
    MSHADOW_HALF_CONVERT && ((std::is_same_v<To, float> && std::is_same_v<From, half::half_t>) ||
                             (std::is_same_v<To, half::half_t> && std::is_same_v<From, float>));

/// Between half_t and float, many at a time.
template <typename DstDType, typename SrcDType, typename A>
struct HalfCastCursor {
  A a_;
  MSHADOW_XINLINE DstDType Eval(std::ptrdiff_t x) const {
    return op::math::Convert<DstDType>(a_.Eval(x));
  }
  MSHADOW_FORCE_INLINE void FillRow(DstDType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (HasPointer<A>::value) {
      simd::ConvertHalves(to, a_.Pointer(x), end - x);
    } else {
      SrcDType source[kMax];
      while (x < end) {
        const std::ptrdiff_t stop = end < x + kMax ? end : x + kMax;
        ForEachRun(a_, x, stop,
                   [&](const auto& run, std::ptrdiff_t begin, std::ptrdiff_t last)
                       MSHADOW_INLINE_LAMBDA {
                         MSHADOW_IVDEP
                         for (std::ptrdiff_t i = begin; i < last; ++i) source[i - x] = run.Eval(i);
                       });
        simd::ConvertHalves(to, source, stop - x);
        to += stop - x;
        x = stop;
      }
    }
  }

 private:
  static constexpr std::ptrdiff_t kMax = 512;
};

template <typename DstDType, typename Src>
class HalfCastPlan : public MapPlan<op::identity, DstDType, Src> {
  using Base = MapPlan<op::identity, DstDType, Src>;

 public:
  using Base::Base;
  static constexpr bool kIsMap = false;
  static constexpr int kGatherBytes = kGatherBytesOf<Src> < kEvaluated
                                          ? kGatherBytesOf<Src>
                                          : kEvaluated + static_cast<int>(sizeof(DstDType));
  static constexpr Fills kFills = Fills::kParts;
  using Fill = void;  // hides that of maps: rows fill themselves
  using Cursor =
      FilledCursor<HalfCastPlan, HalfCastCursor<DstDType, ElementOfPlan<Src>, RowCursor<Src>>>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{{RowOf(Get<0>(*this), y)}, this, y};
  }
  MSHADOW_XINLINE DstDType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
};

template <typename DstDType, typename SrcDType, typename Src>
using CastPlan =
    std::conditional_t<kHalfCast<DstDType, SrcDType>, HalfCastPlan<DstDType, Src>,
                       MapPlan<op::identity, DstDType, Src>>;

}  // namespace detail

template <typename DstDType, typename SrcDType, typename EType, int etype>
class Plan<TypecastExp<DstDType, SrcDType, EType, etype>, DstDType>
    : public detail::CastPlan<DstDType, SrcDType, PlanOf<EType>> {
 public:
  explicit Plan(const TypecastExp<DstDType, SrcDType, EType, etype>& e)
      : detail::CastPlan<DstDType, SrcDType, PlanOf<EType>>(e.exp) {}
};

/// tcast<T>(exp): out[i] = T(exp[i]); op::math::Convert says what becomes of a float that an
/// integer type does not hold.
template <typename DstDType, typename SrcDType, typename EType, int etype>
inline TypecastExp<DstDType, SrcDType, EType, (etype | type::kMapper)> tcast(
    const Exp<EType, SrcDType, etype>& exp) {
  return TypecastExp<DstDType, SrcDType, EType, (etype | type::kMapper)>(exp.self());
}

/// saturate_cast<T>(exp): out[i] = the T nearest to exp[i] truncated. Numbers beyond the range
/// become the end of it, NaN becomes 0 of an integer type; see op::math::Saturate.
template <typename DstDType, typename SrcDType, typename EType, int etype>
inline UnaryMapExp<op::saturate<DstDType>, EType, DstDType, (etype | type::kMapper)> saturate_cast(
    const Exp<EType, SrcDType, etype>& exp) {
  return UnaryMapExp<op::saturate<DstDType>, EType, DstDType, (etype | type::kMapper)>(exp.self());
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_TYPECAST_H_
