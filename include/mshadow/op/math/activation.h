// SPDX-License-Identifier: Apache-2.0
// The logistic function and its relatives, branch-free and accurate in both tails.
#ifndef MSHADOW_OP_MATH_ACTIVATION_H_
#define MSHADOW_OP_MATH_ACTIVATION_H_

#include "exp.h"
#include "log.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

#if !MSHADOW_REORDERED_MATH
/// e^a = 2^kDown power e^r: scaled down, 1 + e^a is finite as far as 1 / (1 + e^a), and a times it,
/// is not 0. Both are 0 beyond kZero.
template <typename T>
struct LogisticParts;
template <>
struct LogisticParts<float> {
  static constexpr int kDown = 64, kZero = 112;
  static constexpr float kLog2E = 1.44269504f, kLn2High = 0.693145752f, kLn2Low = 1.42860677e-6f;
  static constexpr float kScale = 0x1p-64f, kFastScale = 0x1.967028p-64f;
  float r, power;
};
template <>
struct LogisticParts<double> {
  static constexpr int kDown = 512, kZero = 760;
  static constexpr double kLog2E = 1.4426950408889634, kLn2High = 0x1.62e42feep-1,
                          kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kScale = 0x1p-512, kFastScale = kScale;
  double r, power;
};

/// 2^kDown kFastScale e^r, in float to 2^-23.6: with this scale floats are almost the best
/// coefficients.
MSHADOW_XINLINE float FastScaledExp(float r) {
  return Polynomial(r, 1.587648988e+00f, 1.587648392e+00f, 7.938067913e-01f, 2.646225691e-01f,
                    6.654770672e-02f, 1.317368913e-02f);
}
MSHADOW_XINLINE double FastScaledExp(double r) { return 1.0 + ExpFraction(r); }

/// The parts of e^a for -45 < a <= kZero.
template <typename T>
MSHADOW_XINLINE LogisticParts<T> LogisticExp(T a) {
  using Parts = LogisticParts<T>;
  constexpr T shifter = T(3 * (int64_t{1} << (Ieee<T>::kMantissa - 1)) +
                          (int64_t(Ieee<T>::kBias) - Parts::kDown));
  const T shifted = a * Parts::kLog2E + shifter;
  const T n = shifted - shifter;
  return {(a - n * Parts::kLn2High) - n * Parts::kLn2Low, PowerOfTwo<T>(ToBits(shifted))};
}

/// 1 / (1 + e^-a)
template <typename T>
MSHADOW_XINLINE T Sigmoid(T a) {
  constexpr T scale = LogisticParts<T>::kFastScale;
  const LogisticParts<T> e = LogisticExp(Clamp(-a, T(-40), T(LogisticParts<T>::kZero)));
  return scale / (scale + FastScaledExp(e.r) * e.power);
}

/// a / (1 + e^-a) = max(a, 0) - |a| / (1 + e^|a|)
template <typename T>
MSHADOW_XINLINE T Silu(T a) {
  constexpr T scale = LogisticParts<T>::kScale;
  const T m = Upto(Abs(a), T(LogisticParts<T>::kZero));
  const LogisticParts<T> e = LogisticExp(m);
  const T lost = m / (scale + (T(1) + ExpFraction(e.r)) * e.power);
  return Positive(a) - lost * scale;
}

/// e^-|a|
MSHADOW_XINLINE float Decay(float a) {
  // The low bits of `shifted`, moved to the exponent, are 2^(n + 64), which is not subnormal.
  constexpr float shifter = 0x1.8p23f + Ieee<float>::kBias + 64;
  const float m = Upto(Abs(a), 105.0f);  // e^-105 is 0
  const float shifted = m * -1.44269504f + shifter;
  const float n = shifted - shifter;
  const float r = (-m - n * 0.693145752f) - n * 1.42860677e-6f;
  // 2^64 e^r / scale, to 2^-23.5: with a highest coefficient of 1, which takes no multiplication.
  constexpr float scale = 0x1p-64f / 1.205199966e+02f;
  const float p = Polynomial(r, 1.205200043e+02f, 1.205199661e+02f, 6.025873947e+01f,
                             2.008769989e+01f, 5.051051140e+00f, 1.0f);
  return p * PowerOfTwo<float>(ToBits(shifted)) * scale;
}
MSHADOW_XINLINE double Decay(double a) {
  return ExpOfNegative(-Upto(Abs(a), 760.0));
}
#else
template <typename T>
MSHADOW_XINLINE T Sigmoid(T a) {
  return T(1) / (T(1) + Exp(-a));
}
template <typename T>
MSHADOW_XINLINE T Silu(T a) {
  return a * Sigmoid(a);
}
template <typename T>
MSHADOW_XINLINE T Decay(T a) {
  return Exp(-Abs(a));
}
#endif

/// log(1 + z) = 2 atanh(s) for 0 <= z <= 1, s = z / (2 + z); 2 s = z - s z
MSHADOW_XINLINE float Log1pToOne(float z) {
  const float s = z / (2.0f + z);
  const float w = s * s;
  const float p = Polynomial(w, 6.666641831e-01f, 4.002144635e-01f, 2.800276875e-01f,
                             2.800848782e-01f);  // to 2^-27
  return z - s * (z - w * p);
}
MSHADOW_XINLINE double Log1pToOne(double z) { return Log1p(z); }

/// max(a, 0) + log(1 + e^-|a|)
template <typename T>
MSHADOW_XINLINE T Softplus(T a) {
  return Positive(a) + Log1pToOne(Decay(a));
}

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_ACTIVATION_H_
