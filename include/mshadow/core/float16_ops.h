// SPDX-License-Identifier: Apache-2.0
// What the storage floats of 16 bits, or 8, share: arithmetic in float, and its operators.
//
// Such a type F derives from float16::Tag, so that argument-dependent lookup finds the operators
// here. It has a member template `Mixed<T>`, the result of F op T for an arithmetic type T, and the
// members of MSHADOW_FLOAT16_MEMBERS_. Its std::numeric_limits derive from float16::Limits; its
// namespace has FloatToBits and BitsToFloat. Operators take scalars only, no expressions.
#ifndef MSHADOW_CORE_FLOAT16_OPS_H_
#define MSHADOW_CORE_FLOAT16_OPS_H_

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "config.h"

MSHADOW_NAMESPACE_BEGIN
/// Operators and conversions of half::half_t and bfloat::bf16_t.
namespace float16 {

/// Empty base of the storage floats.
struct Tag {};

/// True if T is a storage float: of 16 bits, or 8.
template <typename T>
inline constexpr bool kIsFloat16 = std::is_base_of_v<Tag, T>;

/// True if T is a floating-point number of any width.
template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsFloat16<T>;

/// True if T is a number: arithmetic or a storage float.
template <typename T>
inline constexpr bool kIsScalar = std::is_arithmetic_v<T> || kIsFloat16<T>;

template <typename T, typename Result = void>
using EnableIfScalar = std::enable_if_t<kIsScalar<T>, Result>;

/// Bits of a float. memcpy, because it is what both vectorisers and nvcc see through.
MSHADOW_XINLINE uint32_t FloatToBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// The float with these bits.
MSHADOW_XINLINE float BitsToFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The double rounded to odd: bits that do not fit a float are folded into its last bit. A second
/// rounding, to 16 bits, then gives what one rounding would (S. Boldo, G. Melquiond, "Emulation of
/// FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008). Below 2^-126 it
/// rounds to nearest.
MSHADOW_XINLINE float RoundToOdd(double value) {
  constexpr uint64_t kCut = (uint64_t{1} << 29) - 1;  // 52 - 23 fraction bits
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bits = (bits | ((bits & kCut) + kCut)) & ~kCut;  // the sum carries unless the cut bits are zero
  std::memcpy(&value, &bits, sizeof(bits));
  return static_cast<float>(value);
}

/// A float that rounds to the same 16-bit value as `value` does. 64-bit integers and long double
/// count as their nearest double.
template <typename T>
MSHADOW_XINLINE float ToRoundableFloat(T value) {
  if constexpr (std::is_same_v<T, float> || kIsFloat16<T> ||
                (std::is_integral_v<T> && sizeof(T) <= 2)) {
    return static_cast<float>(value);
  } else {
    return RoundToOdd(static_cast<double>(value));
  }
}

template <typename A, typename B, typename = void>
struct ResultOf {};
template <typename A, typename B>
struct ResultOf<A, B, std::enable_if_t<kIsFloat16<A> && kIsFloat16<B>>> {
  using type = std::conditional_t<std::is_same_v<A, B>, A, float>;
};
template <typename A, typename B>
struct ResultOf<A, B, std::enable_if_t<kIsFloat16<A> && std::is_arithmetic_v<B>>> {
  using type = typename A::template Mixed<B>;
};
template <typename A, typename B>
struct ResultOf<A, B, std::enable_if_t<std::is_arithmetic_v<A> && kIsFloat16<B>>> {
  using type = typename B::template Mixed<A>;
};

/// Type of a op b; no type, so no overload, unless one is 16-bit and the other a number.
template <typename A, typename B>
using Result = typename ResultOf<A, B>::type;

/// Type that a op b is computed in.
template <typename A, typename B>
using Compute = std::conditional_t<kIsFloat16<Result<A, B>>, float, Result<A, B>>;

template <typename A, typename B>
using EnableIfComparable = std::enable_if_t<!std::is_void_v<Result<A, B>>, bool>;

/// `F&`; a value where F is volatile, as reading a volatile reference is an access.
template <typename F, typename T>
using Assigned =
    std::enable_if_t<kIsFloat16<F> && !std::is_const_v<F> && kIsScalar<T>,
                     std::conditional_t<std::is_volatile_v<F>, std::remove_volatile_t<F>, F&>>;

// == and != need no operator: they come from the conversion to float.
#define MSHADOW_FLOAT16_COMPARISON_(op)                            \
  template <typename A, typename B>                                \
  MSHADOW_XINLINE EnableIfComparable<A, B> operator op(A a, B b) { \
    using C = Compute<A, B>;                                       \
    return static_cast<C>(a) op static_cast<C>(b);                 \
  }
#define MSHADOW_FLOAT16_ARITHMETIC_(op)                                       \
  template <typename A, typename B>                                           \
  MSHADOW_XINLINE Result<A, B> operator op(A a, B b) {                        \
    using C = Compute<A, B>;                                                  \
    return static_cast<Result<A, B>>(static_cast<C>(a) op static_cast<C>(b)); \
  }                                                                           \
  template <typename F, typename T>                                           \
  MSHADOW_XINLINE Assigned<F, T> operator op##=(F& a, T b) {                  \
    return a = static_cast<float>(a) op static_cast<float>(b);                \
  }

