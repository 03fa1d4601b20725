// SPDX-License-Identifier: Apache-2.0
// Counter-based random bits: ten rounds of a block cipher turn a counter into random words. There
// is no state, so results do not depend on threads, vector width, padding or device.
//
// The counter of draw n (the n-th call that samples) under seed s:
//   key = (s, high half of n)   counter = (index low, index high, low half of n, turn)
// Turn 0 belongs to fills that take whole blocks: `index` numbers the blocks. Turns 1, 2, ...
// belong to elements that need an unknown number of words: `index` is the element.
#ifndef MSHADOW_CORE_PHILOX_H_
#define MSHADOW_CORE_PHILOX_H_

#include <cstdint>

#include "config.h"

MSHADOW_NAMESPACE_BEGIN
namespace rng {

/// Four random words.
struct Block {
  std::uint32_t w0, w1, w2, w3;
};

/// One round. Compilers find the vector multiplications where the halves of a product are computed
/// apart and the words are passed one by one (Clang 14, AVX-512: 0.36 ns a word for 0.69 and 1.4).
MSHADOW_XINLINE void PhiloxRound(std::uint32_t& c0, std::uint32_t& c1, std::uint32_t& c2,
                                 std::uint32_t& c3, std::uint32_t k0, std::uint32_t k1) {
  constexpr std::uint32_t kM0 = 0xD2511F53u, kM1 = 0xCD9E8D57u;
  const auto high0 = static_cast<std::uint32_t>((static_cast<std::uint64_t>(c0) * kM0) >> 32);
  const auto high1 = static_cast<std::uint32_t>((static_cast<std::uint64_t>(c2) * kM1) >> 32);
  const std::uint32_t low0 = c0 * kM0, low1 = c2 * kM1;
  c0 = high1 ^ c1 ^ k0;
  c1 = low1;
  c2 = high0 ^ c3 ^ k1;
  c3 = low0;
}

/// Philox4x32-10: the block of the counter (c0, c1, c2, c3) under the key (k0, k1).
/// J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
MSHADOW_XINLINE Block Philox4x32(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                 std::uint32_t c3, std::uint32_t k0, std::uint32_t k1) {
  constexpr std::uint32_t kW0 = 0x9E3779B9u, kW1 = 0xBB67AE85u;
  // No loop: it would be the inner one, and the loop over counters would not be vectorised.
  PhiloxRound(c0, c1, c2, c3, k0, k1);
  PhiloxRound(c0, c1, c2, c3, k0 + 1 * kW0, k1 + 1 * kW1);
  PhiloxRound(c0, c1, c2, c3, k0 + 2 * kW0, k1 + 2 * kW1);
  PhiloxRound(c0, c1, c2, c3, k0 + 3 * kW0, k1 + 3 * kW1);
  PhiloxRound(c0, c1, c2, c3, k0 + 4 * kW0, k1 + 4 * kW1);
  PhiloxRound(c0, c1, c2, c3, k0 + 5 * kW0, k1 + 5 * kW1);
  PhiloxRound(c0, c1, c2, c3, k0 + 6 * kW0, k1 + 6 * kW1);
  PhiloxRound(c0, c1, c2, c3, k0 + 7 * kW0, k1 + 7 * kW1);
  PhiloxRound(c0, c1, c2, c3, k0 + 8 * kW0, k1 + 8 * kW1);
  PhiloxRound(c0, c1, c2, c3, k0 + 9 * kW0, k1 + 9 * kW1);
  return {c0, c1, c2, c3};
}

/// The numbers of draw `n` under `seed`.
struct Draw {
  std::uint32_t seed;
  std::uint32_t n_low;
  std::uint32_t n_high;

  MSHADOW_XINLINE static Draw Of(std::uint32_t seed, std::uint64_t n) {
    return {seed, static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n >> 32)};
  }
  MSHADOW_XINLINE Block At(std::uint32_t index_low, std::uint32_t index_high,
                           std::uint32_t turn) const {
    return Philox4x32(index_low, index_high, n_low, turn, seed, n_high);
  }
};

/// A fill that makes P numbers of a block goes in chunks of 16 blocks, and number k of block l of
/// the chunk is its element 16 k + l: neighbouring lanes (or GPU threads) store side by side.
///   element i: chunk = i / (16 P), k = i % (16 P) / 16, block = 16 chunk + i % 16
constexpr int kChunkBlocks = 16;

/// `word` 2^-32 rounded down to a multiple of 2^-24, exact: [0, 1).
MSHADOW_XINLINE float UniformFloat(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 8)) * 0x1p-24f;
}
/// 27 bits of `high` above 26 bits of `low`: a multiple of 2^-53 in [0, 1).
MSHADOW_XINLINE double UniformDouble(std::uint32_t high, std::uint32_t low) {
  // Signed conversions: every instruction set has them. Both products and the sum are exact.
  return static_cast<double>(static_cast<std::int32_t>(high >> 5)) * 0x1p-27 +
         static_cast<double>(static_cast<std::int32_t>(low >> 6)) * 0x1p-53;
}

}  // namespace rng
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_PHILOX_H_
