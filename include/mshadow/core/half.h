// SPDX-License-Identifier: Apache-2.0
// half_t, the IEEE 754 binary16 number: 1 sign bit, 5 exponent bits, 10 fraction bits.
#ifndef MSHADOW_CORE_HALF_H_
#define MSHADOW_CORE_HALF_H_

#include <cstdint>
#include <limits>
#include <type_traits>

#include "bit_cast.h"
#include "config.h"
#include "float16_ops.h"
#include "libmvec.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
/// 1: half_t has the member cuhalf_ and a constructor from __half.
#define MSHADOW_CUDA_HALF 1
#else
#define MSHADOW_CUDA_HALF 0
#endif

#define MSHADOW_HALF_SIGN_BIT 0x8000
#define MSHADOW_HALF_EXPONENT_BITS 0x7c00
// These two end with a semicolon in every 2.x version, and code relies on it.
#define MSHADOW_HALF_MIN ::mshadow::half::half_t::Binary(0xFBFF);
#define MSHADOW_HALF_MAX ::mshadow::half::half_t::Binary(0x7BFF);

MSHADOW_NAMESPACE_BEGIN
namespace half {

// Both conversions are straight-line code with floating-point operations that run for every input,
// because GCC's vectoriser refuses those behind a condition. Loops over them become vector code on
// every instruction set, and no value takes longer than another. No intermediate float is
// subnormal, so flush-to-zero modes do not matter.

/// The float equal to the half with these bits; a NaN comes out quiet.
MSHADOW_XINLINE float BitsToFloat(uint16_t half_bits) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(half_bits));
#else
  const int32_t magnitude = half_bits & 0x7fff;
  // All ones where the condition holds.
  const uint32_t subnormal = 0u - static_cast<uint32_t>(magnitude < 0x0400);
  const uint32_t special = 0u - static_cast<uint32_t>(magnitude >= 0x7c00);
  // The exponent bias grows from 15 to 127; that of infinity and NaN from 31 to 255.
  const uint32_t rebased = (static_cast<uint32_t>(magnitude) << 13) + (112u << 23) +
                           (special & (112u << 23)) + (subnormal & (1u << 23));
  // A subnormal now reads 2^-14 (1 + fraction): take the 1 away.
  const float value =
      float16::BitsToFloat(rebased) - float16::BitsToFloat(subnormal & (113u << 23));
  return float16::BitsToFloat(float16::FloatToBits(value) |
                              (static_cast<uint32_t>(half_bits & 0x8000) << 16));
#endif
}

/// The bits of the half nearest to `value`, ties to even; 65520 and above become infinity, a NaN
/// stays a quiet NaN. With MSHADOW_HALF_ROUND_TO_NEAREST=0 the fraction is cut off, and 65536 and
/// above become infinity.
MSHADOW_XINLINE uint16_t FloatToBits(float value) {
#if defined(__CUDA_ARCH__) && MSHADOW_HALF_ROUND_TO_NEAREST
  return __half_as_ushort(__float2half_rn(value));
#else
  const uint32_t bits = float16::FloatToBits(value);
  const int32_t magnitude = static_cast<int32_t>(bits & 0x7fffffff);
  const int32_t clamped = magnitude < 0x47800000 ? magnitude : 0x47800000;  // 65536
  // Exponent of the result, at least that of the subnormals, as a power of two.
  const int32_t own = clamped & 0x7f800000;
  const int32_t exponent = own > (113 << 23) ? own : (113 << 23);
  // 2^13 such powers: the last bit of the sum is worth as much as that of the half, so the addition
  // rounds. What it adds to the magic number is the fraction with its leading one.
  const uint32_t magic = static_cast<uint32_t>(exponent) + (13u << 23);
  const float operand = float16::BitsToFloat(static_cast<uint32_t>(clamped));
  const float sum = operand + float16::BitsToFloat(magic);
  uint32_t result =
      float16::FloatToBits(sum) - magic + ((static_cast<uint32_t>(exponent) >> 13) - (113u << 10));
#if !MSHADOW_HALF_ROUND_TO_NEAREST
  result -= static_cast<uint32_t>(sum - float16::BitsToFloat(magic) > operand);
#endif
  const uint32_t nan = 0u - static_cast<uint32_t>(magnitude > 0x7f800000);
  result |= nan & (0x0200 | ((bits >> 13) & 0x03ff));
  return static_cast<uint16_t>(result | ((bits >> 16) & 0x8000));
#endif
}

