// SPDX-License-Identifier: Apache-2.0
// The arithmetic operators of expressions. A scalar of any arithmetic type may stand on either
// side; it takes the element type of the expression: t * 2, 1.0 - t.
#ifndef MSHADOW_EXPR_OPERATORS_H_
#define MSHADOW_EXPR_OPERATORS_H_

#include "../op/binary.h"
#include "../op/unary.h"
#include "map.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

#define MSHADOW_DEFINE_OPERATOR_(symbol, OP)                                                     \
  template <typename TA, typename TB, typename DA, typename DB, int ta, int tb>                  \
  inline auto operator symbol(const Exp<TA, DA, ta>& lhs, const Exp<TB, DB, tb>& rhs) {          \
    return F<OP>(lhs.self(), rhs.self());                                                        \
  }                                                                                              \
  template <typename TA, typename DType, int ta, typename S,                                     \
            typename = std::enable_if_t<IsScalar<S>::value>>                                     \
  inline auto operator symbol(const Exp<TA, DType, ta>& lhs, const S& rhs) {                     \
    return F<OP>(lhs.self(), rhs);                                                               \
  }                                                                                              \
  template <typename TB, typename DType, int tb, typename S,                                     \
            typename = std::enable_if_t<IsScalar<S>::value>>                                     \
  inline auto operator symbol(const S& lhs, const Exp<TB, DType, tb>& rhs) {                     \
    return F<OP>(lhs, rhs.self());                                                               \
  }

MSHADOW_DEFINE_OPERATOR_(+, op::plus)
MSHADOW_DEFINE_OPERATOR_(-, op::minus)
MSHADOW_DEFINE_OPERATOR_(*, op::mul)
MSHADOW_DEFINE_OPERATOR_(/, op::div)
#undef MSHADOW_DEFINE_OPERATOR_

/// -a
template <typename TA, typename DType, int ta>
inline auto operator-(const Exp<TA, DType, ta>& src) {
  return F<op::negate>(src);
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_OPERATORS_H_
