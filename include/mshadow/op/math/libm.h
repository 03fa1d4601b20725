// SPDX-License-Identifier: Apache-2.0
// The C library's functions, overloaded for float and double as Sin, Cos, ...
// They become calls to sinf, cosf, ..., vectorised where simd/vector_math.h declares the vector form.
#ifndef MSHADOW_OP_MATH_LIBM_H_
#define MSHADOW_OP_MATH_LIBM_H_

#include "../../core/config.h"
#include "../../core/libmvec.h"

/// 1: the compiler may reorder sums, which breaks rounding by adding and subtracting.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
#define MSHADOW_REORDERED_MATH 1
#else
#define MSHADOW_REORDERED_MATH 0
#endif

/// 1: the branch-free forms of op/math stand for log, sinh, erf, ..., exp and tanh of double too.
/// libmvec's are as accurate and faster, and a GPU has its own.
#if defined(__CUDA_ARCH__) || MSHADOW_REORDERED_MATH || MSHADOW_LIBMVEC >= 2
#define MSHADOW_OWN_MATH 0
#else
#define MSHADOW_OWN_MATH 1
#endif

/// 1: floor, ceil, round, trunc and fmod are built from additions; there is no libmvec form.
/// exp and tanh of float are branch-free forms too: in the loop they are faster than libmvec's.
#if defined(__CUDA_ARCH__) || MSHADOW_REORDERED_MATH
#define MSHADOW_OWN_ROUNDING 0
#define MSHADOW_OWN_FLOAT 0
#else
#define MSHADOW_OWN_ROUNDING 1
#define MSHADOW_OWN_FLOAT 1
#endif

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

#define MSHADOW_MATH_FLOAT(Name, name) \
  MSHADOW_XINLINE float Name(float a) { return MSHADOW_LIBM(name##f)(a); }
#define MSHADOW_MATH_DOUBLE(Name, name) \
  MSHADOW_XINLINE double Name(double a) { return MSHADOW_LIBM(name)(a); }
#define MSHADOW_MATH_1(Name, name) MSHADOW_MATH_FLOAT(Name, name) MSHADOW_MATH_DOUBLE(Name, name)
#define MSHADOW_MATH_2(Name, name)                                                           \
  MSHADOW_XINLINE float Name(float a, float b) { return MSHADOW_LIBM(name##f)(a, b); }       \
  MSHADOW_XINLINE double Name(double a, double b) { return MSHADOW_LIBM(name)(a, b); }

MSHADOW_MATH_1(Abs, fabs)
MSHADOW_MATH_1(Sqrt, sqrt)
MSHADOW_MATH_1(Cbrt, cbrt)
MSHADOW_MATH_1(Sin, sin)
MSHADOW_MATH_1(Cos, cos)
MSHADOW_MATH_1(Tan, tan)
MSHADOW_MATH_1(Asin, asin)
MSHADOW_MATH_1(Acos, acos)
MSHADOW_MATH_1(Atan, atan)
MSHADOW_MATH_2(Atan2, atan2)
MSHADOW_MATH_2(Pow, pow)
MSHADOW_MATH_2(Fmod, fmod)

#if !MSHADOW_OWN_ROUNDING
MSHADOW_MATH_1(Floor, floor)
MSHADOW_MATH_1(Ceil, ceil)
MSHADOW_MATH_1(Trunc, trunc)
MSHADOW_MATH_1(Round, rint)
#endif
#if !MSHADOW_OWN_FLOAT
MSHADOW_MATH_FLOAT(Exp, exp)
MSHADOW_MATH_FLOAT(Tanh, tanh)
#endif
#if !MSHADOW_OWN_MATH
MSHADOW_MATH_DOUBLE(Exp, exp)
MSHADOW_MATH_DOUBLE(Tanh, tanh)
MSHADOW_MATH_1(Exp2, exp2)
MSHADOW_MATH_1(Expm1, expm1)
MSHADOW_MATH_1(Log, log)
MSHADOW_MATH_1(Log2, log2)
MSHADOW_MATH_1(Log10, log10)
MSHADOW_MATH_1(Log1p, log1p)
MSHADOW_MATH_1(Sinh, sinh)
MSHADOW_MATH_1(Cosh, cosh)
MSHADOW_MATH_1(Asinh, asinh)
MSHADOW_MATH_1(Acosh, acosh)
MSHADOW_MATH_1(Atanh, atanh)
MSHADOW_MATH_1(Erf, erf)
MSHADOW_MATH_1(Erfc, erfc)
#endif

#undef MSHADOW_MATH_1
#undef MSHADOW_MATH_FLOAT
#undef MSHADOW_MATH_DOUBLE
#undef MSHADOW_MATH_2

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_LIBM_H_
