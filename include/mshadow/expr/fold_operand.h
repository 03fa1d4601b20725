// SPDX-License-Identifier: Apache-2.0
// What a reduction reads: on the host a map or view as it is described, otherwise a plan.
#ifndef MSHADOW_EXPR_FOLD_OPERAND_H_
#define MSHADOW_EXPR_FOLD_OPERAND_H_

#include <type_traits>

#include "../op/one_pass.h"
#include "statement.h"
#include "typecast.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// A described expression, read by ReduceGroups of backend/cpu.
/// owns: it is a copy. Else it refers to nodes of the statement, whose addresses say which of them
/// are computed together with others.
template <typename E, bool owns = false>
struct FoldOperand {
  std::conditional_t<owns, const E, const E&> exp;
};

template <typename E, bool on_cpu = (ExpInfo<E>::kDevMask == cpu::kDevMask &&
                                     ExpInfo<E>::kDim > 0 && ExpInfo<E>::kDim <= kMaxAxes)>
constexpr bool IsFoldOperand() {
  if constexpr (!on_cpu) {
    return false;
  } else if constexpr (Described<E>::kOk) {
    return !Described<E>::kFills && Described<E>::kCount <= kMaxOperands;
  } else {
    return false;
  }
}

/// e as the source of a reduction by Kind. On the host its elements are of type Kind::In.
template <typename Device, typename Kind, bool owns = false, typename E>
inline auto ReadBy(const E& e) {
  using In = typename Kind::In;
  using DType = ElementOfExp<E>;
  if constexpr (!std::is_same_v<Device, cpu> || statistic::kIsInOrder<Kind>) {
    return MakePlan(e);
  } else if constexpr (!std::is_same_v<In, DType>) {
    return ReadBy<Device, Kind, true>(TypecastExp<In, DType, E, type::kMapper>(e));
  } else if constexpr (IsFoldOperand<E>()) {
    return FoldOperand<E, owns>{e};
  } else {
    return MakePlan(e);
  }
}

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_FOLD_OPERAND_H_
