// SPDX-License-Identifier: Apache-2.0
// Sums, differences and products of integers that wrap around: signed overflow is undefined in C++.
#ifndef MSHADOW_OP_MATH_WRAP_H_
#define MSHADOW_OP_MATH_WRAP_H_

#include <cstdint>
#include <type_traits>

#include "../../core/complex_number.h"
#include "../../core/config.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

/// Integers that may overflow, also 16 bits without a sign: their product is computed as an int.
template <typename DType>
inline constexpr bool kWraps = std::is_integral_v<DType> && !std::is_same_v<DType, bool>;
/// The unsigned type in which DType wraps.
template <typename DType>
using Wrapping = std::conditional_t<(sizeof(DType) > 4), uint64_t, uint32_t>;

#define MSHADOW_WRAPPING_(name, symbol)                                                    \
  template <typename DType>                                                                \
  MSHADOW_XINLINE DType name(DType a, DType b) {                                           \
    if constexpr (kWraps<DType>) {                                                         \
      using Unsigned = Wrapping<DType>;                                                    \
      return static_cast<DType>(static_cast<Unsigned>(a) symbol static_cast<Unsigned>(b)); \
    } else {                                                                               \
      return static_cast<DType>(Computed<DType>(a) symbol Computed<DType>(b));             \
    }                                                                                      \
  }
/// a + b, a - b, a b: modulo 2^n of integers of n bits, of other types what the operator gives.
MSHADOW_WRAPPING_(Add, +)
MSHADOW_WRAPPING_(Sub, -)
MSHADOW_WRAPPING_(Mul, *)
#undef MSHADOW_WRAPPING_

/// a b + c, for floats in one expression, which compilers may round once.
template <typename DType>
MSHADOW_XINLINE DType MulAdd(DType a, DType b, DType c) {
  if constexpr (kWraps<DType>) {
    return Add(Mul(a, b), c);
  } else {
    return static_cast<DType>(Computed<DType>(c) + Computed<DType>(a) * Computed<DType>(b));
  }
}

/// -a of an integer; the lowest number stays what it is.
template <typename DType>
MSHADOW_XINLINE DType Negative(DType a) {
  return Sub(DType(0), a);
}

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_WRAP_H_
