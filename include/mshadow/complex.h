// SPDX-License-Identifier: Apache-2.0
// Tensors of complex numbers: elements std::complex<float> and std::complex<double>.
//
//   using Complex = std::complex<float>;
//   TensorContainer<cpu, 2, Complex> z(Shape2(3, 4), Complex(1, 2)), w = z;
//   w = exp(z * Complex(0, 1)) / 2 + conj(z);
//   TensorContainer<cpu, 2> r(z.shape_);
//   r = abs(w);                                   // arg, real, imag: real numbers
//
// See guide/complex.md.
#ifndef MSHADOW_COMPLEX_H_
#define MSHADOW_COMPLEX_H_

#include "core/letters_begin.inc"

#include <complex>
#include <type_traits>

#include "backend/cpu/blas/complex_gemm.h"
#include "core/complex.h"
#include "op/complex_functions.h"
#include "tensor.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

// name(z): out[i] = op::complex::name::Map(z[i]), of element type Out. Those of expr/functions.h
// take AdlTag: these are the better match.
#define MSHADOW_COMPLEX_(name, OP, Out)                                                   \
  template <typename E, typename T, int etype>                                            \
  inline auto name(const Exp<E, std::complex<T>, etype>& z) {                             \
    return UnaryMapExp<op::complex::OP, E, Out, (etype | type::kMapper)>(z.self());       \
  }                                                                                       \
  template <typename Device, int dim, typename T>                                         \
  inline auto name(TensorContainer<Device, dim, std::complex<T>>&& z) {                   \
    return name(static_cast<TensorContainer<Device, dim, std::complex<T>>&&>(z).Owned()); \
  }

/// real(z) - i imag(z); conj(a).T() is the conjugate transpose. (Of real elements, conj is that of
/// 2.x on interleaved numbers.)
MSHADOW_COMPLEX_(conj, conj, std::complex<T>)

namespace adl {

/// The real and the imaginary parts, as real numbers.
MSHADOW_COMPLEX_(real, real, T)
MSHADOW_COMPLEX_(imag, imag, T)
/// |z|, as a real number, without overflow.
MSHADOW_COMPLEX_(abs, abs, T)
/// The angle of z in [-pi, pi], as a real number; angle is NumPy's name of it.
MSHADOW_COMPLEX_(arg, arg, T)
MSHADOW_COMPLEX_(angle, arg, T)
/// 1, a real number, where a part is NaN; where one is infinite; where both are finite; else 0.
MSHADOW_COMPLEX_(isnan, is_nan, T)
MSHADOW_COMPLEX_(isinf, is_inf, T)
MSHADOW_COMPLEX_(isfinite, is_finite, T)
/// z / |z|, and 0 of 0, as in NumPy 2.
MSHADOW_COMPLEX_(sign, sign, std::complex<T>)
/// Both parts rounded to integers, halves to even ones.
MSHADOW_COMPLEX_(round, round, std::complex<T>)
/// 1 / z, 1 / sqrt(z)
MSHADOW_COMPLEX_(rsqrt, rsqrt, std::complex<T>)
MSHADOW_COMPLEX_(reciprocal, reciprocal, std::complex<T>)
/// The elementary functions: principal values, cuts along the axes as those of NumPy.
MSHADOW_COMPLEX_(exp, exp, std::complex<T>)
MSHADOW_COMPLEX_(exp2, exp2, std::complex<T>)
MSHADOW_COMPLEX_(expm1, expm1, std::complex<T>)
MSHADOW_COMPLEX_(log, log, std::complex<T>)
MSHADOW_COMPLEX_(log2, log2, std::complex<T>)
MSHADOW_COMPLEX_(log1p, log1p, std::complex<T>)
MSHADOW_COMPLEX_(log10, log10, std::complex<T>)
MSHADOW_COMPLEX_(sqrt, sqrt, std::complex<T>)
MSHADOW_COMPLEX_(sin, sin, std::complex<T>)
MSHADOW_COMPLEX_(cos, cos, std::complex<T>)
MSHADOW_COMPLEX_(tan, tan, std::complex<T>)
MSHADOW_COMPLEX_(asin, asin, std::complex<T>)
MSHADOW_COMPLEX_(acos, acos, std::complex<T>)
MSHADOW_COMPLEX_(atan, atan, std::complex<T>)
MSHADOW_COMPLEX_(sinh, sinh, std::complex<T>)
MSHADOW_COMPLEX_(cosh, cosh, std::complex<T>)
MSHADOW_COMPLEX_(tanh, tanh, std::complex<T>)
MSHADOW_COMPLEX_(asinh, asinh, std::complex<T>)
MSHADOW_COMPLEX_(acosh, acosh, std::complex<T>)
MSHADOW_COMPLEX_(atanh, atanh, std::complex<T>)
/// sin(pi z) / (pi z); 1 for z = 0.
MSHADOW_COMPLEX_(sinc, sinc, std::complex<T>)

#undef MSHADOW_COMPLEX_

/// a + i b, of real a and b of one shape.
template <typename A, typename B, typename T, int ea, int eb>
inline auto MakeComplex(const Exp<A, T, ea>& a, const Exp<B, T, eb>& b) {
  return BinaryMapExp<op::complex::join, A, B, std::complex<T>, (ea | eb | type::kMapper)>(
      a.self(), b.self());
}

/// r (cos theta + i sin theta), of real operands; r may be a scalar.
template <typename R, typename E, typename T, int er, int ee>
inline auto polar(const Exp<R, T, er>& r, const Exp<E, T, ee>& theta) {
  return F<op::mul>(
      tcast<std::complex<T>>(r.self()),
      UnaryMapExp<op::complex::unit, E, std::complex<T>, (ee | type::kMapper)>(theta.self()));
}
template <typename S, typename E, typename T, int ee,
          typename = std::enable_if_t<std::is_arithmetic_v<S>>>
inline auto polar(const S& r, const Exp<E, T, ee>& theta) {
  return F<op::mul>(
      std::complex<T>(static_cast<T>(r)),
      UnaryMapExp<op::complex::unit, E, std::complex<T>, (ee | type::kMapper)>(theta.self()));
}
MSHADOW_OWNS_TEMPORARIES_(polar)

}  // namespace adl

}  // namespace expr
MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_COMPLEX_H_
