// SPDX-License-Identifier: Apache-2.0
// Random words to normal and exponential variates, without a branch, a table or a call, so that
// loops over these functions are vectorised by any compiler for any instruction set.
//
// Accuracy: within 3e-7 (float) and 6e-16 (double) of the exact transform of the words, relative to
// the radius. The words are the same everywhere; these values differ in their last bits between
// instruction sets, since compilers contract a * b + c to one rounding where there is an FMA.
#ifndef MSHADOW_CORE_NORMAL_H_
#define MSHADOW_CORE_NORMAL_H_

#include <cstdint>

#include "bit_cast.h"
#include "config.h"
#include "philox.h"

MSHADOW_NAMESPACE_BEGIN
namespace rng {

/// `mask` (all bits set or none) ? a : b. A ?: between values that were computed would let GCC move
/// the computation into a branch, and a loop with a branch that may trap is not vectorised.
template <typename Bits, typename Real>
MSHADOW_XINLINE Real Select(Bits mask, Real a, Real b) {
  const Bits x = BitCast<Bits>(a), y = BitCast<Bits>(b);
  return BitCast<Real>(y ^ ((x ^ y) & mask));
}

/// sqrt(x) for normal x > 0, within 2 ULP. Newton's iteration on 1 / sqrt(x): std::sqrt may set
/// errno, and the compilers then vectorise nothing around it.
MSHADOW_XINLINE float PositiveSqrt(float x) {
  float y = BitCast<float>(0x5F375A86u - (BitCast<std::uint32_t>(x) >> 1));  // 3.5e-2
  const float half = 0.5f * x;
  y = y * (1.5f - half * y * y);  // 1.8e-3
  y = y * (1.5f - half * y * y);  // 4.7e-6
  y = y * (1.5f - half * y * y);  // 3.4e-11
  return x * y;
}
MSHADOW_XINLINE double PositiveSqrt(double x) {
  double y = BitCast<double>(0x5FE6EB50C7B537A9u - (BitCast<std::uint64_t>(x) >> 1));
  const double half = 0.5 * x;
  y = y * (1.5 - half * y * y);
  y = y * (1.5 - half * y * y);
  y = y * (1.5 - half * y * y);
  y = y * (1.5 - half * y * y);
  return x * y;
}

/// -ln U with U = (word + 1/2) 2^-32: 1.2e-10 to 22.9, precise at both ends.
///
/// U = m 2^e with m in [sqrt(1/2), sqrt(2)), ln m = 2 atanh(s), s = (m - 1) / (m + 1). Where e = 0,
/// m - 1 is taken from the complement of the word, which keeps what 1 - U would cancel.
MSHADOW_XINLINE float NegLogUniform32(std::uint32_t word) {
  constexpr std::uint32_t kSqrtHalf = 0x3F3504F3u;
  const std::uint32_t bits = BitCast<std::uint32_t>(static_cast<float>(word) + 0.5f);
  // The exponent plus one, never negative: 2^-1 to 2^32.
  const std::uint32_t e1 = (bits - kSqrtHalf + 0x00800000u) >> 23;
  const float m1 = BitCast<float>(bits - (e1 << 23) + 0x00800000u) - 1.0f;
  const float complement = (static_cast<float>(~word) + 0.5f) * -0x1p-32f;
  const float f = Select(0u - static_cast<std::uint32_t>(e1 == 33), complement, m1);
  const float s = f / (2.0f + f);
  const float z = s * s;  // < 0.0295; the first term left out is z^5 / 11 = 2e-9
  const float series =
      1.0f + z * (1.0f / 3 + z * (1.0f / 5 + z * (1.0f / 7 + z * (1.0f / 9))));
  const float e = static_cast<float>(static_cast<std::int32_t>(e1) - 33);
  return e * -0.693147181f - 2.0f * s * series;
}
/// -ln U with U = (w + 1/2) 2^-53, w the upper 27 bits of `high` above the upper 26 of `low`:
/// 5.6e-17 to 37.4.
MSHADOW_XINLINE double NegLogUniform64(std::uint32_t high, std::uint32_t low) {
  constexpr std::uint64_t kSqrtHalf = 0x3FE6A09E667F3BCDu;
  constexpr std::uint64_t kOne = 0x0010000000000000u;  // one step of the exponent
  const double w = static_cast<double>(static_cast<std::int32_t>(high >> 5)) * 0x1p26 +
                   static_cast<double>(static_cast<std::int32_t>(low >> 6));
  const std::uint64_t bits = BitCast<std::uint64_t>(w + 0.5);
  const std::uint64_t e1 = (bits - kSqrtHalf + kOne) >> 52;
  const double m1 = BitCast<double>(bits - (e1 << 52) + kOne) - 1.0;
  const double complement = ((0x1p53 - 1.0 - w) + 0.5) * -0x1p-53;
  const double f = Select(std::uint64_t{0} - static_cast<std::uint64_t>(e1 == 54), complement, m1);
  const double s = f / (2.0 + f);
  const double z = s * s;  // the first term left out is z^11 / 23 = 6e-19
  const double series =
      1.0 + z * (1.0 / 3 +
      z * (1.0 / 5 + z * (1.0 / 7 +
      z * (1.0 / 9 + z * (1.0 / 11 +
      z * (1.0 / 13 + z * (1.0 / 15 +
      z * (1.0 / 17 + z * (1.0 / 19 + z * (1.0 / 21))))))))));
  // An integer below 2^52 put into the significand of 2^52: no 64-bit conversion needed.
  const double e = BitCast<double>(e1 | 0x4330000000000000u) - (0x1p52 + 54.0);
  return e * -0.69314718055994531 - 2.0 * s * series;
}

/// cos and sin of an angle.
template <typename Real>
struct CosSin {
  Real cos, sin;
};

namespace detail {
/// Turns (cos, sin) by `quadrant` right angles; Bits are as wide as Real.
template <typename Real, typename Bits>
MSHADOW_XINLINE CosSin<Real> Turn(Real cos, Real sin, Bits quadrant) {
  constexpr int kToSign = 8 * sizeof(Bits) - 2;
  const Bits odd = Bits{0} - (quadrant & 1);
  const Real x = Select(odd, sin, cos), y = Select(odd, cos, sin);
  return {BitCast<Real>(BitCast<Bits>(x) ^ (((quadrant + 1) & 2) << kToSign)),
          BitCast<Real>(BitCast<Bits>(y) ^ ((quadrant & 2) << kToSign))};
}
}  // namespace detail

/// cos, sin of 2 pi word / 2^32. The remainder within a quadrant is exact, being an integer.
MSHADOW_XINLINE CosSin<float> CosSinTurn32(std::uint32_t word) {
  const std::uint32_t quadrant = (word + 0x20000000u) >> 30;
  const float rest = static_cast<float>(static_cast<std::int32_t>(word - (quadrant << 30)));
  const float x = rest * 1.46291807926715968e-9f;  // 2 pi / 2^32: |x| <= pi / 4
  const float z = x * x;
  const float sin =
      x + x * z * (-1.0f / 6 + z * (1.0f / 120 + z * (-1.0f / 5040 + z * (1.0f / 362880))));
  const float cos =
      1.0f + z * (-0.5f + z * (1.0f / 24 + z * (-1.0f / 720 +
      z * (1.0f / 40320 + z * (-1.0f / 3628800)))));
  return detail::Turn(cos, sin, quadrant);
}
/// cos, sin of 2 pi (high, low) / 2^64.
MSHADOW_XINLINE CosSin<double> CosSinTurn64(std::uint32_t high, std::uint32_t low) {
  const std::uint32_t quadrant = (high + 0x20000000u) >> 30;
  const double rest =
      static_cast<double>(static_cast<std::int32_t>(high - (quadrant << 30))) * 0x1p32 +
      (BitCast<double>(static_cast<std::uint64_t>(low) | 0x4330000000000000u) - 0x1p52);
  const double x = rest * 3.40612158008655459e-19;  // 2 pi / 2^64
  const double z = x * x;
  const double sin =
      x + x * z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 +
      z * (-1.0 / 39916800 + z * (1.0 / 6227020800.0 + z * (-1.0 / 1307674368000.0 +
      z * (1.0 / 355687428096000.0))))))));
  const double cos =
      1.0 + z * (-0.5 + z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 +
      z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200.0 +
      z * (1.0 / 20922789888000.0))))))));
  return detail::Turn(cos, sin, static_cast<std::uint64_t>(quadrant));
}

/// Two independent N(0, 1) variates.
template <typename Real>
struct NormalPair {
  Real a, b;
};

/// sqrt(-2 ln U) (cos, sin)(2 pi V): |value| <= 6.73, beyond which lie 1.7e-11 of all.
/// G. Box, M. Muller, "A note on the generation of random normal deviates", 1958.
MSHADOW_XINLINE NormalPair<float> Normal32(std::uint32_t w0, std::uint32_t w1) {
  const float radius = PositiveSqrt(2.0f * NegLogUniform32(w0));
  const CosSin<float> turn = CosSinTurn32(w1);
  return {radius * turn.cos, radius * turn.sin};
}
/// The same in double of all four words: |value| <= 8.65, beyond which lie 5e-18 of all.
MSHADOW_XINLINE NormalPair<double> Normal64(const Block& block) {
  const double radius = PositiveSqrt(2.0 * NegLogUniform64(block.w0, block.w1));
  const CosSin<double> turn = CosSinTurn64(block.w2, block.w3);
  return {radius * turn.cos, radius * turn.sin};
}

}  // namespace rng
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_NORMAL_H_
