// SPDX-License-Identifier: Apache-2.0
// kRoundsOnce: the ops that compute 16-bit floats in float.
#ifndef MSHADOW_OP_ROUNDS_ONCE_H_
#define MSHADOW_OP_ROUNDS_ONCE_H_

#include <type_traits>

#include "../core/config.h"

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

}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_ROUNDS_ONCE_H_
