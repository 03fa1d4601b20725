// SPDX-License-Identifier: Apache-2.0
// kRoundsOnce: the ops that compute 16-bit floats in float. kIsTruth: those that give 0 or 1.
#ifndef MSHADOW_OP_ROUNDS_ONCE_H_
#define MSHADOW_OP_ROUNDS_ONCE_H_

#include <type_traits>

#include "../core/config.h"
#include "math/real.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {

namespace detail {
template <typename OP, typename = void>
struct RoundsOnce : std::false_type {};
template <typename OP>
struct RoundsOnce<OP, std::void_t<typename OP::RoundsOnce>>
    : std::is_same<OP, typename OP::RoundsOnce> {};
}  // namespace detail

/// True if OP::Map of 16-bit floats is OP::Map of the same numbers as floats, rounded. Such an op
/// says `using RoundsOnce = OP;`, which an op derived from it does not say of itself.
template <typename OP>
inline constexpr bool kRoundsOnce = detail::RoundsOnce<OP>::value;

/// True if every OP::Map is 0 or 1. Not a member: an op derived from one of these has a Map of its
/// own.
template <typename OP>
inline constexpr bool kIsTruth = false;

/// Base of an op that rounds once, with its cost relative to an addition.
template <typename OP, int cost>
struct RoundedOp {
  using RoundsOnce = OP;
  static constexpr int kCost = cost;
};

/// The op `name`: math::Function of a as a real number.
#define MSHADOW_REAL_OP_(name, Function)                             \
  struct name {                                                      \
    using RoundsOnce = name;                                         \
    template <typename DType>                                        \
    MSHADOW_XINLINE static DType Map(DType a) {                      \
      return math::FromReal<DType>(math::Function(math::ToReal(a))); \
    }                                                                \
  };

}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_ROUNDS_ONCE_H_
