// SPDX-License-Identifier: Apache-2.0
// What the branch-free forms share: the layout of float and double, polynomials, and the way of a
// DType into floating point and back.
#ifndef MSHADOW_OP_MATH_REAL_H_
#define MSHADOW_OP_MATH_REAL_H_

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "../../core/bit_cast.h"
#include "../../core/complex_number.h"
#include "../../core/config.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

// With -ffast-math, as in -Ofast, Clang warns of each infinity that is written down.
#if defined(__clang__) && !MSHADOW_PLAIN_CXX && defined(__has_warning)
#if __has_warning("-Wnan-infinity-disabled")
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnan-infinity-disabled"
#define MSHADOW_POP_INFINITY_WARNING_
#endif
#endif
/// IEEE 754 layout of float or double: value = 1.mantissa * 2^(exponent - kBias).
template <typename T>
struct Ieee {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "float and double only");
  using Limits = std::numeric_limits<T>;
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  static constexpr int kMantissa = Limits::digits - 1;
  static constexpr Bits kBias = Limits::max_exponent - 1;
  static constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
  static constexpr T kInfinity = Limits::infinity();
  static constexpr T kNaN = Limits::quiet_NaN();
  static constexpr T kSmallestNormal = (Limits::min)();
};
#ifdef MSHADOW_POP_INFINITY_WARNING_
#pragma clang diagnostic pop
#undef MSHADOW_POP_INFINITY_WARNING_
#endif

template <typename T>
MSHADOW_XINLINE typename Ieee<T>::Bits ToBits(T a) {
  return BitCast<typename Ieee<T>::Bits>(a);
}

/// 2^k for `biased` = k + kBias, 0 < biased < 2 kBias + 1.
template <typename T>
MSHADOW_XINLINE T PowerOfTwo(typename Ieee<T>::Bits biased) {
  return BitCast<T>(biased << Ieee<T>::kMantissa);
}

/// All bits set where the sign bit is: a < 0 or a = -0, or one kind of NaN.
template <typename T>
MSHADOW_XINLINE typename Ieee<T>::Bits SignMask(T a) {
  using Bits = typename Ieee<T>::Bits;
  return Bits{0} - (ToBits(a) >> (sizeof(T) * 8 - 1));
}

/// All bits set where |a| < bound, bound > 0; none with NaN.
template <typename T>
MSHADOW_XINLINE typename Ieee<T>::Bits SmallMask(T a, T bound) {
  using Bits = typename Ieee<T>::Bits;
  const Bits difference = (ToBits(a) & ~Ieee<T>::kSign) - ToBits(bound);
  return Bits{0} - (difference >> (sizeof(T) * 8 - 1));
}

/// All bits set where a is NaN.
template <typename T>
MSHADOW_XINLINE typename Ieee<T>::Bits NaNMask(T a) {
  using Bits = typename Ieee<T>::Bits;
  const Bits magnitude = ToBits(a) & ~Ieee<T>::kSign;
  return Bits{0} - ((ToBits(Ieee<T>::kInfinity) - magnitude) >> (sizeof(T) * 8 - 1));
}

/// All bits set where a < b, else none; none with NaN.
MSHADOW_XINLINE uint32_t Less(float a, float b) { return uint32_t{0} - uint32_t{a < b}; }
MSHADOW_XINLINE uint64_t Less(double a, double b) {
#if !MSHADOW_PLAIN_CXX && !defined(__clang__) && defined(__x86_64__) && !defined(__CUDA_ARCH__)
  // GCC makes no 64-bit mask of a comparison for SSE2. The sign of a - b does, if that is no NaN
  // (inf - inf is one, and not less).
  const uint64_t difference = ToBits((a - b) + 0.0);  // -0 becomes 0
  const uint64_t magnitude = difference & ~Ieee<double>::kSign;
  const uint64_t number = magnitude - ((uint64_t{0x7ff} << 52) + 1);  // negative up to infinity
  return uint64_t{0} - ((difference & number) >> 63);
#else
  return uint64_t{0} - uint64_t{a < b};
#endif
}

/// a where the mask is set, else b. GCC makes a branch of condition ? a : b where it can move the
/// computation of one side after the condition, and keeps it, since a floating-point operation
/// may trap: the loop is then not vectorised.
template <typename T>
MSHADOW_XINLINE T Select(typename Ieee<T>::Bits mask, T a, T b) {
  return BitCast<T>((ToBits(a) & mask) | (ToBits(b) & ~mask));
}

/// All bits set where not a < b: with NaN too.
MSHADOW_XINLINE uint32_t NotLess(float a, float b) {
#if !MSHADOW_PLAIN_CXX && !defined(__CUDACC__)
  // One comparison. Of !(a < b), which may trap, GCC makes a mask to be inverted, and of x & ~mask
  // a blend with 0 in place of a bitwise and: on Zen 3 it takes the place of a multiplication.
  return uint32_t{0} - uint32_t{!__builtin_isless(a, b)};
#else
  return uint32_t{0} - uint32_t{!(a < b)};
#endif
}
MSHADOW_XINLINE uint64_t NotLess(double a, double b) { return ~Less(a, b); }

/// a where the mask is set, else 0.
template <typename T>
MSHADOW_XINLINE T Keep(typename Ieee<T>::Bits mask, T a) {
  return BitCast<T>(ToBits(a) & mask);
}

/// The lesser of two integers, one instruction. Of two lvalues C++ makes the conditional an lvalue,
/// which GCC takes for a branch.
template <typename Int>
MSHADOW_XINLINE Int Lesser(Int a, Int b) {
  return a < b ? +a : +b;
}

