// SPDX-License-Identifier: Apache-2.0
// Derivatives of the functions of complex numbers, for programs that include <mshadow/complex.h>.
//
// The gradient of a real loss L by a complex z is dL/d(real z) + i dL/d(imag z), as in PyTorch. For
// f with a complex derivative it is g times the conjugate of that: Record hands the rules of
// derivative.h the conjugates of all values. Here are the others, which take the values themselves
// where the result is real.
#ifndef MSHADOW_GRAD_COMPLEX_H_
#define MSHADOW_GRAD_COMPLEX_H_

#include "../core/complex_number.h"
#include "derivative.h"

MSHADOW_NAMESPACE_BEGIN

// Defined in op/complex_functions.h, which needs <complex>.
namespace op::complex {
#define MSHADOW_COMPLEX_NAMES_(X)                                                             \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sqrt) X(rsqrt) X(reciprocal)     \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(atanh)
#define MSHADOW_COMPLEX_ROW_(name) struct name;
MSHADOW_COMPLEX_NAMES_(MSHADOW_COMPLEX_ROW_)
#undef MSHADOW_COMPLEX_ROW_
struct acosh;
struct conj;
struct real;
struct imag;
struct abs;
struct arg;
struct join;
struct unit;
struct round;
struct is_nan;
struct is_inf;
struct is_finite;
}  // namespace op::complex

namespace expr {
namespace detail {

/// True if OP has a derivative rule that is right for complex operands or results.
template <typename OP>
inline constexpr bool kHasComplexRule = false;
/// The conjugate of a value where E, a node, and the value are complex; else the value.
template <typename E, typename V, typename DType, int etype>
inline decltype(auto) ConjugateFor(const Exp<V, DType, etype>& v) {
  if constexpr (!kIsComplex<ElementOfExp<E>> || !kIsComplex<DType>) {
    return (v.self());
  } else if constexpr (std::is_same_v<V, ScalarExp<DType>>) {
    return ScalarExp<DType>(Computed<DType>(Computed<DType>(v.self().scalar_).re,
                                            -Computed<DType>(v.self().scalar_).im));
  } else {
    return conj(v.self());
  }
}
/// The same of a factor.
template <typename T>
inline T ConjugateOf(const T& s) {
  if constexpr (kIsComplex<T>) {
    return Computed<T>(Computed<T>(s).re, -Computed<T>(s).im);
  } else {
    return s;
  }
}
}  // namespace detail

#define MSHADOW_COMPLEX_RULE_(name) \
  template <>                       \
  inline constexpr bool detail::kHasComplexRule<op::name> = true;
MSHADOW_COMPLEX_RULE_(identity)
MSHADOW_COMPLEX_RULE_(plus)
MSHADOW_COMPLEX_RULE_(minus)
MSHADOW_COMPLEX_RULE_(mul)
MSHADOW_COMPLEX_RULE_(div)
MSHADOW_COMPLEX_RULE_(pow)
MSHADOW_COMPLEX_RULE_(negate)
MSHADOW_COMPLEX_RULE_(square)
MSHADOW_COMPLEX_RULE_(where)

#define MSHADOW_COMPLEX_DERIVATIVE_(name, i, reads, ...)                              \
  template <>                                                                         \
  struct Derivative<op::complex::name, i> {                                           \
    static constexpr unsigned kReads = reads;                                         \
    static constexpr bool kZero = false, kPass = false;                               \
    template <typename G, typename Y, typename A, typename B = int>                   \
    static auto Of([[maybe_unused]] const G& g, [[maybe_unused]] const Y& y,          \
                   [[maybe_unused]] const A& a, [[maybe_unused]] const B& b = B()) {  \
      using T = detail::ElementOfExp<A>;                                              \
      (void)sizeof(T);                                                                \
      return __VA_ARGS__;                                                             \
    }                                                                                 \
  };
#define MSHADOW_COMPLEX_ROW_(name)        \
  template <>                             \
  struct Derivative<op::complex::name, 0> \
      : Derivative<op::name, 0> {};       \
  MSHADOW_COMPLEX_RULE_(complex::name)
MSHADOW_COMPLEX_NAMES_(MSHADOW_COMPLEX_ROW_)
#undef MSHADOW_COMPLEX_ROW_
#undef MSHADOW_COMPLEX_NAMES_
// With the cuts of acosh, which rsqrt(a^2 - 1) does not have.
MSHADOW_COMPLEX_DERIVATIVE_(acosh, 0, kA,
                            detail::Chain(g, rsqrt(a - T(1)) * rsqrt(a + T(1))))
MSHADOW_COMPLEX_DERIVATIVE_(conj, 0, kNone, conj(g))
MSHADOW_COMPLEX_DERIVATIVE_(real, 0, kNone, tcast<T>(g))
MSHADOW_COMPLEX_DERIVATIVE_(imag, 0, kNone, tcast<T>(g) * T(0, 1))
MSHADOW_COMPLEX_DERIVATIVE_(abs, 0, kA, tcast<T>(g) * sign(a))
MSHADOW_COMPLEX_DERIVATIVE_(arg, 0, kA, tcast<T>(g) * T(0, 1) / conj(a))
MSHADOW_COMPLEX_DERIVATIVE_(join, 0, kNone, real(g))
MSHADOW_COMPLEX_DERIVATIVE_(join, 1, kNone, imag(g))
MSHADOW_COMPLEX_DERIVATIVE_(unit, 0, kResult, imag(g * y))  // y is the conjugate
MSHADOW_COMPLEX_RULE_(complex::acosh)
MSHADOW_COMPLEX_RULE_(complex::conj)
MSHADOW_COMPLEX_RULE_(complex::real)
MSHADOW_COMPLEX_RULE_(complex::imag)
MSHADOW_COMPLEX_RULE_(complex::abs)
MSHADOW_COMPLEX_RULE_(complex::arg)
MSHADOW_COMPLEX_RULE_(complex::join)
MSHADOW_COMPLEX_RULE_(complex::unit)
#define MSHADOW_COMPLEX_ZERO_(name)                                                   \
  template <>                                                                         \
  struct Derivative<op::complex::name, 0> : Derivative<op::logical_not, 0> {};        \
  MSHADOW_COMPLEX_RULE_(complex::name)
MSHADOW_COMPLEX_ZERO_(round)
MSHADOW_COMPLEX_ZERO_(is_nan)
MSHADOW_COMPLEX_ZERO_(is_inf)
MSHADOW_COMPLEX_ZERO_(is_finite)
#undef MSHADOW_COMPLEX_ZERO_
#undef MSHADOW_COMPLEX_DERIVATIVE_
#undef MSHADOW_COMPLEX_RULE_

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_COMPLEX_H_
