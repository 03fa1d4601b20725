// SPDX-License-Identifier: Apache-2.0
// Prefetches, non-temporal stores, and which loops they suit. An ordinary store reads the line that
// it writes to: half of the traffic is for nothing where the cache does not keep the line.
#ifndef MSHADOW_SIMD_CACHE_H_
#define MSHADOW_SIMD_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa.h"

/// 1: there are non-temporal stores.
#if defined(__x86_64__) && !MSHADOW_PLAIN_CXX && !defined(__CUDACC__)
#define MSHADOW_STREAM_STORES 1
#include <cpuid.h>
#else
#define MSHADOW_STREAM_STORES 0
#endif

MSHADOW_NAMESPACE_BEGIN
namespace simd {

constexpr std::ptrdiff_t kLineBytes = 64;
/// The bytes from the beginning of its line to an address.
MSHADOW_FORCE_INLINE std::ptrdiff_t LineOffset(const void* at) {
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(at) % kLineBytes);
}

#if MSHADOW_STREAM_STORES
namespace detail {
template <typename T, int bytes>
struct LineVector {
  typedef T Type __attribute__((vector_size(bytes)));
};
}  // namespace detail
#endif

/// *to = v by a non-temporal store; `to` is aligned as V. A line is best written whole, at once.
/// Other threads see it after StreamFence().
template <typename V>
MSHADOW_FORCE_INLINE void StreamStore(const V& v, V* to) {
#if !MSHADOW_STREAM_STORES
  *to = v;
#elif defined(__clang__)
  __builtin_nontemporal_store(v, to);
#else
  // GCC has a function for each length.
  using Floats = typename detail::LineVector<float, sizeof(V)>::Type;
  const Floats floats = (Floats)v;  // NOLINT: static_cast does not convert vectors
  float* const at = reinterpret_cast<float*>(to);
  if constexpr (sizeof(V) == 16) {
    __builtin_ia32_movntps(at, floats);
#if MSHADOW_SIMD_DISPATCH
  } else if constexpr (sizeof(V) == 32) {
    __builtin_ia32_movntps256(at, floats);
  } else if constexpr (sizeof(V) == 64) {
    __builtin_ia32_movntps512(at, floats);
#endif
  } else {
    *to = v;
  }
#endif
}
/// The line at `to` = that at `from`, by non-temporal stores.
template <typename Isa>
MSHADOW_FORCE_INLINE void StreamLine(const char* from, char* to) {
#if MSHADOW_STREAM_STORES
  using Vector = typename detail::LineVector<uint32_t, Isa::kVectorBytes>::Type;
  for (std::ptrdiff_t i = 0; i < kLineBytes; i += Isa::kVectorBytes) {
    Vector v;
    std::memcpy(&v, from + i, sizeof(v));
    StreamStore(v, reinterpret_cast<Vector*>(to + i));
  }
#else
  std::memcpy(to, from, kLineBytes);
#endif
}
MSHADOW_FORCE_INLINE void StreamFence() {
#if MSHADOW_STREAM_STORES
  __builtin_ia32_sfence();
#endif
}

/// Asks for the line at an address, to read or (write = 1) to write it; any address will do.
template <int write = 0>
MSHADOW_FORCE_INLINE void Prefetch([[maybe_unused]] const void* at) {
#if !MSHADOW_PLAIN_CXX
  __builtin_prefetch(at, write);
#endif
}

namespace detail {
/// A cache, and how many threads of the processor share it.
struct SharedCache {
  std::ptrdiff_t bytes, threads;
  bool suits_narrow_vectors = false;  ///< is more read past it in vectors of 32 bytes than of 64?
};

/// The last-level cache as AMD's processors describe it (AMD64 Architecture Programmer's Manual,
/// volume 3, CPUID 8000_001D); of 0 bytes on others. glibc's sysconf gives the sum of all of them.
MSHADOW_COLD inline SharedCache LastLevelCache() {
  SharedCache cache = {0, 1};
#if MSHADOW_STREAM_STORES
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  for (unsigned i = 0; __get_cpuid_count(0x8000001D, i, &eax, &ebx, &ecx, &edx) && eax & 31; ++i) {
    const auto field = [](unsigned word, int low, int bits) {
      return static_cast<std::ptrdiff_t>(word >> low & ((1u << bits) - 1)) + 1;
    };
    const std::ptrdiff_t ways = field(ebx, 22, 10), parts = field(ebx, 12, 10);
    const std::ptrdiff_t line = field(ebx, 0, 12), sets = static_cast<std::ptrdiff_t>(ecx) + 1;
    cache = {ways * parts * line * sets, field(eax, 14, 12)};
  }
  // Of family 19h, those with AVX-512 are Zen 4.
  if (cache.bytes != 0 && __get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
    cache.suits_narrow_vectors = (eax >> 8 & 15) + (eax >> 20 & 255) == 0x19;
  }
#endif
  return cache;
}

/// In tests: what LastLevelCache would say.
inline SharedCache& TheLastLevelCache() {
  static SharedCache cache = LastLevelCache();
  return cache;
}
}  // namespace detail

/// True if non-temporal stores suit a statement that moves so many bytes on so many threads. Their
/// caches do not hold the result, so what reads it next finds it in memory either way. False on
/// processors where this was not measured.
MSHADOW_NOINLINE inline bool ExceedsCache(std::size_t bytes, std::ptrdiff_t threads) {
  const detail::SharedCache& cache = detail::TheLastLevelCache();
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(bytes);
  if (cache.bytes == 0 || size < cache.bytes) return false;  // without a division: small statements
  return size >= cache.bytes * ((threads + cache.threads - 1) / cache.threads);
}

/// The instruction set for loops that compute little from so many bytes, read by so many threads.
/// On a Zen 4 it is AVX2 where these bytes fill half of the caches or more: sums read up to 1.4
/// times as much in a second. Results are the same.
inline Isa IsaForMemory(std::size_t bytes, std::ptrdiff_t threads) {
  const bool narrow = ActiveIsa() == Isa::kAvx512 &&
                      detail::TheLastLevelCache().suits_narrow_vectors &&
                      ExceedsCache(2 * bytes, threads);
  return narrow ? Isa::kAvx2 : ActiveIsa();
}

}  // namespace simd
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_SIMD_CACHE_H_
