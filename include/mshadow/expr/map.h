// SPDX-License-Identifier: Apache-2.0
// Element-wise nodes: UnaryMapExp, BinaryMapExp, TernaryMapExp; MakeExp and F<OP>.
#ifndef MSHADOW_EXPR_MAP_H_
#define MSHADOW_EXPR_MAP_H_

#include "aligned.h"
#include "plan/map_plan.h"
#include "plan/plan.h"
#include "scalar_operand.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

/// The rank of an element-wise node: -1 where the ranks of its operands differ. Scalars, of rank 0,
/// fit all.
template <typename... Ranks>
constexpr int CommonRank(int rank, Ranks... others) {
  ((rank = rank < 0 || others < 0       ? -1
           : rank == 0 || rank == others ? others
           : others == 0                 ? rank
                                         : -1),
   ...);
  return rank;
}

/// The base of a node whose element i takes the elements i of the operands Es. Node has Apply(f),
/// which returns f(operand...), and GetShape and Overlaps of its own: by lambdas for Apply, a
/// statement would take 2 % longer to compile.
template <typename Node, typename DType, int etype, typename... Es>
struct ElementWiseExp : public Exp<Node, DType, etype> {
  static constexpr int kRank = CommonRank(ExpInfo<Es>::kDim...);
  static constexpr int kDevices = (ExpInfo<Es>::kDevMask & ...);
  using Operands = TypeList<Es...>;
  using Lost = LostAxesOf<kRank, Es...>;
  template <typename F>
  void ForEachOperand(const F& f) const {
    this->self().Apply([&f](const auto&... e) { (f(e), ...); });
  }
  bool IsSame(const Node& other) const {
    return this->self().Apply([&other](const auto&... a) {
      return other.Apply([&a...](const auto&... b) { return (... && detail::IsSame(a, b)); });
    });
  }
};

}  // namespace detail

/// out[i] = OP::Map(src[i])
template <typename OP, typename TA, typename DType, int etype>
struct UnaryMapExp
    : public detail::ElementWiseExp<UnaryMapExp<OP, TA, DType, etype>, DType, etype, TA> {
  using Function = OP;
  TA src_;
  MSHADOW_XINLINE explicit UnaryMapExp(const TA& src) : src_(src) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return ShapeCheck<dim, TA>::Check(src_);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(src_, written, same_index);
  }
  template <typename F>
  MSHADOW_FORCE_INLINE decltype(auto) Apply(const F& f) const {
    return f(src_);
  }
  template <typename F>
  auto WithOperands(const F& f) const {
    return UnaryMapExp<OP, decltype(f(src_)), DType, etype>(f(src_));
  }
};

/// out[i] = OP::Map(lhs[i], rhs[i]); a scalar fits every shape; throws Error where shapes differ.
template <typename OP, typename TA, typename TB, typename DType, int etype>
struct BinaryMapExp
    : public detail::ElementWiseExp<BinaryMapExp<OP, TA, TB, DType, etype>, DType, etype, TA, TB> {
  using Function = OP;
  TA lhs_;
  TB rhs_;
  MSHADOW_XINLINE explicit BinaryMapExp(const TA& lhs, const TB& rhs) : lhs_(lhs), rhs_(rhs) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return detail::CommonShape<dim>("BinaryMapExp", lhs_, rhs_);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(lhs_, written, same_index) || expr::Overlaps(rhs_, written, same_index);
  }
  template <typename F>
  MSHADOW_FORCE_INLINE decltype(auto) Apply(const F& f) const {
    return f(lhs_, rhs_);
  }
  template <typename F>
  auto WithOperands(const F& f) const {
    return BinaryMapExp<OP, decltype(f(lhs_)), decltype(f(rhs_)), DType, etype>(f(lhs_), f(rhs_));
  }
};

