// SPDX-License-Identifier: Apache-2.0
// Arrays of half_t to and from float by the F16C instructions, eight numbers each, or sixteen by
// those of AVX-512.
//
// Compilers do not vectorise conversions of half to these instructions (GCC 12, Clang 14). The
// results are those of half_t bit for bit; https://www.felixcloutier.com/x86/vcvtps2ph
#ifndef MSHADOW_SIMD_HALF_CONVERT_H_
#define MSHADOW_SIMD_HALF_CONVERT_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../core/half.h"
#include "isa.h"

/// 1: there are such instructions, and they round as half_t does.
#if MSHADOW_SIMD_DISPATCH && MSHADOW_HALF_ROUND_TO_NEAREST && !defined(__CUDACC__)
#define MSHADOW_HALF_CONVERT 1
#else
#define MSHADOW_HALF_CONVERT 0
#endif
/// 1: kernels use them for parts of a row. Clang takes no vector of AVX2 in assembly that stands in
/// a function for the baseline, whoever inlines it.
#if MSHADOW_HALF_CONVERT && !defined(__clang__)
#define MSHADOW_HALF_LANES 1
#else
#define MSHADOW_HALF_LANES 0
#endif

MSHADOW_NAMESPACE_BEGIN
namespace simd {
namespace detail {

#if MSHADOW_HALF_CONVERT
using EightHalves = int16_t __attribute__((vector_size(16)));
using EightFloats = float __attribute__((vector_size(32)));

/// The first n / 8 * 8 elements; returns their number.
MSHADOW_KERNEL MSHADOW_TARGET("avx,f16c") inline std::ptrdiff_t ConvertWhole(
    float* to, const half::half_t* from, std::ptrdiff_t n) {
  std::ptrdiff_t i = 0;
  for (; i + 8 <= n; i += 8) {
    EightHalves halves;
    __builtin_memcpy(&halves, from + i, sizeof(halves));
    const EightFloats floats = __builtin_ia32_vcvtph2ps256(halves);
    __builtin_memcpy(to + i, &floats, sizeof(floats));
  }
  return i;
}
MSHADOW_KERNEL MSHADOW_TARGET("avx,f16c") inline std::ptrdiff_t ConvertWhole(
    half::half_t* to, const float* from, std::ptrdiff_t n) {
  std::ptrdiff_t i = 0;
  for (; i + 8 <= n; i += 8) {
    EightFloats floats;
    __builtin_memcpy(&floats, from + i, sizeof(floats));
    const EightHalves halves = __builtin_ia32_vcvtps2ph256(floats, 0);  // 0: ties to even
    __builtin_memcpy(static_cast<void*>(to + i), &halves, sizeof(halves));
  }
  return i;
}

using SixteenHalves = int16_t __attribute__((vector_size(32)));
using SixteenFloats = float __attribute__((vector_size(64)));

/// The first n / 16 * 16 elements; returns their number. (The other direction is bound by loads.)
MSHADOW_KERNEL MSHADOW_TARGET("avx512f") inline std::ptrdiff_t ConvertSixteens(
    half::half_t* to, const float* from, std::ptrdiff_t n) {
  std::ptrdiff_t i = 0;
  for (; i + 16 <= n; i += 16) {
    SixteenFloats floats;
    __builtin_memcpy(&floats, from + i, sizeof(floats));
    const SixteenHalves halves =
        __builtin_ia32_vcvtps2ph512_mask(floats, 0, SixteenHalves{}, 0xffff);
    __builtin_memcpy(static_cast<void*>(to + i), &halves, sizeof(halves));
  }
  return i;
}
#endif

}  // namespace detail

/// to[i] = To(from[i]) for i < n, between half_t and float, which do not overlap.
template <typename To, typename From>
MSHADOW_FORCE_INLINE void ConvertHalves(To* to, const From* from, std::ptrdiff_t n) {
#if MSHADOW_HALF_CONVERT
  if (ActiveIsa() != Isa::kBaseline) {
    std::ptrdiff_t done = 0;
    if constexpr (std::is_same_v<From, float>) {
      if (ActiveIsa() == Isa::kAvx512) done = detail::ConvertSixteens(to, from, n);
    }
    if (n >= 8) {
      if (done < n) done += detail::ConvertWhole(to + done, from + done, n - done);
      if (done < n) detail::ConvertWhole(to + n - 8, from + n - 8, 8);  // some of them again
      return;
    }
    From some[8] = {};
    To converted[8];
    for (std::ptrdiff_t i = 0; i < n; ++i) some[i] = from[i];
    detail::ConvertWhole(converted, some, 8);
    for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = converted[i];
    return;
  }
#endif
  MSHADOW_IVDEP
  for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
}

/// Lanes: the elements of a row that are floats in one vector of AVX2.
constexpr int kHalfLanes = 8;

// With MSHADOW_HALF_LANES these are for kernels of AVX2 and AVX-512. Assembly, since a builtin may
// stand in no function for the baseline. Eight floats are stored at once, also those of bf16_t: of
// a loop over them GCC makes vectors of four, and a load of eight waits for both.

/// to[k] = from[k] for k < kHalfLanes; T is float or a type of 16 bits.
template <typename T>
MSHADOW_FORCE_INLINE void LanesToFloat(const T* from, float* to) {
#if MSHADOW_HALF_LANES
  detail::EightFloats floats;
  if constexpr (std::is_same_v<T, float>) {
    __builtin_memcpy(&floats, from, sizeof(floats));
  } else {
    detail::EightHalves lanes;
    __builtin_memcpy(&lanes, from, sizeof(lanes));
    if constexpr (std::is_same_v<T, half::half_t>) {
      __asm__("vcvtph2ps %1, %0" : "=v"(floats) : "v"(lanes));
    } else {
      __asm__("vpmovzxwd %1, %0\n\tvpslld $16, %0, %0" : "=v"(floats) : "v"(lanes));
    }
  }
  __builtin_memcpy(to, &floats, sizeof(floats));
#else
  for (int k = 0; k < kHalfLanes; ++k) to[k] = static_cast<float>(from[k]);
#endif
}

/// to[k] = T(from[k]) for k < kHalfLanes.
template <typename T>
MSHADOW_FORCE_INLINE void LanesFromFloat(const float* from, T* to) {
#if MSHADOW_HALF_LANES
  if constexpr (std::is_same_v<T, float>) {
    return LanesToFloat(from, to);
  } else if constexpr (std::is_same_v<T, half::half_t>) {
    detail::EightFloats floats;
    detail::EightHalves halves;
    __builtin_memcpy(&floats, from, sizeof(floats));
    __asm__("vcvtps2ph $0, %1, %0" : "=v"(halves) : "v"(floats));  // 0: ties to even
    __builtin_memcpy(static_cast<void*>(to), &halves, sizeof(halves));
    return;
  }
#endif
  MSHADOW_SIMD_LOOP
  for (int k = 0; k < kHalfLanes; ++k) to[k] = static_cast<T>(from[k]);
}

/// number[k] = T(number[k]) for k < kHalfLanes.
template <typename T>
MSHADOW_FORCE_INLINE void RoundLanes(float* number) {
  if constexpr (!std::is_same_v<T, float>) {
    T rounded[kHalfLanes];
    LanesFromFloat(number, rounded);
    LanesToFloat(rounded, number);
  }
}

}  // namespace simd
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_SIMD_HALF_CONVERT_H_
