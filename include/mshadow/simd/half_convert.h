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

}  // namespace simd
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_SIMD_HALF_CONVERT_H_
