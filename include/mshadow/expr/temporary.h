// SPDX-License-Identifier: Apache-2.0
// What factories do with a temporary container: the node owns its memory, so that
// `auto e = make() * 2;` may be kept. Other operands are passed on.
#ifndef MSHADOW_EXPR_TEMPORARY_H_
#define MSHADOW_EXPR_TEMPORARY_H_

#include <type_traits>

#include "../core/fwd.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

template <typename Device, int dim, typename DType>
std::true_type IsContainer(const TensorContainer<Device, dim, DType>*);
std::false_type IsContainer(const void*);
/// True if an argument T&& is a temporary container, or one of a class derived from it.
template <typename T>
inline constexpr bool kIsTemporary =
    decltype(detail::IsContainer(static_cast<T*>(nullptr)))::value;
template <typename T>
inline constexpr bool kIsTemporary<T&> = false;
template <typename T>
inline constexpr bool kIsTemporary<const T> = false;

template <typename... Args>
using EnableIfTemporary = std::enable_if_t<(... || kIsTemporary<Args>)>;

/// `arg`, or an operand that takes over the memory if it is a temporary container.
template <typename T>
inline decltype(auto) Owning(std::remove_reference_t<T>& arg) {
  if constexpr (kIsTemporary<T>) {
    return static_cast<T&&>(arg).Owned();
  } else {
    return static_cast<T&&>(arg);
  }
}

}  // namespace detail

/// An overload of the factory `name` for calls with a temporary container. Given: the template
/// arguments that a call writes, which are types, or values of type Kind.
#define MSHADOW_OWNS_TEMPORARIES_OF_(Kind, name)                               \
  template <Kind... Given, typename... Args,                                   \
            typename = ::mshadow::expr::detail::EnableIfTemporary<Args...>>    \
  inline auto name(Args&&... args) {                                           \
    return name<Given...>(::mshadow::expr::detail::Owning<Args>(args)...);     \
  }
#define MSHADOW_OWNS_TEMPORARIES_(name)                                        \
  template <typename... Args,                                                  \
            typename = ::mshadow::expr::detail::EnableIfTemporary<Args...>>    \
  inline auto name(Args&&... args) {                                           \
    return name(::mshadow::expr::detail::Owning<Args>(args)...);               \
  }

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_TEMPORARY_H_
