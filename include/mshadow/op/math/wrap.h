// SPDX-License-Identifier: Apache-2.0
// Sums and products whose integers wrap: modulo 2^bits, as on the processor. In C++ the overflow of a
// signed integer is undefined; unsigned arithmetic of the same bits is not, and costs the same.
#ifndef MSHADOW_OP_MATH_WRAP_H_
#define MSHADOW_OP_MATH_WRAP_H_

#include <cstdint>
#include <type_traits>

#include "../../core/config.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {
namespace math {

template <typename DType>
inline constexpr bool kWraps = std::is_integral_v<DType> && !std::is_same_v<DType, bool>;
/// At least 32 bits: narrower types would be promoted to int, where a product of uint16_t overflows.
template <typename DType>
using Wrapping = std::conditional_t<(sizeof(DType) > 4), uint64_t, uint32_t>;

/// a + b
template <typename DType>
MSHADOW_XINLINE DType Add(DType a, DType b) {
  if constexpr (kWraps<DType>) {
    return static_cast<DType>(static_cast<Wrapping<DType>>(a) + static_cast<Wrapping<DType>>(b));
  } else {
    return static_cast<DType>(a + b);
  }
}

/// a - b
template <typename DType>
MSHADOW_XINLINE DType Subtract(DType a, DType b) {
  if constexpr (kWraps<DType>) {
    return static_cast<DType>(static_cast<Wrapping<DType>>(a) - static_cast<Wrapping<DType>>(b));
  } else {
    return static_cast<DType>(a - b);
  }
}

/// a b
template <typename DType>
MSHADOW_XINLINE DType Multiply(DType a, DType b) {
  if constexpr (kWraps<DType>) {
    return static_cast<DType>(static_cast<Wrapping<DType>>(a) * static_cast<Wrapping<DType>>(b));
  } else {
    return static_cast<DType>(a * b);
  }
}

/// a^b of integers, which wraps; for b < 0 it is 1 / a^-b truncated: 1 and -1 keep their powers, all
/// else gives 0, a = 0 too, as 1 / 0 does.
template <typename DType>
MSHADOW_XINLINE DType IntegerPower(DType a, DType b) {
  using U = Wrapping<DType>;
  U power = 1, base = static_cast<U>(a);
  // A round for each bit of the exponent: most exponents are small, and end it soon.
  for (U rest = b < DType(0) ? U(0) : static_cast<U>(b); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) power *= base;
    base *= base;
  }
  if constexpr (std::is_signed_v<DType>) {
    const DType odd = static_cast<DType>(b & 1);
    const DType of_minus_one = odd != 0 ? DType(-1) : DType(1);
    const DType reciprocal = a == DType(1) ? DType(1) : a == DType(-1) ? of_minus_one : DType(0);
    return b < DType(0) ? reciprocal : static_cast<DType>(power);
  } else {
    return static_cast<DType>(power);
  }
}

}  // namespace math
}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_WRAP_H_
