// SPDX-License-Identifier: Apache-2.0
// bf16_t, the upper half of a float: 1 sign bit, 8 exponent bits, 7 fraction bits.
#ifndef MSHADOW_CORE_BFLOAT_H_
#define MSHADOW_CORE_BFLOAT_H_

#include <cstdint>
#include <limits>
#include <type_traits>

#include "config.h"
#include "float16_ops.h"

#define MSHADOW_BF16_SIGN_BIT 0x8000
#define MSHADOW_BF16_EXPONENT_BITS 0x7f80
// These two end with a semicolon in every 2.x version that has them, and code relies on it.
#define MSHADOW_BF16_MIN ::mshadow::bfloat::bf16_t::Binary(0xFF7F);
#define MSHADOW_BF16_MAX ::mshadow::bfloat::bf16_t::Binary(0x7F7F);

namespace mshadow {
namespace bfloat {

/// The float equal to the bfloat16 with these bits.
MSHADOW_XINLINE float BitsToFloat(uint16_t bfloat_bits) {
  return float16::BitsToFloat(static_cast<uint32_t>(bfloat_bits) << 16);
}

/// The bits of the bfloat16 nearest to `value`, ties to even; a NaN stays a quiet NaN.
MSHADOW_XINLINE uint16_t FloatToBits(float value) {
  const uint32_t bits = float16::FloatToBits(value);
  const uint32_t upper = bits >> 16;
  // Half a unit, less one bit where the result would be even.
  const uint32_t rounded = (bits + 0x7fff + (upper & 1)) >> 16;
  const bool nan = static_cast<int32_t>(bits & 0x7fffffff) > 0x7f800000;
  return static_cast<uint16_t>(nan ? upper | 0x0040 : rounded);
}

/// A bfloat16 number: the range of float with 8 significant bits. Arithmetic is done in float: with
/// another bf16_t the result is rounded to bf16_t, with any other number it stays a float (a double
/// beside a double). A default-constructed one is uninitialised.
class MSHADOW_ALIGNED(2) bf16_t : public float16::Tag {
 public:
  uint16_t bf16_;
  /// Type of bf16_t op T.
  template <typename T>
  using Mixed = std::conditional_t<std::is_floating_point_v<T>, T, float>;

  /// The bf16_t with these bits.
  MSHADOW_XINLINE static constexpr bf16_t Binary(uint16_t bits) { return bf16_t(bits, FromBits()); }

  bf16_t() = default;
  MSHADOW_XINLINE bf16_t(float value) : bf16_(FloatToBits(value)) {}  // NOLINT: implicit
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  MSHADOW_XINLINE explicit bf16_t(T value) : bf16_(FloatToBits(float16::ToRoundableFloat(value))) {}
  // A template is never a copy constructor: bf16_t stays trivially copyable.
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, bf16_t>>>
  MSHADOW_XINLINE bf16_t(const volatile T& other) : bf16_(other.bf16_) {}  // NOLINT: implicit

  MSHADOW_XINLINE operator float() const { return BitsToFloat(bf16_); }
  MSHADOW_XINLINE operator float() const volatile { return BitsToFloat(bf16_); }

  template <typename T, typename = float16::EnableIfScalar<T>>
  MSHADOW_XINLINE bf16_t& operator=(T value) {
    return *this = bf16_t(value);
  }
  template <typename T, typename = float16::EnableIfScalar<T>>
  MSHADOW_XINLINE bf16_t operator=(T value) volatile {
    const bf16_t result(value);
    bf16_ = result.bf16_;
    return result;
  }

  MSHADOW_XINLINE constexpr bf16_t operator+() const { return *this; }
  MSHADOW_XINLINE constexpr bf16_t operator-() const {
    return Binary(static_cast<uint16_t>(bf16_ ^ MSHADOW_BF16_SIGN_BIT));
  }

 private:
  struct FromBits {};
  MSHADOW_XINLINE constexpr bf16_t(uint16_t bits, FromBits) : bf16_(bits) {}
};

}  // namespace bfloat

using bfloat16 = bfloat::bf16_t;

}  // namespace mshadow

namespace std {
template <>
class numeric_limits<mshadow::bfloat::bf16_t>
    : public mshadow::float16::Limits<mshadow::bfloat::bf16_t, 8> {};
}  // namespace std
#endif  // MSHADOW_CORE_BFLOAT_H_
