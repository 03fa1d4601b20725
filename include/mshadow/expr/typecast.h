// SPDX-License-Identifier: Apache-2.0
// tcast<T>(exp), saturate_cast<T>(exp): every element converted to another type.
#ifndef MSHADOW_EXPR_TYPECAST_H_
#define MSHADOW_EXPR_TYPECAST_H_

#include "../op/unary.h"
#include "../simd/half_convert.h"
#include "plan/plan.h"
#include "statement.h"
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
};

template <typename DstDType, typename Src>
class HalfCastPlan : public MapPlan<op::identity, DstDType, Src> {
  using Base = MapPlan<op::identity, DstDType, Src>;
  using SrcDType = ElementOfPlan<Src>;

 public:
  using Base::Base;
  static constexpr bool kIsMap = false;
  using Cursor = HalfCastCursor<DstDType, SrcDType, RowCursor<Src>>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return {RowOf(Get<0>(*this), y)}; }
  MSHADOW_XINLINE DstDType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DstDType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    const Src& src = Get<0>(*this);
    for (; y < end_y; ++y, to += stride) {
      if constexpr (HasPointer<RowCursor<Src>>::value) {
        simd::ConvertHalves(to, RowOf(src, y).Pointer(x), end - x);
      } else {
        SrcDType source[kPieceElements];
        for (std::ptrdiff_t first = x, n; first < end; first += n) {
          n = end - first < kPieceElements ? end - first : kPieceElements;
          FillBlock(src, source, 0, y, y + 1, first, first + n);
          simd::ConvertHalves(to + (first - x), source, n);
        }
      }
    }
  }
};

template <typename DstDType, typename SrcDType, typename Src>
using CastPlan =
    std::conditional_t<kHalfCast<DstDType, SrcDType>, HalfCastPlan<DstDType, Src>,
                       MapPlan<op::identity, DstDType, Src>>;

/// True if such a cast is computed aside, for want of instructions that stand in a loop.
template <typename To, typename From, typename E>
inline constexpr bool kCastsAside = kHalfCast<To, From> && !MSHADOW_HALF_LANES &&
                                    ExpInfo<E>::kDevMask == cpu::kDevMask &&
                                    ExpInfo<E>::kDim > 0 && ExpInfo<E>::kDim <= kMaxAxes;
template <typename DstDType, typename SrcDType, typename E, int etype>
struct Described<TypecastExp<DstDType, SrcDType, E, etype>,
                 std::enable_if_t<kCastsAside<DstDType, SrcDType, E>>>
    : DescribedProducer<TypecastExp<DstDType, SrcDType, E, etype>> {};
template <typename DstDType, typename SrcDType, typename E, int etype>
struct Described<TypecastExp<DstDType, SrcDType, E, etype>,
                 std::enable_if_t<kDescribed<E> && !kCastsAside<DstDType, SrcDType, E>>>
    : DescribedMap<op::identity, DstDType, E> {
  using Node = TypecastExp<DstDType, SrcDType, E, etype>;
  MSHADOW_FORCE_INLINE static void Put(const Node& e, LeafRef* to) {
    Described::PutAll(to, e.exp);
  }
  template <View view>
  static void Describe(const Node& e, OperandView* to) {
    Described::template DescribeAll<view>(to, e.exp);
  }
};

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
MSHADOW_OWNS_TEMPORARIES_OF_(typename, tcast)

namespace adl {

/// saturate_cast<T>(exp): out[i] = the T nearest to exp[i] truncated. Numbers beyond the range
/// become the end of it, NaN becomes 0 of an integer type; see op::math::Saturate.
template <typename DstDType, typename SrcDType, typename EType, int etype>
inline UnaryMapExp<op::saturate<DstDType>, EType, DstDType, (etype | type::kMapper)> saturate_cast(
    const Exp<EType, SrcDType, etype>& exp) {
  return UnaryMapExp<op::saturate<DstDType>, EType, DstDType, (etype | type::kMapper)>(exp.self());
}
MSHADOW_OWNS_TEMPORARIES_OF_(typename, saturate_cast)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END

namespace mshadow_functions {
using mshadow::expr::adl::saturate_cast;
}  // namespace mshadow_functions
#endif  // MSHADOW_EXPR_TYPECAST_H_
