// SPDX-License-Identifier: Apache-2.0
// kMapsPairs: the ops that take two 16-bit floats at a time.
#ifndef MSHADOW_OP_PAIRS_H_
#define MSHADOW_OP_PAIRS_H_

#include "../core/config.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {

/// Is OP::Map of pairs (half2_t, bf16x2_t) the pair of what it is of their lanes? Said by ops of
/// nothing but + - *. Not a member, which an op derived from one of these, with a Map of its own,
/// would inherit.
template <typename OP>
inline constexpr bool kMapsPairs = false;

}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_PAIRS_H_
