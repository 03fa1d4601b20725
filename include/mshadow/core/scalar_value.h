// SPDX-License-Identifier: Apache-2.0
// Scalars that take the element type of an expression: which of them an integer type holds.
#ifndef MSHADOW_CORE_SCALAR_VALUE_H_
#define MSHADOW_CORE_SCALAR_VALUE_H_

#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>

#include "complex_number.h"
#include "dtype.h"
#include "logging.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// True if a scalar of type S may be a number that no element of type DType equals. Floating-point
/// elements take every scalar, rounded.
template <typename DType, typename S>
constexpr bool MayNotHold() {
  if constexpr (!std::is_integral_v<DType> || kIsComplex<S>) {
    return false;  // ExactScalar has a sentence for complex ones
  } else if constexpr (!std::is_integral_v<S>) {
    return true;
  } else {
    return (std::is_signed_v<S> && std::is_unsigned_v<DType>) ||
           std::numeric_limits<S>::digits > std::numeric_limits<DType>::digits;
  }
}

/// Where a scalar lies: below the range of an integer type, within it, above it; or NaN.
enum class Side { kBelow, kWithin, kAbove, kNaN };

/// The side of `s`; s is an integer, float, double or long double.
template <typename DType, typename S>
inline Side SideOf(S s) {
  using Limits = std::numeric_limits<DType>;
  if constexpr (std::is_integral_v<S>) {
    if constexpr (std::is_signed_v<S>) {
      if (s < 0) {
        return std::is_signed_v<DType> &&
                       static_cast<int64_t>(s) >= static_cast<int64_t>(Limits::lowest())
                   ? Side::kWithin
                   : Side::kBelow;
      }
    }
    return static_cast<uint64_t>(s) <= static_cast<uint64_t>((Limits::max)()) ? Side::kWithin
                                                                              : Side::kAbove;
  } else {
    // The first number above the range, 2^digits, which every floating-point type holds.
    constexpr S kEnd = static_cast<S>(uint64_t{1} << (Limits::digits - 1)) * 2;
    if (s != s) return Side::kNaN;
    if (s >= kEnd) return Side::kAbove;
    return s < static_cast<S>(Limits::lowest()) ? Side::kBelow : Side::kWithin;
  }
}

/// `s` as a type that SideOf takes.
template <typename S>
MSHADOW_XINLINE auto PlainNumber(S s) {
  if constexpr (std::is_arithmetic_v<S>) {
    return s;
  } else {
    return static_cast<float>(s);
  }
}

[[noreturn]] MSHADOW_COLD inline void ThrowScalar(const std::string& scalar, bool is_signed,
                                                  int bits) {
  const std::string type =
      bits == 1 ? "bool" : (is_signed ? "int" : "uint") + std::to_string(bits) + "_t";
  throw Error("mshadow: no element of type " + type + " equals the scalar " + scalar +
              "; convert the expression with tcast<T>(expression), or the scalar with a cast");
}
/// Throws Error: no DType equals `s`.
template <typename DType, typename S>
[[noreturn]] MSHADOW_COLD inline void ThrowScalar(S s) {
  constexpr int kBits = std::is_same_v<DType, bool> ? 1 : 8 * sizeof(DType);
  if constexpr (std::is_integral_v<S>) {
    ThrowScalar(std::to_string(s), std::is_signed_v<DType>, kBits);
  } else {
    char text[40];
    std::snprintf(text, sizeof(text), "%.*Lg", std::numeric_limits<S>::digits10,
                  static_cast<long double>(s));
    ThrowScalar(text, std::is_signed_v<DType>, kBits);
  }
}

/// `s` as an element. Throws Error with the number and the type where DType is an integer type, or
/// bool, that does not hold it exactly. Device code does not check.
template <typename DType, typename S>
MSHADOW_XINLINE DType ExactScalar(const S& s) {
#ifndef __CUDA_ARCH__
  if constexpr (MayNotHold<DType, S>()) {
    const auto number = PlainNumber(s);
    if (!MSHADOW_LIKELY(SideOf<DType>(number) == Side::kWithin &&
                        static_cast<decltype(number)>(static_cast<DType>(number)) == number)) {
      ThrowScalar<DType>(number);
    }
  }
#endif
  if constexpr (kIsComplex<S>) {
    static_assert(kIsComplex<DType>,
                  "mshadow: a complex scalar with real elements that are neither float nor double: "
                  "convert the expression with tcast<std::complex<float>>(expression)");
  }
  if constexpr (kIsComplex<S> && !kIsComplex<DType>) {
    return DType();
  } else if constexpr (kIsComplex<DType> && !kIsComplex<S>) {
    return Computed<DType>(static_cast<typename DType::value_type>(s));
  } else {
    return static_cast<DType>(s);
  }
}

}  // namespace detail

/// Enables an overload for scalars of a type S that the integer type DType might not hold, and for
/// complex ones of another type than the complex DType.
template <typename DType, typename S>
using EnableIfOtherScalar =
    std::enable_if_t<(float16::kIsScalar<S> && detail::MayNotHold<DType, S>()) ||
                     (kIsComplex<S> && kIsComplex<DType> && !std::is_same_v<S, DType>)>;

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_SCALAR_VALUE_H_
