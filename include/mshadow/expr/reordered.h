// SPDX-License-Identifier: Apache-2.0
// Operands that a node reads in another order than that of their rows, or more than once.
#ifndef MSHADOW_EXPR_REORDERED_H_
#define MSHADOW_EXPR_REORDERED_H_

#include <type_traits>

#include "materialised.h"
#include "operand.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// True if E computes blocks of rows: not a view, which only moves them, unless its source does.
template <typename E, typename = void>
inline constexpr bool kComputesBlocks = kFillsOf<PlanOf<E>>;
template <typename E>
inline constexpr bool
    kComputesBlocks<E, std::enable_if_t<kViewOf<E> != View::kNone && HasSource<E>::value>> =
        kComputesBlocks<std::decay_t<decltype(std::declval<const E&>().src_)>>;

template <bool first, typename E, typename DType>
using PlanFirstIf = std::conditional_t<(first && ExpInfo<E>::kDevMask == cpu::kDevMask),
                                       MaterialisedPlan<E, DType>, PlanOf<E>>;

}  // namespace detail

/// The plan of an operand whose elements a node reads in another order, or some of them again. On
/// the CPU the operand is computed into memory first if it computes blocks of rows: single elements
/// and narrow rows of it would take up to ten times as long as within a block.
template <typename E, typename DType>
using ReorderedPlan = detail::PlanFirstIf<detail::kComputesBlocks<E>, E, DType>;

/// The same for a node that reads most elements several times: also where each costs a function.
template <typename E, typename DType>
using RereadPlan =
    detail::PlanFirstIf<(detail::kComputesBlocks<E> || kCostOf<PlanOf<E>> >= 16), E, DType>;

/// The plan P of the operand e, one of these or PlanOf<E>.
template <typename P, typename E>
inline P MakePlanOf(const E& e) {
  if constexpr (std::is_same_v<P, PlanOf<E>>) {
    return MakePlan(e);
  } else {
    return P(e);
  }
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_REORDERED_H_
