// SPDX-License-Identifier: Apache-2.0
// Functions of the C library: as builtins of the compiler, as vector functions, and a square root
// without errno.
#ifndef MSHADOW_CORE_LIBMVEC_H_
#define MSHADOW_CORE_LIBMVEC_H_

#include <stdint.h>  // the cheapest header that tells the C library

#include "config.h"

/// The C library's function `name`, and HUGE_VAL, without <cmath>, which takes longer to parse than
/// <vector>.
#if !MSHADOW_PLAIN_CXX && !defined(__CUDACC__)
#define MSHADOW_LIBM(name) __builtin_##name
#define MSHADOW_INFINITY __builtin_huge_val()
#else
#include <math.h>
#define MSHADOW_LIBM(name) ::name
#define MSHADOW_INFINITY HUGE_VAL
#endif
/// As MSHADOW_LIBM in functions of the host, for which <math.h> need not be included under nvcc.
#if MSHADOW_PLAIN_CXX
#define MSHADOW_HOST_LIBM(name) ::name
#else
#define MSHADOW_HOST_LIBM(name) __builtin_##name
#endif

/// 2: glibc >= 2.35 on x86-64 and GCC: libmvec has every function that op:: uses.
/// 1: glibc >= 2.22: exp, log, pow, sin, cos. 0: no libmvec, or MSHADOW_VECTOR_MATH is 0.
#if MSHADOW_VECTOR_MATH && !MSHADOW_PLAIN_CXX && !defined(__clang__) && \
    !defined(__INTEL_COMPILER) && defined(__x86_64__) && defined(__LP64__) && \
    defined(__GLIBC__) && !defined(__CUDA_ARCH__)
#if __GLIBC_PREREQ(2, 35)
#define MSHADOW_LIBMVEC 2
#elif __GLIBC_PREREQ(2, 22)
#define MSHADOW_LIBMVEC 1
#endif
#endif
#ifndef MSHADOW_LIBMVEC
#define MSHADOW_LIBMVEC 0
#endif

// Compilers vectorise the square root only where the call cannot set errno. Declared const, it does
// not: sqrt(-1) is a NaN and nothing else. std::sqrt(float) calls the builtin.
#if MSHADOW_VECTOR_MATH && !MSHADOW_PLAIN_CXX && defined(__GLIBC__) && !defined(__CUDA_ARCH__)
extern "C" {
__attribute__((__const__)) double sqrt(double) noexcept;
__attribute__((__const__)) float sqrtf(float) noexcept;
__attribute__((__const__)) double __builtin_sqrt(double) noexcept;
__attribute__((__const__)) float __builtin_sqrtf(float) noexcept;
}
#endif

#endif  // MSHADOW_CORE_LIBMVEC_H_
