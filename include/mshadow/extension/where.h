// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_WHERE_H_
#define MSHADOW_EXTENSION_WHERE_H_

#include "../expr/map.h"
#include "../expr/typecast.h"
#include "../op/binary.h"
#include "../op/ternary.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace adl {

/// out[i] = condition[i] != 0 ? a[i] : b[i], as NumPy's where. The condition has any element type
/// (NaN is not 0); a and b are expressions of one element type, or scalars. The result has the
/// element type of the expressions. Of two scalars it has that of a floating-point condition, else
/// that of the first: where(x > 0, 1, 0) is a float where x is.
template <typename CondExp, typename CDType, int etype, typename A, typename B>
inline auto where(const Exp<CondExp, CDType, etype>& condition, const A& a, const B& b) {
  constexpr bool kTwoScalars =
      std::is_void_v<detail::ElementOf<A>> && std::is_void_v<detail::ElementOf<B>>;
  using DType = std::conditional_t<kTwoScalars && !std::is_integral_v<CDType>, CDType,
                                   detail::CommonElement<A, B>>;
  if constexpr (std::is_same_v<DType, CDType>) {
    return F<op::where>(condition.self(), a, b);
  } else {
    // Not the condition itself in another type: 0.5 would become the integer 0.
    return F<op::where>(tcast<DType>(F<op::ne>(condition.self(), CDType(0))), a, b);
  }
}
MSHADOW_OWNS_TEMPORARIES_(where)

}  // namespace adl

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_WHERE_H_
