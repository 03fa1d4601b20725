// SPDX-License-Identifier: Apache-2.0
// What the engines ask of a reducer: may it go in any order, where does it begin, how does it end?
#ifndef MSHADOW_OP_REDUCER_TRAITS_H_
#define MSHADOW_OP_REDUCER_TRAITS_H_

#include <type_traits>
#include <utility>

#include "../core/config.h"
#include "math/wrap.h"

MSHADOW_NAMESPACE_BEGIN
namespace red {

/// Does Reducer say, by offering Combine, that values may be reduced in any order?
template <typename Reducer, typename T, typename = void>
struct HasCombine : std::false_type {};
template <typename Reducer, typename T>
struct HasCombine<Reducer, T,
                  std::void_t<decltype(Reducer::Combine(std::declval<T>(), std::declval<T>()))>>
    : std::true_type {};

struct sum;
struct maximum;
struct minimum;
/// True if Reducer has a last step; those of these three do nothing.
template <typename Reducer, typename T, typename = void>
struct HasFinalize : std::false_type {};
template <typename Reducer, typename T>
struct HasFinalize<Reducer, T,
                   std::void_t<decltype(Reducer::Finalize(std::declval<volatile T&>()))>>
    : std::bool_constant<!std::is_same_v<Reducer, sum> && !std::is_same_v<Reducer, maximum> &&
                         !std::is_same_v<Reducer, minimum>> {};

template <typename Reducer, typename T, typename = void>
struct HasMerge : std::false_type {};
template <typename Reducer, typename T>
struct HasMerge<Reducer, T,
                std::void_t<decltype(Reducer::Merge(std::declval<T&>(), std::declval<T&>()))>>
    : std::true_type {};

/// The value of a reduction over nothing.
template <typename Reducer, typename Acc>
MSHADOW_XINLINE Acc InitValue() {
  Acc value;
  Reducer::SetInitValue(value);
  return value;
}

/// The last step of the reduction of `value`.
template <typename Reducer, typename Result, typename Acc>
MSHADOW_XINLINE Result LastStep(Acc value) {
  if constexpr (HasFinalize<Reducer, Acc>::value) Reducer::Finalize(value);
  return static_cast<Result>(value);
}

/// scale * (that last step), in the element type.
template <typename Reducer, typename DType, typename Acc>
MSHADOW_XINLINE DType Finished(Acc value, DType scale) {
  value = LastStep<Reducer, Acc>(value);
  return static_cast<DType>(op::math::Mul(value, static_cast<Acc>(scale)));
}

/// True if a reduction changes from acc to next. NaN is final: it differs from itself, but does not
/// change.
template <typename Acc>
MSHADOW_XINLINE bool Changes(Acc acc, Acc next) {
  return int(next != acc) & int(acc == acc);
}

}  // namespace red
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_REDUCER_TRAITS_H_
