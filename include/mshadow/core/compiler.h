// SPDX-License-Identifier: Apache-2.0
// Attributes, pragmas and builtins of compilers, and the switches that they depend on.
#ifndef MSHADOW_CORE_COMPILER_H_
#define MSHADOW_CORE_COMPILER_H_

#ifdef MSHADOW_XINLINE
#error "MSHADOW_XINLINE must not be defined before mshadow is included"
#endif

/// 1: standard C++ alone, for other compilers than GCC and Clang: no attribute, pragma, builtin or
/// vector type of theirs. Set by users who want to see that.
#ifndef MSHADOW_PLAIN_CXX
#if defined(__GNUC__) || defined(__clang__)
#define MSHADOW_PLAIN_CXX 0
#else
#define MSHADOW_PLAIN_CXX 1
#endif
#endif
#if !defined(__cpp_exceptions) && !defined(_MSC_VER) && !defined(__CUDACC__)
#error "mshadow: errors are exceptions: compile without -fno-exceptions"
#endif

// g++ -Wsign-conversion reports each int that bounds an array and depends on a template parameter,
// before it knows the value. No such report in headers of mshadow: clang++, which waits for the
// value, checks their conversions.
#if !MSHADOW_PLAIN_CXX && !defined(__clang__) && !defined(__CUDACC__)
#define MSHADOW_WARNINGS_BEGIN_ \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"")
#define MSHADOW_WARNINGS_END_ _Pragma("GCC diagnostic pop")
#else
#define MSHADOW_WARNINGS_BEGIN_
#define MSHADOW_WARNINGS_END_
#endif

/// 1: what runs inside kernels are plain functions of the file's own level of optimisation, for one
/// instruction set: a debugger steps through them, and files compile in 0.6 of the time at -O0; 0:
/// they are inlined and optimised in every build. Set by users.
#ifndef MSHADOW_DEBUG_KERNELS
#define MSHADOW_DEBUG_KERNELS 0
#endif

#if MSHADOW_PLAIN_CXX
#ifdef _MSC_VER
#define MSHADOW_FORCE_INLINE __forceinline
#define MSHADOW_NOINLINE __declspec(noinline)
#else
#define MSHADOW_FORCE_INLINE inline
#define MSHADOW_NOINLINE
#endif
#define MSHADOW_INLINE_LAMBDA
#define MSHADOW_COLD MSHADOW_NOINLINE
#define MSHADOW_ALIGNED(x) alignas(x)
#define MSHADOW_LIKELY(x) (x)
#else
#if MSHADOW_DEBUG_KERNELS
#define MSHADOW_FORCE_INLINE inline
#define MSHADOW_INLINE_LAMBDA
#else
// g++ -finstrument-functions reports the address of each function it does not exempt, and so
// compiles inline functions of AVX code for the baseline as well: an error.
#define MSHADOW_FORCE_INLINE inline __attribute__((always_inline, no_instrument_function))
// Behind the parameters of a lambda that runs inside a kernel. GCC makes a kernel inline whatever
// it calls, but large functions of a lower level of optimisation, as the file's own often is: those
// stay calls of code for another instruction set.
#define MSHADOW_INLINE_LAMBDA __attribute__((always_inline, no_instrument_function))
#endif
#define MSHADOW_NOINLINE __attribute__((noinline))
// For functions that report errors, or that run once for a block of elements: they are small and
// compile fast.
#define MSHADOW_COLD __attribute__((noinline, cold))
#define MSHADOW_ALIGNED(x) __attribute__((aligned(x)))
#define MSHADOW_LIKELY(x) __builtin_expect(!!(x), 1)
#endif

/// Prefix of functions that run inside kernels: inlined but with MSHADOW_DEBUG_KERNELS, host and
/// device under nvcc.
#ifdef __CUDACC__
#define MSHADOW_XINLINE MSHADOW_FORCE_INLINE __device__ __host__
#else
#define MSHADOW_XINLINE MSHADOW_FORCE_INLINE
#endif
/// For functions that run inside kernels and call what is not MSHADOW_XINLINE, as a lambda. It does
/// not have the floating-point flags of the kernel (simd/isa.h). GCC then inlines it last, or not
/// at all where a pass has cloned it, as it does if the lambda captures. A function of this kind
/// inlines the lambda first, and is never cloned.
#if !MSHADOW_PLAIN_CXX && !defined(__clang__) && !MSHADOW_DEBUG_KERNELS
#ifdef __CUDACC__
#define MSHADOW_INLINE_CALLS inline __attribute__((flatten, noclone)) __device__ __host__
#else
#define MSHADOW_INLINE_CALLS inline __attribute__((flatten, noclone))
#endif
#else
#define MSHADOW_INLINE_CALLS MSHADOW_XINLINE
#endif
/// Before a loop that carries no dependence: aliases were dealt with before it runs.
#if MSHADOW_PLAIN_CXX || MSHADOW_DEBUG_KERNELS
#define MSHADOW_IVDEP
#elif defined(__clang__)
#define MSHADOW_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define MSHADOW_IVDEP _Pragma("GCC ivdep")
#endif
/// For functions that run on the host and on the device, inlined or not.
#ifdef __CUDACC__
#define MSHADOW_HOST_DEVICE __host__ __device__
#else
#define MSHADOW_HOST_DEVICE
#endif
/// Before a loop of few rounds, which a GPU's code is to hold once: what the compiler would add for
/// many rounds does not fit its instruction cache.
#ifdef __CUDA_ARCH__
#define MSHADOW_NO_UNROLL _Pragma("unroll 1")
#else
#define MSHADOW_NO_UNROLL
#endif
/// As MSHADOW_XINLINE, host only.
#define MSHADOW_CINLINE MSHADOW_FORCE_INLINE

#endif  // MSHADOW_CORE_COMPILER_H_
