// SPDX-License-Identifier: Apache-2.0
// Facts about plans: PlanFacts of the type, PlanLayout of the values, and where rows lie in memory.
// The facts of a node are computed here from those of its operands.
#ifndef MSHADOW_EXPR_PLAN_FACTS_H_
#define MSHADOW_EXPR_PLAN_FACTS_H_

#include <type_traits>

#include "row.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

MSHADOW_HAS_MEMBER_(HasFacts, kFacts)
MSHADOW_HAS_MEMBER_(HasLayout, Layout(std::ptrdiff_t()))
MSHADOW_HAS_MEMBER_(HasSourcePlan, source())
MSHADOW_HAS_MEMBER_(HasRowStride, RowStride())
MSHADOW_HAS_MEMBER_(HasRunningSum, AsRunningSum())
MSHADOW_MEMBER_OR_(kOwnCost, kCost, 16)

}  // namespace detail

/// Which elements of its operands element (y, x) of a plan takes.
enum class Access {
  kSame,  ///< element (y, x) of each: maps, casts
  kRows,  ///< neighbours take neighbours: slices, mirrors, windows, rows of a table
  kAny,   ///< any number of any: reductions, sums along an axis
};

/// What is known of a plan from its type. Of one that does not say, what these defaults and its
/// kCost say.
struct PlanFacts {
  int cost = 16;           ///< work of an element; 1 is about a twentieth of a nanosecond
  int operands = 1000;     ///< tensors that are read from one end to the other; 1000: any order
  Access access = Access::kAny;
  bool one_row = false;    ///< y is 0
  bool transposes = false; ///< neighbours in x may lie far apart in memory
};

/// The work of one element, of an op or a plan; of one that does not say, that of a function.
template <typename P>
constexpr int CostOf() {
  if constexpr (detail::HasFacts<P>::value) {
    return P::kFacts.cost;
  } else {
    return detail::kOwnCost<P>;
  }
}
template <typename P>
inline constexpr int kCostOf = CostOf<P>();

/// The facts of a plan.
template <typename P>
constexpr PlanFacts FactsOf() {
  if constexpr (detail::HasFacts<P>::value) {
    return P::kFacts;
  } else {
    PlanFacts facts;
    facts.cost = kCostOf<P>;
    return facts;
  }
}
template <typename P>
inline constexpr PlanFacts kFactsOf = FactsOf<P>();

/// The facts of a plan that reads the plans Srcs so, with an element of `cost`.
template <Access access, typename... Srcs>
constexpr PlanFacts FactsOver(int cost) {
  PlanFacts facts;
  facts.cost = cost;
  facts.access = access;
  if constexpr (access != Access::kAny) {
    facts.transposes = (... || kFactsOf<Srcs>.transposes);
  }
  if constexpr (access == Access::kSame) {
    facts.operands = (0 + ... + kFactsOf<Srcs>.operands);
    facts.one_row = (... && kFactsOf<Srcs>.one_row);
  }
  return facts;
}

/// The facts of a plan whose rows are columns of its source.
constexpr PlanFacts TransposedFacts(int cost) {
  PlanFacts facts;
  facts.cost = cost;
  facts.access = Access::kRows;
  facts.transposes = true;
  return facts;
}

/// The greatest common divisor; of 0 and b it is b.
MSHADOW_XINLINE std::ptrdiff_t Gcd(std::ptrdiff_t a, std::ptrdiff_t b) {
  while (a > 1) {
    const std::ptrdiff_t rest = b % a;
    b = a;
    a = rest;
  }
  return a == 1 ? 1 : b;
}

/// What is known of a plan from its values.
struct PlanLayout {
  /// n such that n rows, from a multiple of n on, can be joined: element (y, x + cols) is element
  /// (y + 1, x) within them. 0: any number of rows.
  std::ptrdiff_t join = 1;
  /// n such that (y, x) and (y + n, x) are neighbours in memory; 0: (y, x) and (y, x + 1) are.
  std::ptrdiff_t tile_step = 0;
  /// Elements of its operands that an element takes: of a window, of an axis that is reduced.
  std::ptrdiff_t reads = 1;