/// A binary16 number. Arithmetic is done in float and rounded to half_t, with another half_t as
/// with any arithmetic type. A default-constructed one is uninitialised.
class MSHADOW_ALIGNED(2) half_t : public float16::Tag {
 public:
#if MSHADOW_CUDA_HALF
  union {
    uint16_t half_;
    __half cuhalf_;
  };
#else
  uint16_t half_;
#endif
  /// Type of half_t op T.
  template <typename T>
  using Mixed = half_t;

#if MSHADOW_CUDA_HALF
  MSHADOW_XINLINE explicit half_t(const __half& value) : cuhalf_(value) {}
#endif
  MSHADOW_FLOAT16_MEMBERS_(half_t, uint16_t, half_)
};

/// Two half_t side by side; every operator works lane by lane.
class MSHADOW_ALIGNED(4) half2_t {
 public:
  half_t half_t2[2];

  half2_t() = default;
  MSHADOW_XINLINE explicit half2_t(half_t a, half_t b) : half_t2{a, b} {}
  /// The same number in both lanes.
  MSHADOW_XINLINE explicit half2_t(int a) : half_t2{half_t(a), half_t(a)} {}
#if MSHADOW_CUDA_HALF
  MSHADOW_XINLINE explicit half2_t(const __half2& a) : half_t2{half_t(a.x), half_t(a.y)} {}
#endif
  MSHADOW_XINLINE half2_t& operator=(int a) { return *this = half2_t(a); }

  MSHADOW_XINLINE half2_t operator+() const { return *this; }
  MSHADOW_XINLINE half2_t operator-() const { return half2_t(-half_t2[0], -half_t2[1]); }
};

#define MSHADOW_HALF2_LANES_(op)                                                \
  MSHADOW_XINLINE half2_t operator op(half2_t a, half2_t b) {                   \
    return half2_t(a.half_t2[0] op b.half_t2[0], a.half_t2[1] op b.half_t2[1]); \
  }
// An instruction rounds the exact result of both lanes once, where half_t rounds to float first.
// But for NaNs the bits are the same: 24 of a float are at least 2 * 11 + 2, so a second rounding,
// to 11, sees no tie that was none (S. A. Figueroa, "When is double rounding innocuous?", 1995).
// _rn: never joined to a b + c in one rounding, which would give other numbers.
#if defined(__CUDA_ARCH__) && MSHADOW_HALF_ROUND_TO_NEAREST
#define MSHADOW_HALF2_ARITHMETIC_(op, function)                                  \
  MSHADOW_XINLINE half2_t operator op(half2_t a, half2_t b) {                    \
    return BitCast<half2_t>(function(BitCast<__half2>(a), BitCast<__half2>(b))); \
  }
#else
#define MSHADOW_HALF2_ARITHMETIC_(op, function) MSHADOW_HALF2_LANES_(op)
#endif
MSHADOW_HALF2_ARITHMETIC_(+, __hadd2_rn)
MSHADOW_HALF2_ARITHMETIC_(-, __hsub2_rn)
MSHADOW_HALF2_ARITHMETIC_(*, __hmul2_rn)
MSHADOW_HALF2_LANES_(/)
#undef MSHADOW_HALF2_ARITHMETIC_
#undef MSHADOW_HALF2_LANES_

MSHADOW_XINLINE half2_t& operator+=(half2_t& a, half2_t b) { return a = a + b; }
MSHADOW_XINLINE half2_t& operator-=(half2_t& a, half2_t b) { return a = a - b; }
MSHADOW_XINLINE half2_t& operator*=(half2_t& a, half2_t b) { return a = a * b; }
MSHADOW_XINLINE half2_t& operator/=(half2_t& a, half2_t b) { return a = a / b; }

/// fmod of each lane.
MSHADOW_XINLINE half2_t operator%(half2_t a, half2_t b) {
  return half2_t(half_t(MSHADOW_LIBM(fmodf)(a.half_t2[0], b.half_t2[0])),
                 half_t(MSHADOW_LIBM(fmodf)(a.half_t2[1], b.half_t2[1])));
}

/// Are both lanes equal?
MSHADOW_XINLINE bool operator==(half2_t a, half2_t b) {
  return a.half_t2[0] == b.half_t2[0] && a.half_t2[1] == b.half_t2[1];
}
MSHADOW_XINLINE bool operator!=(half2_t a, half2_t b) { return !(a == b); }

}  // namespace half
MSHADOW_NAMESPACE_END

namespace std {
template <>
class numeric_limits<mshadow::half::half_t>
    : public mshadow::float16::Limits<mshadow::half::half_t, 11> {};
}  // namespace std
#endif  // MSHADOW_CORE_HALF_H_
