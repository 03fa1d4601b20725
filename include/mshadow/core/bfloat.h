// SPDX-License-Identifier: Apache-2.0
// bf16_t, the upper half of a float: 1 sign bit, 8 exponent bits, 7 fraction bits.
#ifndef MSHADOW_CORE_BFLOAT_H_
#define MSHADOW_CORE_BFLOAT_H_

#include <cstdint>
#include <limits>
#include <type_traits>

#include "bit_cast.h"
#include "config.h"
#include "float16_ops.h"

#define MSHADOW_BF16_SIGN_BIT 0x8000
#define MSHADOW_BF16_EXPONENT_BITS 0x7f80
// These two end with a semicolon in every 2.x version that has them, and code relies on it.
#define MSHADOW_BF16_MIN ::mshadow::bfloat::bf16_t::Binary(0xFF7F);
#define MSHADOW_BF16_MAX ::mshadow::bfloat::bf16_t::Binary(0x7F7F);

MSHADOW_NAMESPACE_BEGIN
namespace bfloat {

/// The float equal to the bfloat16 with these bits.
MSHADOW_XINLINE float BitsToFloat(uint16_t bfloat_bits) {
  return float16::BitsToFloat(static_cast<uint32_t>(bfloat_bits) << 16);
}

// Instructions for a bfloat16 are written in PTX: cuda_bf16.h is 9,000 lines of every .cu file.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define MSHADOW_BF16_INSTRUCTIONS_ 1
#else
#define MSHADOW_BF16_INSTRUCTIONS_ 0
#endif

/// The bits of a float, rounded so that their upper half is the bfloat16 nearest to it, ties to
/// even; a NaN stays a quiet NaN.
MSHADOW_XINLINE uint32_t RoundFloatBits(uint32_t bits) {
  // Half a unit, less one bit where the result would be even.
  const uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
  const bool nan = static_cast<int32_t>(bits & 0x7fffffff) > 0x7f800000;
#else
  const float value = float16::BitsToFloat(bits);  // one comparison where integers take three
  const bool nan = value != value;
#endif
  return nan ? bits | 0x00400000 : rounded;
}

/// The bits of the bfloat16 nearest to `value`, ties to even; a NaN stays a quiet NaN.
MSHADOW_XINLINE uint16_t FloatToBits(float value) {
#if MSHADOW_BF16_INSTRUCTIONS_
  uint16_t result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result) : "f"(value));  // NaN: 0x7fff, a quiet one
  return result;
#else
  return static_cast<uint16_t>(RoundFloatBits(float16::FloatToBits(value)) >> 16);
#endif
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
  MSHADOW_FLOAT16_MEMBERS_(bf16_t, uint16_t, bf16_)
};

/// Two bf16_t side by side, with + - * of each lane: the bits that bf16_t gives, but those of NaNs.
class MSHADOW_ALIGNED(4) bf16x2_t {
 public:
  bf16_t lane[2];

  bf16x2_t() = default;
  MSHADOW_XINLINE explicit bf16x2_t(bf16_t a, bf16_t b) : lane{a, b} {}
};

// An instruction rounds a b + c of both lanes once, where bf16_t rounds to float first. The bits
// are the same: 24 of a float are at least 2 * 8 + 2, so a second rounding, to 8, sees no tie that
// was none (S. A. Figueroa, "When is double rounding innocuous?", 1995). Where floats are
// subnormal, sums are exact, and so are products of at least half the smallest bfloat16; smaller
// ones become 0 either way.
#if MSHADOW_BF16_INSTRUCTIONS_
#define MSHADOW_BF16X2_ARITHMETIC_(op, x, y, z)                                   \
  MSHADOW_XINLINE bf16x2_t operator op(bf16x2_t a, bf16x2_t b) {                  \
    const uint32_t first = BitCast<uint32_t>(a), second = BitCast<uint32_t>(b);   \
    uint32_t result;                                                              \
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z)); \
    return BitCast<bf16x2_t>(result);                                             \
  }
#else
#define MSHADOW_BF16X2_ARITHMETIC_(op, x, y, z)                      \
  MSHADOW_XINLINE bf16x2_t operator op(bf16x2_t a, bf16x2_t b) {     \
    return bf16x2_t(a.lane[0] op b.lane[0], a.lane[1] op b.lane[1]); \
  }
#endif
MSHADOW_BF16X2_ARITHMETIC_(+, first, 0x3f803f80u, second)  // a 1 + b
MSHADOW_BF16X2_ARITHMETIC_(-, second, 0xbf80bf80u, first)  // b (-1) + a
MSHADOW_BF16X2_ARITHMETIC_(*, first, second, 0x80008000u)  // a b + (-0), which keeps a sign of 0
#undef MSHADOW_BF16X2_ARITHMETIC_
#undef MSHADOW_BF16_INSTRUCTIONS_

}  // namespace bfloat

using bfloat16 = bfloat::bf16_t;

MSHADOW_NAMESPACE_END

namespace std {
template <>
class numeric_limits<mshadow::bfloat::bf16_t>
    : public mshadow::float16::Limits<mshadow::bfloat::bf16_t, 8> {};
}  // namespace std
#endif  // MSHADOW_CORE_BFLOAT_H_
