// SPDX-License-Identifier: Apache-2.0
// The operators of expressions, element by element. A scalar of any arithmetic type may stand on
// either side; it takes the element type of the expression: t * 2, 1.0 - t, t < 0.
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

// AdlTag in place of Exp, here and in functions.h: an operator or a function of the user's that
// takes a tensor, an Exp or any type is the better match, and is called.
namespace adl {

// For temporary containers; other operands are passed on.
#define MSHADOW_OWNS_OPERANDS_(symbol)                                                      \
  template <typename A, typename B, typename = detail::EnableIfTemporary<A, B>>             \
  inline auto operator symbol(A&& a, B&& b) {                                               \
    return detail::Owning<A>(a) symbol detail::Owning<B>(b);                                \
  }
MSHADOW_OWNS_OPERANDS_(+)
MSHADOW_OWNS_OPERANDS_(-)
MSHADOW_OWNS_OPERANDS_(*)
MSHADOW_OWNS_OPERANDS_(/)
#undef MSHADOW_OWNS_OPERANDS_
/// -a
template <typename Device, int dim, typename DType>
inline auto operator-(TensorContainer<Device, dim, DType>&& a) {
  return F<op::negate>(detail::Owning<TensorContainer<Device, dim, DType>>(a));
}

#define MSHADOW_DEFINE_BINARY_(name, OP)                                                     \
  template <typename A, typename B>                                                          \
  inline auto name(const AdlTag<A>& a, const AdlTag<B>& b) {                                 \
    return F<OP>(static_cast<const A&>(a), static_cast<const B&>(b));                        \
  }                                                                                          \
  template <typename A, typename S, typename = std::enable_if_t<IsScalar<S>::value>>         \
  inline auto name(const AdlTag<A>& a, const S& b) {                                         \
    return F<OP>(static_cast<const A&>(a), b);                                               \
  }                                                                                          \
  template <typename B, typename S, typename = std::enable_if_t<IsScalar<S>::value>>         \
  inline auto name(const S& a, const AdlTag<B>& b) {                                         \
    return F<OP>(a, static_cast<const B&>(b));                                               \
  }                                                                                          \
  template <typename A, typename B, typename = detail::EnableIfTemporary<A, B>>              \
  inline auto name(A&& a, B&& b) {                                                           \
    return F<OP>(detail::Owning<A>(a), detail::Owning<B>(b));                                \
  }
#define MSHADOW_DEFINE_UNARY_(name, OP)                                                      \
  template <typename A>                                                                      \
  inline auto name(const AdlTag<A>& a) {                                                     \
    return F<OP>(static_cast<const A&>(a));                                                  \
  }                                                                                          \
  template <typename Device, int dim, typename DType>                                        \
  inline auto name(TensorContainer<Device, dim, DType>&& a) {                                \
    return F<OP>(detail::Owning<TensorContainer<Device, dim, DType>>(a));                    \
  }

// 1 where it holds, else 0, of the operands' element type.
MSHADOW_DEFINE_BINARY_(operator==, op::eq)
MSHADOW_DEFINE_BINARY_(operator!=, op::ne)
MSHADOW_DEFINE_BINARY_(operator<, op::lt)
MSHADOW_DEFINE_BINARY_(operator<=, op::le)
MSHADOW_DEFINE_BINARY_(operator>, op::gt)
MSHADOW_DEFINE_BINARY_(operator>=, op::ge)
MSHADOW_DEFINE_BINARY_(operator&&, op::logical_and)
MSHADOW_DEFINE_BINARY_(operator||, op::logical_or)
MSHADOW_DEFINE_UNARY_(operator!, op::logical_not)

/// a - b floor(a / b), of the sign of b.
MSHADOW_DEFINE_BINARY_(operator%, op::mod)

}  // namespace adl

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_OPERATORS_H_