  MSHADOW_XINLINE PlanLayout Joined(std::ptrdiff_t n) const {
    PlanLayout layout = *this;
    layout.join = n;
    return layout;
  }
  /// The layout of a plan that reads both. If both transpose, tiles follow this one.
  MSHADOW_XINLINE PlanLayout With(const PlanLayout& other) const {
    PlanLayout layout = tile_step != 0 ? *this : other;
    layout.join = Gcd(join, other.join);
    layout.reads = reads < other.reads ? other.reads : reads;
    return layout;
  }
  MSHADOW_XINLINE PlanLayout Reading(std::ptrdiff_t n) const {
    constexpr std::ptrdiff_t kMax = 1 << 20;  // products of these do not overflow
    PlanLayout layout = *this;
    layout.reads = n < 1 ? 1 : n < kMax ? n * reads : kMax;
    if (layout.reads > kMax) layout.reads = kMax;
    return layout;
  }
};

/// The layout of a plan that is evaluated in rows of `cols`: what its source, if it has one, does
/// not know better.
template <typename P>
MSHADOW_XINLINE PlanLayout LayoutOf(const P& plan, std::ptrdiff_t cols) {
  if constexpr (detail::HasLayout<P>::value) {
    return plan.Layout(cols);
  } else if constexpr (detail::HasSourcePlan<P>::value) {
    PlanLayout layout = LayoutOf(plan.source(), cols);
    if (kFactsOf<P>.access != Access::kSame) layout.join = 1;
    if (!kFactsOf<P>.transposes) layout.tile_step = 0;
    return layout;
  } else {
    return PlanLayout{1, kFactsOf<P>.transposes ? 1 : 0, 1};
  }
}
/// The layout of a plan over element (y, x) of several.
template <typename... Plans>
MSHADOW_XINLINE PlanLayout LayoutOf(std::ptrdiff_t cols, const Plans&... plans) {
  PlanLayout layout{0, 0, 1};
  ((layout = layout.With(LayoutOf(plans, cols))), ...);
  return layout;
}
template <typename P>
MSHADOW_XINLINE std::ptrdiff_t FlatRows(const P& plan, std::ptrdiff_t cols) {
  return LayoutOf(plan, cols).join;
}
/// Can all rows of `cols` elements be joined into one?
template <typename P>
MSHADOW_XINLINE bool IsFlat(const P& plan, std::ptrdiff_t cols) {
  return FlatRows(plan, cols) == 0;
}
template <typename... Plans>
MSHADOW_XINLINE std::ptrdiff_t ReadsOf(const Plans&... plans) {
  return LayoutOf(std::ptrdiff_t{1}, plans...).reads;
}
template <typename... Plans>
MSHADOW_XINLINE std::ptrdiff_t TileStep(const Plans&... plans) {
  return LayoutOf(std::ptrdiff_t{1}, plans...).tile_step;
}

/// The facts of a plan of few elements of `Src`, again and again.
template <typename Src>
constexpr PlanFacts BroadcastFacts(int cost) {
  PlanFacts facts = FactsOver<Access::kRows, Src>(cost);
  facts.operands = 0;
  return facts;
}
/// True if all elements of the plan P are one number.
template <typename P>
inline constexpr bool kIsScalar = kFactsOf<P>.one_row && kFactsOf<P>.operands == 0;

/// Any number of rows.
constexpr std::ptrdiff_t kAllRows = std::ptrdiff_t{1} << (8 * sizeof(std::ptrdiff_t) - 2);

/// Might rows of a plan be joined?
template <typename P>
constexpr bool MayJoin() {
  if constexpr (!detail::HasLayout<P>::value && detail::HasSourcePlan<P>::value) {
    using Src = std::decay_t<decltype(std::declval<const P&>().source())>;
    return kFactsOf<P>.access == Access::kSame && MayJoin<Src>();
  } else {
    return detail::HasLayout<P>::value;
  }
}
template <typename P>
inline constexpr bool kMayJoin = MayJoin<P>();

/// Joins rows of a grid where memory allows; returns how many make one. join: that of the layout of
/// all plans that share the grid.
MSHADOW_XINLINE std::ptrdiff_t JoinRows(std::ptrdiff_t* rows, std::ptrdiff_t* cols,
                                        std::ptrdiff_t join) {
  if (*rows <= 1) return 1;
  join = Gcd(join, *rows);
  *cols *= join;
  *rows = join == *rows ? 1 : *rows / join;
  return join;
}

/// Sums along an axis of `count` indices, `step` rows apart: index i holds the sum of the elements
/// of `src` at the indices 0, ..., i. step 0: the axis is that of x.
template <typename P>
struct RunningSum {
  P src;
  std::ptrdiff_t step, count;
};

template <typename P>
inline constexpr bool kTransposedOf = kFactsOf<P>.transposes;

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_FACTS_H_
