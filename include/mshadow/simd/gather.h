// SPDX-License-Identifier: Apache-2.0
// Elements at ascending indices that lie close to each other.
//
// GCC 12 splits gathers unless it tunes for one processor. Where indices span less than two vectors
// a permutation takes a tenth of a gather's time.
#ifndef MSHADOW_SIMD_GATHER_H_
#define MSHADOW_SIMD_GATHER_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace simd {
namespace detail {

#if MSHADOW_SIMD_DISPATCH && !defined(__CUDACC__)
using Float8 = float __attribute__((vector_size(32)));
using Int8 = int32_t __attribute__((vector_size(32)));
using Float16 = float __attribute__((vector_size(64)));
using Int16 = int32_t __attribute__((vector_size(64)));
#if defined(__clang__)
using Mask16 = unsigned short;  // NOLINT: what the builtin takes
#else
using Mask16 = short;  // NOLINT
#endif

/// The first n / 16 * 16 elements; returns their number.
MSHADOW_KERNEL MSHADOW_TARGET("avx512f") inline std::ptrdiff_t GatherWholeAvx512(
    float* to, const float* from, const int32_t* index, std::ptrdiff_t n) {
  std::ptrdiff_t i = 0;
  for (; i + 16 <= n; i += 16) {
    Int16 at;
    Float16 low, high, all{};
    __builtin_memcpy(&at, index + i, sizeof(at));
    if (index[i + 15] - index[i] < 32) {
      __builtin_memcpy(&low, from + index[i], sizeof(low));
      __builtin_memcpy(&high, from + index[i] + 16, sizeof(high));
      at -= index[i];
#if defined(__clang__)
      all = __builtin_ia32_vpermi2varps512(low, at, high);
#else
      all = __builtin_shuffle(low, high, at);
#endif
    } else {
      all = __builtin_ia32_gathersiv16sf(all, from, at, static_cast<Mask16>(-1), 4);
    }
    __builtin_memcpy(to + i, &all, sizeof(all));
  }
  return i;
}
MSHADOW_KERNEL MSHADOW_TARGET("avx2") inline std::ptrdiff_t GatherWholeAvx2(
    float* to, const float* from, const int32_t* index, std::ptrdiff_t n) {
  std::ptrdiff_t i = 0;
  for (; i + 8 <= n; i += 8) {
    Int8 at;
    Float8 all{};
    __builtin_memcpy(&at, index + i, sizeof(at));
    if (index[i + 7] - index[i] < 8) {
      __builtin_memcpy(&all, from + index[i], sizeof(all));
      all = __builtin_ia32_permvarsf256(all, at - index[i]);
    } else {
      const Float8 every = reinterpret_cast<Float8>(Int8{} - 1);
#if defined(__clang__)
      all = __builtin_ia32_gatherd_ps256(all, from, at, every, 4);
#else
      all = __builtin_ia32_gathersiv8sf(all, from, at, every, 4);
#endif
    }
    __builtin_memcpy(to + i, &all, sizeof(all));
  }
  return i;
}
#endif

}  // namespace detail

/// to[i] = from[index[i]] for i < n, where index ascends and is not negative; the 32 elements from
/// any of them on can be read.
template <typename T>
inline void GatherAscending(T* to, const T* from, const int32_t* index, std::ptrdiff_t n) {
  std::ptrdiff_t i = 0;
#if MSHADOW_SIMD_DISPATCH && !defined(__CUDACC__)
  if constexpr (std::is_same_v<T, float>) {
    if (ActiveIsa() == Isa::kAvx512) {
      i = detail::GatherWholeAvx512(to, from, index, n);
    } else if (ActiveIsa() == Isa::kAvx2) {
      i = detail::GatherWholeAvx2(to, from, index, n);
    }
  }
#endif
  for (; i < n; ++i) to[i] = from[index[i]];
}

}  // namespace simd
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_SIMD_GATHER_H_