/// out[i] = OP::Map(item1[i], item2[i], item3[i]); scalars fit every shape; throws Error where
/// shapes differ.
template <typename OP, typename TA, typename TB, typename TC, typename DType, int etype>
struct TernaryMapExp : public detail::ElementWiseExp<TernaryMapExp<OP, TA, TB, TC, DType, etype>,
                                                     DType, etype, TA, TB, TC> {
  using Function = OP;
  TA item1_;
  TB item2_;
  TC item3_;
  MSHADOW_XINLINE explicit TernaryMapExp(const TA& item1, const TB& item2, const TC& item3)
      : item1_(item1), item2_(item2), item3_(item3) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return detail::CommonShape<dim>("TernaryMapExp", item1_, item2_, item3_);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(item1_, written, same_index) ||
           expr::Overlaps(item2_, written, same_index) ||
           expr::Overlaps(item3_, written, same_index);
  }
  template <typename F>
  MSHADOW_FORCE_INLINE decltype(auto) Apply(const F& f) const {
    return f(item1_, item2_, item3_);
  }
  template <typename F>
  auto WithOperands(const F& f) const {
    using Node = TernaryMapExp<OP, decltype(f(item1_)), decltype(f(item2_)), decltype(f(item3_)),
                               DType, etype>;
    return Node(f(item1_), f(item2_), f(item3_));
  }
};

// ---- Plans -----------------------------------------------------------------------------------

template <typename OP, typename TA, typename DType, int etype>
class Plan<UnaryMapExp<OP, TA, DType, etype>, DType>
    : public detail::MapPlan<OP, DType, PlanOf<TA>> {
 public:
  explicit Plan(const UnaryMapExp<OP, TA, DType, etype>& e) : Plan::MapPlanOf(e.src_) {}
};

template <typename OP, typename TA, typename TB, typename DType, int etype>
class Plan<BinaryMapExp<OP, TA, TB, DType, etype>, DType>
    : public detail::MapPlan<OP, DType, PlanOf<TA>, PlanOf<TB>> {
 public:
  explicit Plan(const BinaryMapExp<OP, TA, TB, DType, etype>& e)
      : Plan::MapPlanOf(e.lhs_, e.rhs_) {}
};

template <typename OP, typename TA, typename TB, typename TC, typename DType, int etype>
class Plan<TernaryMapExp<OP, TA, TB, TC, DType, etype>, DType>
    : public detail::MapPlan<OP, DType, PlanOf<TA>, PlanOf<TB>, PlanOf<TC>> {
 public:
  explicit Plan(const TernaryMapExp<OP, TA, TB, TC, DType, etype>& e)
      : Plan::MapPlanOf(e.item1_, e.item2_, e.item3_) {}
};

// ---- Factories -------------------------------------------------------------------------------

/// MakeExp<OP>(a), (a, b), (a, b, c): OP::Map of every element; F<OP> is the same. Operands of
/// fewer axes than others are repeated, see aligned.h; throws Error where they do not fit.
template <typename OP, typename TA, typename DType, int ta>
inline UnaryMapExp<OP, TA, DType, (ta | type::kMapper)> MakeExp(const Exp<TA, DType, ta>& src) {
  return UnaryMapExp<OP, TA, DType, (ta | type::kMapper)>(src.self());
}
template <typename OP, typename TA, typename TB, typename DType, int ta, int tb>
inline auto MakeExp(const Exp<TA, DType, ta>& lhs, const Exp<TB, DType, tb>& rhs) {
  if constexpr (detail::kAligns<TA, TB>) {
    return detail::WithAligned([](const auto&... aligned) { return MakeExp<OP>(aligned...); },
                               lhs.self(), rhs.self());
  } else {
    using Node = BinaryMapExp<OP, TA, TB, DType, (ta | tb | type::kMapper)>;
    (void)sizeof(typename Node::Lost);
    return Node(lhs.self(), rhs.self());
  }
}
template <typename OP, typename TA, typename TB, typename TC, typename DType, int ta, int tb,
          int tc>