/// a, at most a positive bound: as integers, positive floats have the order of the numbers. What
/// becomes of NaN is not said.
MSHADOW_XINLINE float AtMost(float a, float bound) {
  return BitCast<float>(Lesser(BitCast<int32_t>(a), BitCast<int32_t>(bound)));
}
MSHADOW_XINLINE double AtMost(double a, double bound) {
  return Select(Less(bound, a), bound, a);
}

/// a where its sign is +, else -0: as unsigned integers, negative floats lie above -0. What becomes
/// of NaN is not said.
MSHADOW_XINLINE float Positive(float a) { return BitCast<float>(Lesser(ToBits(a), ToBits(-0.0f))); }
MSHADOW_XINLINE double Positive(double a) { return Select(SignMask(a), -0.0, a); }

/// a, at most high; NaN stays.
template <typename T>
MSHADOW_XINLINE T Upto(T a, T high) {
  return Select(Less(high, a), high, a);
}
/// a, at least low; NaN stays.
template <typename T>
MSHADOW_XINLINE T From(T a, T low) {
  return Select(Less(a, low), low, a);
}
/// a, at most high and at least low; NaN stays.
template <typename T>
MSHADOW_XINLINE T Clamp(T a, T low, T high) {
  return From(Upto(a, high), low);
}

/// c0 + c1 x + c2 x^2 + ... (Horner)
template <typename T>
MSHADOW_XINLINE T Polynomial(T, T c0) {
  return c0;
}
template <typename T, typename... Cs>
MSHADOW_XINLINE T Polynomial(T x, T c0, T c1, Cs... cs) {
  return c0 + x * Polynomial(x, c1, cs...);
}

namespace detail {
template <typename T, std::size_t n>
MSHADOW_XINLINE T EstrinPart(T x, const T (&c)[n]);

template <typename T, std::size_t n, std::size_t... i>
MSHADOW_XINLINE T EstrinPairs(T x, const T (&c)[n], std::index_sequence<i...>) {
  if constexpr (n % 2 == 0) {
    const T pairs[] = {(c[2 * i] + x * c[2 * i + 1])...};
    return EstrinPart(x * x, pairs);
  } else {
    const T pairs[] = {(c[2 * i] + x * c[2 * i + 1])..., c[n - 1]};
    return EstrinPart(x * x, pairs);
  }
}
/// c[0] + c[1] x + c[2] x^2 + ..., pair by pair.
template <typename T, std::size_t n>
MSHADOW_XINLINE T EstrinPart(T x, const T (&c)[n]) {
  if constexpr (n == 1) {
    return c[0];
  } else {
    return EstrinPairs(x, c, std::make_index_sequence<n / 2>());
  }
}
}  // namespace detail

/// The same by halves, with multiplications for x^2, x^4 ..., but few steps that wait for each
/// other: for a polynomial so long that a processor does not see its next argument meanwhile. (G.
/// Estrin, Organization of computer systems: the fixed plus variable structure computer, 1960.)
template <typename T, typename... Cs>
MSHADOW_XINLINE T Estrin(T x, T c0, Cs... cs) {
  // The last step is Horner's: it rounds once.
  const T rest[] = {cs...};
  return c0 + x * detail::EstrinPart(x, rest);
}

/// The type that computes for DType: itself if float or double, float for 16-bit floats and small
/// integers, double for integers that float does not hold.
template <typename DType>
using Real = std::conditional_t<
    std::is_floating_point<DType>::value, DType,
    std::conditional_t<std::is_integral<DType>::value && (sizeof(DType) > 2), double, float>>;

template <typename DType>
MSHADOW_XINLINE Real<DType> ToReal(DType a) {
  static_assert(!kIsComplex<DType>,
                "mshadow: this function takes no complex numbers, or is that of real ones: "
                "<mshadow/complex.h> has exp(z), abs(z) and the like");
  return static_cast<Real<DType>>(a);
}

/// The ends of an integer type, as constants: device code cannot call std::numeric_limits.
template <typename DType>
struct IntegerRange {
  static constexpr DType kLowest = (std::numeric_limits<DType>::min)();
  static constexpr DType kHighest = (std::numeric_limits<DType>::max)();
};

/// Back to DType; an integer truncates, saturates at its limits, and takes 0 for NaN.
template <typename DType>
MSHADOW_XINLINE DType FromReal(Real<DType> a) {
  if constexpr (std::is_same<DType, bool>::value) {
    return a != 0;
  } else if constexpr (std::is_integral<DType>::value && sizeof(DType) <= 4) {
    using T = Real<DType>;
    // The target of vector instructions; it holds what is left after the clamp.
    using Wide = std::conditional_t<sizeof(DType) == 4, DType, int>;
    const T number = Select(NaNMask(a), T(0), a);
    return static_cast<DType>(static_cast<Wide>(
        Clamp(number, T(IntegerRange<DType>::kLowest), T(IntegerRange<DType>::kHighest))));
  } else if constexpr (std::is_integral<DType>::value) {
    if (a != a) return DType(0);
    if (a <= Real<DType>(IntegerRange<DType>::kLowest)) return IntegerRange<DType>::kLowest;
    if (a >= Real<DType>(IntegerRange<DType>::kHighest)) return IntegerRange<DType>::kHighest;
    return static_cast<DType>(a);
  } else {
    return static_cast<DType>(a);
  }
}

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_REAL_H_
