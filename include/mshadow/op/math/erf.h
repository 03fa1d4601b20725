// SPDX-License-Identifier: Apache-2.0
// The error function and what is made of it, branch-free.
//
// erfc(t) = exp(-t^2) erfcx(t) for t >= 0, and erfcx falls from 1 like 1 / t: (t + b) erfcx(t) is
// nearly constant, a polynomial in q = (t - k) / (t + k). With b = 7/8, near sqrt(pi) / 2, it is
// also level at 0, where the rounding of q would hurt most. Coefficients: Chebyshev nodes, made for
// this file. The idea: M. Shepherd, J. Laframboise, Chebyshev approximation of
// (1 + 2x) exp(x^2) erfc(x), Math. Comp. 36 (1981) 249. t^2 is taken in two parts: exp(-t^2)
// magnifies its rounding t^2 times.
#ifndef MSHADOW_OP_MATH_ERF_H_
#define MSHADOW_OP_MATH_ERF_H_

#include "exp.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

/// (t + 7/8) erfcx(t) - 1
MSHADOW_XINLINE float ErfcxFactor(float t) {  // t <= 11, to 2^-30
  const float q = (t - 3.0f) / (t + 3.0f);
  return Polynomial(
      q, -3.063705266e-01f, -1.901481450e-01f, 6.832022965e-02f, 8.529141545e-03f,
      -3.276117891e-02f, 2.500675246e-02f, -1.029161084e-02f, 1.526941429e-03f, 7.437472232e-04f,
      -3.534545249e-04f, -5.556194810e-05f, 2.384647996e-05f);
}
MSHADOW_XINLINE double ErfcxFactor(double t) {  // t <= 28, to 2^-56
  const double q = (t - 4.0) / (t + 4.0);
  return Polynomial(
      q, -3.32127644077825745e-01, -1.66961076705345796e-01, 8.97097056456597070e-02,
      -2.75481541341229888e-02, -9.65834149358704534e-03, 2.32009866335211729e-02,
      -2.14280367112315781e-02, 1.37672780190803996e-02, -6.57626817111090119e-03,
      2.21631232649822192e-03, -3.87047310869947198e-04, -7.00090811803187472e-05,
      6.68525771219294183e-05, -1.29152150277182187e-05, -4.50807158070299321e-06,
      2.70550530971515782e-06, 4.38573834976354034e-08, -3.81304482538957230e-07,
      4.12768419038363385e-08, 5.18581035080722754e-08, -5.07436975500264364e-09,
      -6.17136016180719604e-09, -7.15437886393631467e-10);
}

/// (m + 5/4) erfcx(m / sqrt(2)) - 1, m <= 39, to 2^-57
MSHADOW_XINLINE double MillsFactor(double m) {
  const double q = (m - 6.0) / (m + 6.0);
  return Estrin(
      q, -6.06999422955206841e-02, -2.31649091340050933e-01, 1.32538595850095031e-01,
      -4.96997934587863413e-02, -3.87145834700889941e-03, 2.76576642128433907e-02,
      -3.00391189510578471e-02, 2.20705103417892581e-02, -1.24106748359440588e-02,
      5.36458496371271590e-03, -1.64780286225065463e-03, 2.45166383230248700e-04,
      6.53351066091643239e-05, -4.99638693296581822e-05, 9.06324081977958864e-06,
      3.20922023748601877e-06, -1.94228634943306799e-06, 3.03038153610391333e-08,
      2.52458570050803368e-07, -4.24333316458303521e-08, -2.97211611533137711e-08,
      6.09665228049670485e-09, 3.06398089306686232e-09);
}

/// a (1 + b) (1 + c) with few roundings.
template <typename T>
MSHADOW_XINLINE T Grow(T a, T b, T c) {
  return a + a * (b + (c + b * c));
}

/// The upper half of the digits of t; its square is exact.
template <typename T>
MSHADOW_XINLINE T UpperHalf(T t) {
  using Bits = typename Ieee<T>::Bits;
  return BitCast<T>(ToBits(t) & ~((Bits{1} << (Ieee<T>::kMantissa / 2 + 1)) - 1));
}

/// exp(-scale t^2), scale a power of two
template <typename T>
MSHADOW_XINLINE ExpParts<T> Gaussian(T t, T scale) {
  const T high = UpperHalf(t);
  return Exponential(-scale * high * high, -scale * ((t - high) * (t + high)));
}

/// t kept where erfc(t) has a value above 0.
template <typename T>
MSHADOW_XINLINE T ClampErfc(T t) {
  return Upto(t, sizeof(T) == 4 ? T(11) : T(28));
}

