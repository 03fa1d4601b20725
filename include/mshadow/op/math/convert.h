// SPDX-License-Identifier: Apache-2.0
// Conversions between element types that are defined for every value: a plain cast of a float that
// an integer type does not hold is undefined in C++, and differs between processors.
#ifndef MSHADOW_OP_MATH_CONVERT_H_
#define MSHADOW_OP_MATH_CONVERT_H_

#include <limits>
#include <type_traits>

#include "../../core/bfloat.h"
#include "../../core/half.h"
#include "real.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

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
  if constexpr (kIsComplex<To> && !kIsComplex<From>) {
    return Computed<To>(Convert<typename To::value_type>(from));
  } else if constexpr (kIsComplex<From> && std::is_same_v<To, bool>) {
    return Computed<From>(from) != Computed<From>(0);
  } else if constexpr (kIsComplex<From> && !kIsComplex<To>) {
    static_assert(kIsComplex<To>,
                  "mshadow: a complex number becomes a real one by real(z), imag(z) "
                  "or abs(z)");
    return To();
  } else if constexpr (kIsComplex<From> && !std::is_same_v<To, From>) {
    return Computed<To>(Computed<From>(from));
  } else if constexpr (std::is_same_v<To, bool> || !std::is_integral_v<To> ||
                       !float16::kIsFloat<From>) {
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

/// The largest finite number of a floating-point type narrower than double.
template <typename To, typename Wide>
MSHADOW_XINLINE Wide LargestFinite() {
  using Limits = std::numeric_limits<To>;
  // (2 - 2^(1 - digits)) 2^(max_exponent - 1)
  constexpr Wide kUnits = static_cast<Wide>((uint64_t{1} << Limits::digits) - 1);
  return kUnits * PowerOfTwo<Wide>(static_cast<typename Ieee<Wide>::Bits>(
                      static_cast<int>(Ieee<Wide>::kBias) + Limits::max_exponent - Limits::digits));
}

namespace detail {

template <typename To, typename Float>
MSHADOW_XINLINE To SaturateFloat(Float a) {
  if constexpr (sizeof(To) <= 2) {
    const Float number = Clamp(Select(NaNMask(a), Float(0), a), Float(IntegerRange<To>::kLowest),
                               Float(IntegerRange<To>::kHighest));
    return static_cast<To>(static_cast<int32_t>(number));
  } else if constexpr (std::is_signed_v<To>) {
    // What lies above came out as the lowest number, whose complement is the highest.
    using Bits = std::make_unsigned_t<To>;
    const Bits above = Bits{0} - static_cast<Bits>(a >= kHalfRange<To, Float>);
    const Bits number = Bits{0} - static_cast<Bits>(a == a);
    return static_cast<To>((static_cast<Bits>(TruncateSigned<To>(a)) ^ above) & number);
  } else {
    const Float positive = Select(Less(Float(0), a), a, Float(0));
    const To above = To{0} - static_cast<To>(a >= 2 * kHalfRange<To, Float>);
    return TruncateUnsigned<To>(positive) | above;
  }
}

template <typename To, typename From>
MSHADOW_XINLINE To SaturateInteger(From a) {
  using Range = IntegerRange<To>;
  if constexpr (std::is_signed_v<From> &&
                (std::is_unsigned_v<To> || sizeof(From) > sizeof(To))) {
    constexpr From kLowest = static_cast<From>(Range::kLowest);
    a = a < kLowest ? kLowest : a;
  }
  if constexpr (std::numeric_limits<From>::digits > std::numeric_limits<To>::digits) {
    constexpr From kHighest = static_cast<From>(Range::kHighest);
    a = a > kHighest ? kHighest : a;
  }
  return static_cast<To>(a);
}

}  // namespace detail

/// True if a floating-point To has a finite number near to every finite From.
template <typename To, typename From, typename T = std::numeric_limits<To>,
          typename F = std::numeric_limits<From>>
inline constexpr bool kHoldsAll =
    std::is_integral_v<From>
        ? F::digits < T::max_exponent
        : F::max_exponent < T::max_exponent ||
              (F::max_exponent == T::max_exponent && F::digits <= T::digits);

/// The number of type To nearest to `from` truncated: what lies beyond the range becomes the end of
/// it, NaN becomes 0 where To is an integer type. To a floating-point type: finite numbers become
/// finite ones, infinities and NaN stay. bool is 0 for 0 and NaN, else 1.
template <typename To, typename From>
MSHADOW_XINLINE To Saturate(From from) {
  constexpr bool kDouble = sizeof(From) > sizeof(float) ||
                           (std::is_integral_v<From> && sizeof(From) == sizeof(float));
  using Wide = std::conditional_t<kDouble, double, float>;
  if constexpr (kIsComplex<From> || kIsComplex<To>) {
    return Convert<To>(from);
  } else if constexpr (std::is_same_v<To, bool>) {
    const Wide a = static_cast<Wide>(from);
    return int(a < 0) | int(a > 0);
  } else if constexpr (std::is_integral_v<To> && float16::kIsFloat<From>) {
    return detail::SaturateFloat<To>(static_cast<Wide>(from));
  } else if constexpr (std::is_integral_v<To>) {
    return detail::SaturateInteger<To>(from);
  } else if constexpr (kHoldsAll<To, From>) {
    return static_cast<To>(from);
  } else {
    const Wide a = static_cast<Wide>(from);
    const Wide most = LargestFinite<To, Wide>();
    const Wide finite = Clamp(a, -most, most);
    const auto is_finite = SmallMask(a, Ieee<Wide>::kInfinity);
    return static_cast<To>(Select(is_finite, finite, a));
  }
}

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_CONVERT_H_
