// SPDX-License-Identifier: Apache-2.0
// Traits that ask whether a type has a member.
#ifndef MSHADOW_CORE_HAS_MEMBER_H_
#define MSHADOW_CORE_HAS_MEMBER_H_

#include <type_traits>
#include <utility>

/// Defines Name<T>; Name<T>::value is true if `t.member` compiles for a `const T& t`:
///   MSHADOW_HAS_MEMBER_(HasRow, Row(0))
#define MSHADOW_HAS_MEMBER_(Name, ...)   \
  template <typename T, typename = void> \
  struct Name : std::false_type {};      \
  template <typename T>                  \
  struct Name<T, std::void_t<decltype(std::declval<const T&>().__VA_ARGS__)>> : std::true_type {};

/// Defines the constant Name<T>: T::member, or `fallback` where T has no such member.
#define MSHADOW_MEMBER_OR_(Name, member, fallback)  \
  template <typename T, typename = void>            \
  inline constexpr auto Name = fallback;            \
  template <typename T>                             \
  inline constexpr auto Name<T, std::void_t<decltype(T::member)>> = T::member;

/// Defines Name<T>::Type: the type T::Member, or `Fallback` where T has no such member.
#define MSHADOW_MEMBER_TYPE_OR_(Name, Member, Fallback) \
  template <typename T, typename = void>                \
  struct Name {                                         \
    using Type = Fallback;                              \
  };                                                    \
  template <typename T>                                 \
  struct Name<T, std::void_t<typename T::Member>> {     \
    using Type = typename T::Member;                    \
  };

#endif  // MSHADOW_CORE_HAS_MEMBER_H_