/// erf(t) / t as a polynomial in z = t^2, |t| <= 3/4, to 2^-35 and 2^-60
MSHADOW_XINLINE float ErfSmall(float z) {
  return Polynomial(z, 1.128379226e+00f, -3.761263788e-01f, 1.128377840e-01f, -2.686474100e-02f,
                    5.216686521e-03f, -8.355305181e-04f, 9.460855653e-05f);
}
MSHADOW_XINLINE double ErfSmall(double z) {
  return Polynomial(z, 1.12837916709551256e+00, -3.76126389031837149e-01, 1.12837916709524783e-01,
                    -2.68661706444016830e-02, 5.22397761511172835e-03, -8.54832616830563221e-04,
                    1.20552887422685270e-04, -1.49241756869213655e-05, 1.64303727524914393e-06,
                    -1.59374617373357482e-07, 1.14632353666452326e-08);
}

#if MSHADOW_OWN_MATH
/// 1 - erf(a)
template <typename T>
MSHADOW_XINLINE T Erfc(T a) {
  const T t = ClampErfc(Abs(a));
  const ExpParts<T> e = Gaussian(t, T(1));
  const T tail = Grow(T(1) / (t + T(0.875)), ErfcxFactor(t), e.fraction) * e.low * e.high;
  return Select(SignMask(a), T(2) - tail, tail);
}

/// 2 / sqrt(pi) times the integral of e^(-x^2) from 0 to a
template <typename T>
MSHADOW_XINLINE T Erf(T a) {
  const T t = Abs(a);
  return Select(SmallMask(a, T(0.75)), a * ErfSmall(a * a), WithSign(T(1) - Erfc(t), a));
}
#endif

#if !MSHADOW_REORDERED_MATH
/// a Phi(a) = max(a, 0) - m Phi(-m), m = |a|, with Phi(a) = (1 + erf(a / sqrt(2))) / 2 the normal
/// distribution and Phi(-m) = exp(-m^2 / 2) erfcx(m / sqrt(2)) / 2.
///
/// m erfcx(m / sqrt(2)) / 2 = s / (s + g) / sqrt(2 pi), to 2^-25, for s of degree 5 and a cubic g
/// (weighted minimax, made for this file, the last bits found by trying): where m is large the
/// rounding of s cancels, and where m is small s is m. exp(-m^2 / 2) = 2^-n exp(r / 2),
/// r = n 2 ln(2) - m^2. 2^(64 - n) divides s, and 2^-64 is in the other factor: their product may
/// be subnormal, and is rounded once.
MSHADOW_XINLINE float Gelu(float a) {
  constexpr float shifter = 0x1.8p23f - 64, k = 0x1p-64f;
  const float m = Upto(Abs(a), 15.0f);  // further out m Phi(-m) is 0
  const float high = UpperHalf(m);
  const float square = high * high;
  const float shifted = square * 0.72134752f + shifter;
  const float s = m + m * m * Polynomial(m, 9.178076982e-01f, 3.973228931e-01f, 9.175312519e-02f,
                                         9.811664931e-03f);
  const float d = (s + m * Polynomial(m, 3.689222336e-01f, 9.250063449e-02f, 9.778330103e-03f)) +
                  7.978828549e-01f;
  const float mills = s / BitCast<float>(ToBits(d) + (ToBits(shifted) << Ieee<float>::kMantissa));
  const float n = shifted - shifter;
  const float r = ((n * 1.38629150f - square) + n * 2.85721354e-6f) - (m - high) * (m + high);
  const float e =  // k exp(r / 2) / sqrt(2 pi)
      Estrin(r, 3.989414275e-01f * k, 1.994707286e-01f * k, 4.986768216e-02f * k,
             8.310996927e-03f * k, 1.038824092e-03f * k, 1.046572506e-04f * k,
             8.790981155e-06f * k);
  return Positive(a) - mills * e;
}
/// The same with erfcx(m / sqrt(2)) as above.
MSHADOW_XINLINE double Gelu(double a) {
  const double m = Upto(Abs(a), 39.0);
  const ExpParts<double> e = Gaussian(m, 0.5);
  const double half = 0.5 * m / (m + 1.25);
  const double lost = Grow(half, MillsFactor(m), e.fraction) * e.low * e.high;  // m Phi(-m)
  return WithSign(Select(SignMask(a), lost, a - lost), a);
}
#else
template <typename T>
MSHADOW_XINLINE T Gelu(T a) {
  return T(0.5) * a * Erfc(a * T(-0.70710678118654752440));
}
#endif

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_ERF_H_