MSHADOW_FLOAT16_ARITHMETIC_(+)
MSHADOW_FLOAT16_ARITHMETIC_(-)
MSHADOW_FLOAT16_ARITHMETIC_(*)
MSHADOW_FLOAT16_ARITHMETIC_(/)
MSHADOW_FLOAT16_COMPARISON_(<)
MSHADOW_FLOAT16_COMPARISON_(>)
MSHADOW_FLOAT16_COMPARISON_(<=)
MSHADOW_FLOAT16_COMPARISON_(>=)

#undef MSHADOW_FLOAT16_ARITHMETIC_
#undef MSHADOW_FLOAT16_COMPARISON_

/// The members of class F, whose bits are `bits` of type Bits: conversions, assignment, signs. A
/// default-constructed F is uninitialised. F is trivially copyable: the template for volatile
/// operands is no copy constructor.
#define MSHADOW_FLOAT16_MEMBERS_(F, Bits, bits)                                                    \
 public:                                                                                           \
  /** The F with these bits. */                                                                    \
  MSHADOW_XINLINE static constexpr F Binary(Bits value) { return F(value, FromBits()); }           \
                                                                                                   \
  F() = default;                                                                                   \
  MSHADOW_XINLINE F(float value) : bits(FloatToBits(value)) {} /* NOLINT: implicit */              \
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>                      \
  MSHADOW_XINLINE explicit F(T value)                                                              \
      : bits(FloatToBits(::mshadow::float16::ToRoundableFloat(value))) {}                          \
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, F>>>                         \
  MSHADOW_XINLINE F(const volatile T& other) : bits(other.bits) {} /* NOLINT: implicit */          \
                                                                                                   \
  MSHADOW_XINLINE operator float() const { return BitsToFloat(bits); }                             \
  MSHADOW_XINLINE operator float() const volatile { return BitsToFloat(bits); }                    \
                                                                                                   \
  template <typename T, typename = ::mshadow::float16::EnableIfScalar<T>>                          \
  MSHADOW_XINLINE F& operator=(T value) {                                                          \
    return *this = F(value);                                                                       \
  }                                                                                                \
  template <typename T, typename = ::mshadow::float16::EnableIfScalar<T>>                          \
  MSHADOW_XINLINE F operator=(T value) volatile {                                                  \
    const F result(value);                                                                         \
    bits = result.bits;                                                                            \
    return result;                                                                                 \
  }                                                                                                \
                                                                                                   \
  MSHADOW_XINLINE constexpr F operator+() const { return *this; }                                  \
  MSHADOW_XINLINE constexpr F operator-() const {                                                  \
    return Binary(static_cast<Bits>(bits ^ (1u << (8 * sizeof(Bits) - 1))));                       \
  }                                                                                                \
                                                                                                   \
 private:                                                                                          \
  struct FromBits {};                                                                              \
  MSHADOW_XINLINE constexpr F(Bits value, FromBits) : bits(value) {}

/// Body of std::numeric_limits<F> for an IEEE-like F of kBits bits with kDigits significant ones,
/// the implicit one included.
template <typename F, int kDigits, int kBits = 16>
struct Limits {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_iec559 = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;

  static constexpr int digits = kDigits;
  static constexpr int radix = 2;
  static constexpr int max_exponent = 1 << (kBits - 1 - kDigits);
  static constexpr int min_exponent = 3 - max_exponent;
  // 30103 / 100000 is log10(2); `/` cuts towards zero, which is what each of these wants.
  static constexpr int digits10 = (kDigits - 1) * 30103 / 100000;
  static constexpr int max_digits10 = kDigits * 30103 / 100000 + 2;
  static constexpr int min_exponent10 = (min_exponent - 1) * 30103 / 100000;
  static constexpr int max_exponent10 = max_exponent * 30103 / 100000;

  MSHADOW_XINLINE static constexpr F (min)() noexcept { return Bits(kUnit); }
  MSHADOW_XINLINE static constexpr F (max)() noexcept { return Bits(kInfinity - 1); }
  MSHADOW_XINLINE static constexpr F lowest() noexcept { return Bits(kSign | (kInfinity - 1)); }
  MSHADOW_XINLINE static constexpr F epsilon() noexcept {
    return Bits((max_exponent - kDigits) * kUnit);
  }
  MSHADOW_XINLINE static constexpr F round_error() noexcept {
    return Bits((max_exponent - 2) * kUnit);
  }
  MSHADOW_XINLINE static constexpr F infinity() noexcept { return Bits(kInfinity); }
  MSHADOW_XINLINE static constexpr F quiet_NaN() noexcept { return Bits(kInfinity | kUnit / 2); }
  MSHADOW_XINLINE static constexpr F signaling_NaN() noexcept {
    return Bits(kInfinity | kUnit / 4);
  }
  MSHADOW_XINLINE static constexpr F denorm_min() noexcept { return Bits(1); }

 private:
  static constexpr int kUnit = 1 << (kDigits - 1);  // an exponent of one
  static constexpr int kSign = 1 << (kBits - 1);
  static constexpr int kInfinity = kSign - kUnit;
  MSHADOW_XINLINE static constexpr F Bits(int bits) {
    return F::Binary(static_cast<std::conditional_t<kBits == 8, uint8_t, uint16_t>>(bits));
  }
};

}  // namespace float16
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_FLOAT16_OPS_H_
