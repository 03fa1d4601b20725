// SPDX-License-Identifier: Apache-2.0
// Branch-free hyperbolic functions and their inverses, from expm1, exp and log1p.
#ifndef MSHADOW_OP_MATH_HYPERBOLIC_H_
#define MSHADOW_OP_MATH_HYPERBOLIC_H_

#include "exp.h"
#include "log.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

#if MSHADOW_OWN_FLOAT
/// (1 - e^(-2 |a|)) / (1 + e^(-2 |a|)). With |a| = r - n ln(2) / 2, n <= 0, and t = tanh(r), the
/// exponential is 2^n (1 - t) / (1 + t). ln(2) / 2 in one float will do: where its error grows with
/// n, 2^n vanishes.
MSHADOW_XINLINE float Tanh(float a) {
  constexpr float shifter = 0x1.8p23f + Ieee<float>::kBias;
  const float m = Upto(Abs(a), 10.0f);  // tanh(10) is 1
  const float shifted = m * -2.88539008f + shifter;
  const float r = m + (shifted - shifter) * 0.34657359f;
  const float square = r * r;
  const float t =  // to 2^-24
      r + square * r * Polynomial(square, -3.333126903e-01f, 1.311045885e-01f);
  const float power = PowerOfTwo<float>(ToBits(shifted));
  const float less = 1.0f - power, more = 1.0f + power;
  const float quotient = (less + more * t) / (more + less * t);
  return BitCast<float>(ToBits(quotient) | (ToBits(a) & Ieee<float>::kSign));
}
#endif

#if MSHADOW_OWN_MATH
/// t / (t + 2) for t = expm1(2 |a|); 1 from 20 on.
MSHADOW_XINLINE double Tanh(double a) {
  const double magnitude = Upto(Abs(a), 20.0);
  const double t = Expm1(magnitude + magnitude);
  return WithSign(t / (t + 2.0), a);
}

/// e^|a| / 2, which is finite a little longer than e^|a|.
template <typename T>
MSHADOW_XINLINE T HalfExpAbs(T a) {
  const ExpParts<T> e = Exponential(ClampExp(Abs(a)));
  return (T(1) + e.fraction) * e.low * (e.high * T(0.5));
}

template <typename T>
MSHADOW_XINLINE T Cosh(T a) {
  const T half = HalfExpAbs(a);
  return half + T(0.25) / half;
}

/// h - 1 / (4 h) for h = e^|a| / 2; the Taylor series to a^19 below 1, where that cancels.
template <typename T>
MSHADOW_XINLINE T Sinh(T a) {
  const T half = HalfExpAbs(a);
  const T z = a * a;
  const T p = Polynomial(z, T(1.0 / 6), T(1.0 / 120), T(1.0 / 5040), T(1.0 / 362880),
                         T(1.0 / 39916800), T(1.0 / 6227020800), T(1.0 / 1307674368000),
                         T(1.0 / 355687428096000), T(1.0 / 121645100408832000));
  const T near_zero = a + a * z * p;
  return Select(SmallMask(a, T(1)), near_zero, WithSign(half - T(0.25) / half, a));
}

/// log1p(m + m^2 / (1 + sqrt(1 + m^2))), m = |a|; log(2 m) where m^2 says nothing about m^2 + 1.
template <typename T>
MSHADOW_XINLINE T Asinh(T a) {
  const T m = Abs(a);
  const auto large = Less(IntegersFrom<T>() * T(8), m);
  const T square = m * m;
  const T y = Select(large, m, m + square / (T(1) + Sqrt(T(1) + square)));
  const T value = Log1p(y);
  return WithSign(value + Select(large, T(0.69314718055994530942), T(0)), a);
}

/// log1p(t + sqrt(2 t + t^2)), t = a - 1
template <typename T>
MSHADOW_XINLINE T Acosh(T a) {
  const T t = a - T(1);
  const auto large = Less(IntegersFrom<T>() * T(8), a);
  const T value = Log1p(Select(large, a, t + Sqrt(t * (T(2) + t))));
  const T inside = value + Select(large, T(0.69314718055994530942), T(0));
  return Select(Less(a, T(1)), Ieee<T>::kNaN, inside);
}

/// log1p(2 m / (1 - m)) / 2, m = |a|
template <typename T>
MSHADOW_XINLINE T Atanh(T a) {
  const T m = Abs(a);
  return WithSign(T(0.5) * Log1p((m + m) / (T(1) - m)), a);
}
#endif  // MSHADOW_OWN_MATH

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_HYPERBOLIC_H_