inline auto MakeExp(const Exp<TA, DType, ta>& item1, const Exp<TB, DType, tb>& item2,
                    const Exp<TC, DType, tc>& item3) {
  if constexpr (detail::kAligns<TA, TB, TC>) {
    return detail::WithAligned([](const auto&... aligned) { return MakeExp<OP>(aligned...); },
                               item1.self(), item2.self(), item3.self());
  } else {
    using Node = TernaryMapExp<OP, TA, TB, TC, DType, (ta | tb | tc | type::kMapper)>;
    (void)sizeof(typename Node::Lost);
    return Node(item1.self(), item2.self(), item3.self());
  }
}

namespace detail {

/// Is OP a comparison of integers with a scalar that may be another number?
template <typename OP, typename DType, typename Element, typename Scalar>
constexpr bool ComparesScalar() {
  using S = decltype(detail::Value(std::declval<const Scalar&>()));
  if constexpr (std::is_void_v<Exchanged<OP>> || std::is_void_v<Element>) {
    return false;
  } else if constexpr (std::is_void_v<ElementOf<Scalar>>) {
    return MayNotHold<DType, S>();
  } else {
    return false;
  }
}

/// out[i] = a[i] OP s, for a comparison OP and any number s.
template <typename OP, typename DType, typename A, typename T>
inline auto CompareScalar(const A& a, const T& operand) {
  const auto s = PlainNumber(detail::Value(operand));
  if constexpr (std::is_same_v<DType, bool>) {
    // A bool is one of two numbers.
    const auto compare = [&](int number) {
      const Comparison<int> c = ComparisonWith<OP, int>(s);
      return CompareWith<OP>::Map(number, c.bound, c.code) != 0;
    };
    return MakeExp<op::where>(a, ScalarExp<bool>(compare(1)), ScalarExp<bool>(compare(0)));
  } else {
    const Comparison<DType> c = ComparisonWith<OP, DType>(s);
    return MakeExp<CompareWith<OP>>(a, ScalarExp<DType>(c.bound), ScalarExp<DType>(c.code));
  }
}

}  // namespace detail

/// F<OP>(a[, b[, c]]): out[i] = OP::Map(a[i], ...). OP is any struct with a static Map; a scalar of
/// any arithmetic type may stand for an operand, and takes the element type of the others. Throws
/// Error where that is an integer type which does not hold the scalar, and the result needs it:
/// comparisons (eq, ne, lt, le, gt, ge) and limits (min, max, clip) take numbers beyond the range,
/// comparisons fractions and NaN too, and give what is right for these numbers.
template <typename OP, typename TA, typename DType, int ta>
inline UnaryMapExp<OP, TA, DType, (ta | type::kMapper)> F(const Exp<TA, DType, ta>& src) {
  return MakeExp<OP>(src);
}
template <typename OP, typename A, typename B>
inline auto F(const A& a, const B& b) {
  using DType = detail::CommonElement<A, B>;
  using detail::kRole;
  if constexpr (detail::ComparesScalar<OP, DType, detail::ElementOf<A>, B>()) {
    return detail::CompareScalar<OP, DType>(a, b);
  } else if constexpr (detail::ComparesScalar<OP, DType, detail::ElementOf<B>, A>()) {
    return detail::CompareScalar<detail::Exchanged<OP>, DType>(b, a);
  } else {
    return MakeExp<OP>(detail::AsExp<DType, kRole<OP, 0>>(a),
                       detail::AsExp<DType, kRole<OP, 1>>(b));
  }
}
template <typename OP, typename A, typename B, typename C>
inline auto F(const A& a, const B& b, const C& c) {
  using DType = detail::CommonElement<A, B, C>;
  using detail::kRole;
  return MakeExp<OP>(detail::AsExp<DType, kRole<OP, 0>>(a), detail::AsExp<DType, kRole<OP, 1>>(b),
                     detail::AsExp<DType, kRole<OP, 2>>(c));
}
MSHADOW_OWNS_TEMPORARIES_OF_(typename, F)
MSHADOW_OWNS_TEMPORARIES_OF_(typename, MakeExp)

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_MAP_H_
