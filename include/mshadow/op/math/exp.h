// SPDX-License-Identifier: Apache-2.0
// Branch-free exponentials. Coefficients: Remez on the reduced interval, made for this file.
//
// exp(a) = 2^n exp(r), n = round(a / ln 2), |r| <= ln(2) / 2. The power of two is applied in two
// halves, so that overflow and subnormal results come out by themselves, rounded once.
#ifndef MSHADOW_OP_MATH_EXP_H_
#define MSHADOW_OP_MATH_EXP_H_

#include "libm.h"
#include "real.h"
#include "round.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

/// low (1 + fraction) high is the exponential; low high = 2^n, about 2^(n/2) each.
template <typename T>
struct ExpParts {
  T fraction, low, high;
};

// (exp(r) - 1 - r) / r^2, so that exp(r) is found to 2^-27
MSHADOW_XINLINE float ExpPolynomial(float r) {
  return Polynomial(r, 5.000000000e-01f, 1.666652411e-01f, 4.166623205e-02f, 8.368390612e-03f,
                    1.394930296e-03f);
}
MSHADOW_XINLINE double ExpPolynomial(double r) {  // to 2^-57
  return Polynomial(r, 5.00000000000001110e-01, 1.66666666666663826e-01, 4.16666666665195043e-02,
                    8.33333333351030277e-03, 1.38888889468547112e-03, 1.98412694810390345e-04,
                    2.48014894003812454e-05, 2.75576012503696963e-06, 2.76316751906892020e-07,
                    2.49978506026743695e-08);
}

/// exp(a) = 2^n exp(r); n sits in the low bits of `shifted` = n + 1.5 * 2^kMantissa.
template <typename T>
struct ExpReduced {
  T r, shifted;
};

// 1.5 * 2^kMantissa: a number added to it is rounded to an integer, negative ones too.
template <typename T>
MSHADOW_XINLINE T Shifter() {
  return IntegersFrom<T>() + IntegersFrom<T>() / 2;
}

/// exp(r) - 1
template <typename T>
MSHADOW_XINLINE T ExpFraction(T r) {
  return r + r * r * ExpPolynomial(r);
}

template <typename T>
MSHADOW_XINLINE ExpParts<T> ExpAssemble(T r, T shifted) {
  using Bits = typename Ieee<T>::Bits;
  constexpr Bits bias = Ieee<T>::kBias;
  // n + 2 kBias, which is positive: each half comes with a bias of its own.
  const Bits biased = ToBits(shifted) - (ToBits(Shifter<T>()) - 2 * bias);
  ExpParts<T> e;
  e.fraction = ExpFraction(r);
  e.low = PowerOfTwo<T>(biased >> 1);
  e.high = PowerOfTwo<T>(biased - (biased >> 1));
  return e;
}

/// exp(a + tail) for |tail| far below |a|, -128 < a < 92 (float) and -800 < a < 713 (double), where
/// the result has long been 0 or inf.
MSHADOW_XINLINE ExpReduced<float> ReduceExp(float a, float tail = 0) {
  const float shifted = a * 1.44269504f + Shifter<float>();
  const float n = shifted - Shifter<float>();
  // n * 0.693145752 is exact: 16 bits of the logarithm, 8 of n.
  return {(a - n * 0.693145752f) - (n * 1.42860677e-6f - tail), shifted};
}
MSHADOW_XINLINE ExpReduced<double> ReduceExp(double a, double tail = 0) {
  const double shifted = a * 1.4426950408889634 + Shifter<double>();
  const double n = shifted - Shifter<double>();
  // The upper part has 32 bits, n 11.
  return {(a - n * 0x1.62e42feep-1) - (n * 0x1.a39ef35793c76p-33 - tail), shifted};
}
template <typename T>
MSHADOW_XINLINE ExpParts<T> Exponential(T a, T tail = 0) {
  const ExpReduced<T> reduced = ReduceExp(a, tail);
  return ExpAssemble(reduced.r, reduced.shifted);
}

/// e^a for a <= 0 within the bounds of ReduceExp: a power of two that is never too large needs no
/// halves, but one constant factor that brings subnormal results about.
MSHADOW_XINLINE double ExpOfNegative(double a) {
  const ExpReduced<double> reduced = ReduceExp(a);
  const uint64_t n = ToBits(reduced.shifted) - ToBits(Shifter<double>());
  return (1.0 + ExpFraction(reduced.r)) * PowerOfTwo<double>(n + (Ieee<double>::kBias + 128)) *
         0x1p-128;
}

#if MSHADOW_OWN_FLOAT
/// e^a = (e^(r / 2) 2^h)^2, |r| <= ln(2): 2^h is never too large or subnormal, and the squared
/// polynomial has half the argument.
MSHADOW_XINLINE float Exp(float a) {
  a = From(a, -105.0f);  // where e^a has long been 0; further down, r would overflow
  // The low bits of `shifted`, moved to the exponent, are 2^h.
  constexpr float shifter = 0x1.8p23f + Ieee<float>::kBias;
  const float shifted = AtMost(a * 0.72134752f + shifter, shifter + 65.0f);
  const float h = shifted - shifter;
  const float r = (a - h * 1.38629150f) - h * 2.85721354e-6f;
  const float p =  // to 2^-28
      Polynomial(r, 1.0f, 5.000000000e-01f, 1.249999851e-01f, 2.083314583e-02f, 2.604256617e-03f,
                 2.615353442e-04f, 2.161942939e-05f);
  const float root = p * PowerOfTwo<float>(ToBits(shifted));
  return root * root;
}
#endif

#if MSHADOW_OWN_MATH
/// a, but not beyond where e^a is 0 or inf.
template <typename T>
MSHADOW_XINLINE T ClampExp(T a) {
  return Clamp(a, T(sizeof(T) == 4 ? -110 : -760), T(sizeof(T) == 4 ? 91 : 712));
}

/// e^a
MSHADOW_XINLINE double Exp(double a) {
  const ExpParts<double> e = Exponential(ClampExp(a));
  return (1.0 + e.fraction) * e.low * e.high;
}

/// 2^a
template <typename T>
MSHADOW_XINLINE T Exp2(T a) {
  constexpr T bound = T(Ieee<T>::kBias) + T(Ieee<T>::kMantissa) + 10;
  a = Clamp(a, -bound, bound);
  const T shifted = a + Shifter<T>();
  const T r = (a - (shifted - Shifter<T>())) * T(0.69314718055994530942);
  const ExpParts<T> e = ExpAssemble(r, shifted);
  return (T(1) + e.fraction) * e.low * e.high;
}

/// e^a - 1
template <typename T>
MSHADOW_XINLINE T Expm1(T a) {
  constexpr T bound = sizeof(T) == 4 ? T(91) : T(712);
  const ExpParts<T> e = Exponential(Clamp(a, T(-60), bound));  // -1 below -60
  // 1 / high: both are powers of two
  const T unit = BitCast<T>(ToBits(T(1)) + ToBits(T(1)) - ToBits(e.high));
  return WithSign((e.low * e.fraction + (e.low - unit)) * e.high, a);
}
#endif

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_EXP_H_
