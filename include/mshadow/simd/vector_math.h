// SPDX-License-Identifier: Apache-2.0
// glibc's vector math for whoever calls expf in a vectorised loop.
//
// The attribute `simd` tells GCC that libmvec holds vector forms of the function. It merges with
// the declaration of <math.h>, whichever comes first. Ops of users that call expf or std::exp are
// then vectorised without -ffast-math.
//   https://sourceware.org/glibc/wiki/libmvec (at most 4 ULP; errno is not set)
// The attribute `const` lets GCC call the function for every element where a branch asks for some:
// GCC 12 vectorises no masked calls.
// Clang has no such attribute: there the library's ops use the branch-free forms of op/math. Clang
// 14's -fveclib=libmvec calls AVX2 forms from SSE2 code, with wrong results.
#ifndef MSHADOW_SIMD_VECTOR_MATH_H_
#define MSHADOW_SIMD_VECTOR_MATH_H_

#include "../core/config.h"
#include "../core/libmvec.h"

#if MSHADOW_LIBMVEC >= 1
#define MSHADOW_VECTOR_(result, name, ...)                                               \
  __attribute__((__simd__("notinbranch"), __const__)) result name(__VA_ARGS__) noexcept; \
  __attribute__((__const__)) result __builtin_##name(__VA_ARGS__) noexcept;
#define MSHADOW_VECTOR_1(name)          \
  MSHADOW_VECTOR_(double, name, double) \
  MSHADOW_VECTOR_(float, name##f, float)
#define MSHADOW_VECTOR_2(name)                  \
  MSHADOW_VECTOR_(double, name, double, double) \
  MSHADOW_VECTOR_(float, name##f, float, float)

extern "C" {
MSHADOW_VECTOR_1(exp)
MSHADOW_VECTOR_1(log)
MSHADOW_VECTOR_1(sin)
MSHADOW_VECTOR_1(cos)
MSHADOW_VECTOR_2(pow)
#if MSHADOW_LIBMVEC >= 2
MSHADOW_VECTOR_1(exp2)
MSHADOW_VECTOR_1(expm1)
MSHADOW_VECTOR_1(log2)
MSHADOW_VECTOR_1(log10)
MSHADOW_VECTOR_1(log1p)
MSHADOW_VECTOR_1(tan)
MSHADOW_VECTOR_1(asin)
MSHADOW_VECTOR_1(acos)
MSHADOW_VECTOR_1(atan)
MSHADOW_VECTOR_1(sinh)
MSHADOW_VECTOR_1(cosh)
MSHADOW_VECTOR_1(tanh)
MSHADOW_VECTOR_1(asinh)
MSHADOW_VECTOR_1(acosh)
MSHADOW_VECTOR_1(atanh)
MSHADOW_VECTOR_1(cbrt)
MSHADOW_VECTOR_1(erf)
MSHADOW_VECTOR_1(erfc)
MSHADOW_VECTOR_2(atan2)
MSHADOW_VECTOR_2(hypot)
#endif
}  // extern "C"

#undef MSHADOW_VECTOR_
#undef MSHADOW_VECTOR_1
#undef MSHADOW_VECTOR_2
#endif  // MSHADOW_LIBMVEC
#endif  // MSHADOW_SIMD_VECTOR_MATH_H_
