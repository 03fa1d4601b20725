// SPDX-License-Identifier: Apache-2.0
// Sixteen Philox blocks at a time.
//
// GCC 12 vectorises the loop of core/philox.h too, but takes twice as long: ns a word with AVX-512,
// AVX2, SSE2 0.36, 0.82, 1.26; the plain loop 1.04, 1.52, 2.52.
#ifndef MSHADOW_SIMD_PHILOX_H_
#define MSHADOW_SIMD_PHILOX_H_

#include <cstring>

#include "../core/philox.h"
#include "isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace simd {

/// words[16 k + l] = word k of block (low + l, high) of turn 0; low is a multiple of 16.
MSHADOW_FORCE_INLINE void PhiloxScalar(const rng::Draw& draw, std::uint32_t low,
                                       std::uint32_t high, std::uint32_t* words) {
  MSHADOW_IVDEP
  for (std::uint32_t lane = 0; lane < rng::kChunkBlocks; ++lane) {
    const rng::Block block = draw.At(low + lane, high, 0);
    words[lane] = block.w0;
    words[16 + lane] = block.w1;
    words[32 + lane] = block.w2;
    words[48 + lane] = block.w3;
  }
}

#if MSHADOW_SIMD_DISPATCH && !defined(__clang__)

// One function an instruction set, not inlined: GCC splits vector operations that the function's
// own target lacks before it inlines. The low halves of 64-bit lanes hold the words; the
// multiplication, in assembly since GCC makes three instructions of it, does not read the high
// halves. Two sets of counters hide its latency.
#define MSHADOW_PHILOX_CHUNK_(Isa, target, kBytes, multiply)                                      \
  MSHADOW_KERNEL target inline void PhiloxChunkOf(Isa, const rng::Draw& draw, std::uint32_t low,  \
                                                  std::uint32_t high, std::uint32_t* words) {     \
    typedef unsigned long long Wide __attribute__((vector_size(kBytes)));                         \
    typedef std::uint32_t Narrow __attribute__((vector_size(kBytes / 2)));                        \
    constexpr int kLanes = kBytes / 8;                                                            \
    const unsigned long long counts[8] = {0, 1, 2, 3, 4, 5, 6, 7};                                \
    const Wide zero = {}, m0 = zero + 0xD2511F53u, m1 = zero + 0xCD9E8D57u;                       \
    Wide count = zero;                                                                            \
    std::memcpy(&count, counts, sizeof(count));                                                   \
    for (int l = 0; l < rng::kChunkBlocks; l += 2 * kLanes) {                                     \
      Wide a0 = count + (low + static_cast<std::uint32_t>(l)), a1 = zero + high;                  \
      Wide b0 = count + (low + static_cast<std::uint32_t>(l + kLanes)), b1 = a1;                  \
      Wide a2 = zero + draw.n_low, a3 = zero, b2 = a2, b3 = zero, p, q;                           \
      std::uint32_t k0 = draw.seed, k1 = draw.n_high;                                             \
      for (int round = 0; round < 10; ++round) {                                                  \
        multiply(p, a0, m0);                                                                      \
        multiply(q, a2, m1);                                                                      \
        a0 = (q >> 32) ^ a1 ^ k0, a1 = q, a2 = (p >> 32) ^ a3 ^ k1, a3 = p;                       \
        multiply(p, b0, m0);                                                                      \
        multiply(q, b2, m1);                                                                      \
        b0 = (q >> 32) ^ b1 ^ k0, b1 = q, b2 = (p >> 32) ^ b3 ^ k1, b3 = p;                       \
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;                                                     \
      }                                                                                           \
      const Wide result[8] = {a0, b0, a1, b1, a2, b2, a3, b3};                                    \
      for (int k = 0; k < 8; ++k) {                                                               \
        const Narrow narrow = __builtin_convertvector(result[k], Narrow);                         \
        std::memcpy(words + k / 2 * 16 + l + k % 2 * kLanes, &narrow, sizeof(narrow));            \
      }                                                                                           \
    }                                                                                             \
  }
#define MSHADOW_PHILOX_MUL_(p, x, m) asm("vpmuludq %2, %1, %0" : "=v"(p) : "v"(x), "v"(m))
#ifdef __AVX__
#define MSHADOW_PHILOX_MUL2_ MSHADOW_PHILOX_MUL_
#else
#define MSHADOW_PHILOX_MUL2_(p, x, m) \
  p = x;                              \
  asm("pmuludq %1, %0" : "+x"(p) : "x"(m))
#endif
MSHADOW_PHILOX_CHUNK_(Baseline, , 16, MSHADOW_PHILOX_MUL2_)
MSHADOW_PHILOX_CHUNK_(Avx2, MSHADOW_TARGET("avx2"), 32, MSHADOW_PHILOX_MUL_)
MSHADOW_PHILOX_CHUNK_(Avx512, MSHADOW_TARGET("avx512f"), 64, MSHADOW_PHILOX_MUL_)
#undef MSHADOW_PHILOX_CHUNK_
#undef MSHADOW_PHILOX_MUL_
#undef MSHADOW_PHILOX_MUL2_

/// As PhiloxScalar, in vectors of the instruction set.
template <typename Isa>
MSHADOW_FORCE_INLINE void PhiloxChunk(const rng::Draw& draw, std::uint32_t low, std::uint32_t high,
                                      std::uint32_t* words) {
  PhiloxChunkOf(Isa(), draw, low, high, words);
}

#else

template <typename Isa>
MSHADOW_FORCE_INLINE void PhiloxChunk(const rng::Draw& draw, std::uint32_t low, std::uint32_t high,
                                      std::uint32_t* words) {
  PhiloxScalar(draw, low, high, words);
}

#endif

}  // namespace simd
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_SIMD_PHILOX_H_
