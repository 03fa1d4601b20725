// SPDX-License-Identifier: Apache-2.0
// Conversions between element types that are defined for every value: a plain cast of a float that
// an integer type does not hold is undefined in C++, and differs between processors.
#ifndef MSHADOW_OP_MATH_CONVERT_H_
#define MSHADOW_OP_MATH_CONVERT_H_

#include <type_traits>

#include "../../core/float16_ops.h"
#include "real.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {
namespace math {

namespace detail {

/// 2^(n - 1) for a type of n bits.
template <typename Int, typename Float>
inline constexpr Float kHalfRange = static_cast<Float>(uint64_t{1} << (sizeof(Int) * 8 - 1));

/// `a` truncated to a signed Int; the lowest one where Int does not hold it, and for NaN.
template <typename Int, typename Float>
MSHADOW_XINLINE Int TruncateSigned(Float a) {
  // The lowest one may be replaced by itself: one comparison is enough.
  constexpr Float kBeyond = kHalfRange<Int, Float>;
  if constexpr (std::is_same_v<Float, float> && sizeof(Int) == 4) {
    const float magnitude = BitCast<float>(ToBits(a) & ~Ieee<float>::kSign);
    return static_cast<Int>(Select(Less(magnitude, kBeyond), a, -kBeyond));
  } else if constexpr (sizeof(Int) == 8) {
    const bool inside = int(a < kBeyond) & int(a > -kBeyond);
    return static_cast<Int>(inside ? a : -kBeyond);
  } else {
    return static_cast<Int>(Select(SmallMask(a, kBeyond), a, -kBeyond));
  }
}

/// `a` truncated to an unsigned Int of 32 or 64 bits.
template <typename Int, typename Float>
MSHADOW_XINLINE Int TruncateUnsigned(Float a) {
  constexpr Float kHalf = kHalfRange<Int, Float>;
  using Bits = typename Ieee<Float>::Bits;
  // The upper half of the range is moved onto the lower one, exactly.
  const Bits upper = NotLess(a, kHalf) & ~NaNMask(a);
  const Float lower = Select(upper, a - kHalf, a);
  const Bits moved = upper & SmallMask(lower, kHalf);
  const Int low = static_cast<Int>(TruncateSigned<std::make_signed_t<Int>>(lower));
  return low ^ static_cast<Int>(static_cast<Int>(moved & 1) << (sizeof(Int) * 8 - 1));
}

}  // namespace detail

/// `from` as a To, on every device. A float becomes an integer towards zero. Where the integer type
/// does not hold the result:
///   8 and 16 bits: the low bits of the same conversion to int32_t;
///   32 and 64 bits: the highest bit alone, which is the lowest int32_t or int64_t; but to an
///   unsigned type what is not below that lowest number wraps around: -1 becomes the highest.
/// NaN is a value that no type holds. Integers keep their low bits; bool is `from != 0`.
template <typename To, typename From>
MSHADOW_XINLINE To Convert(From from) {
  constexpr bool kFromFloat = std::is_floating_point_v<From> || float16::kIsFloat16<From>;
  if constexpr (std::is_same_v<To, bool> || !std::is_integral_v<To> || !kFromFloat) {
    return static_cast<To>(from);
  } else {
    using Float = std::conditional_t<(sizeof(From) > sizeof(float)), double, float>;
    const Float a = static_cast<Float>(from);
    if constexpr (sizeof(To) <= 2) {
      return static_cast<To>(detail::TruncateSigned<int32_t>(a));
    } else if constexpr (std::is_signed_v<To>) {
      return detail::TruncateSigned<To>(a);
    } else {
      return detail::TruncateUnsigned<To>(a);
    }
  }
}

}  // namespace math
}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_CONVERT_H_
