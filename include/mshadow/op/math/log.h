// SPDX-License-Identifier: Apache-2.0
// Branch-free logarithms. Coefficients: Remez on the reduced interval, made for this file.
//
// a = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); log(a) = k log(2) + log(1 + f).
#ifndef MSHADOW_OP_MATH_LOG_H_
#define MSHADOW_OP_MATH_LOG_H_

#include "libm.h"
#include "real.h"
#include "round.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

/// log(1 + f), sqrt(1/2) <= 1 + f <= sqrt(2)
MSHADOW_XINLINE float LogNearOne(float f) {  // f - f^2/2 + f^3 P(f), to 2^-30
  const float square = f * f;
  const float p = Polynomial(f, 3.333331347e-01f, -2.500001192e-01f, 2.000215650e-01f,
                             -1.666795760e-01f, 1.421864927e-01f, -1.240557954e-01f,
                             1.189546660e-01f, -1.167967767e-01f, 6.734678149e-02f);
  return f - (0.5f * square - f * square * p);
}
MSHADOW_XINLINE double LogNearOne(double f) {
  // 2 atanh(s) for s = f / (2 + f): f - s (f - R(s^2)), to 2^-58
  const double s = f / (2 + f);
  const double z = s * s;
  const double r = z * Polynomial(z, 6.66666666666674179e-01, 3.99999999993576050e-01,
                                  2.85714287562702784e-01, 2.22221970365096416e-01,
                                  1.81836495743609827e-01, 1.53117414571029398e-01,
                                  1.48202498030504920e-01);
  return f - s * (f - r);
}

/// The k and f of a positive a, also of a subnormal one.
template <typename T>
struct LogParts {
  T k, f;
};

template <typename T>
MSHADOW_XINLINE LogParts<T> SplitLog(T a) {
  using Bits = typename Ieee<T>::Bits;
  constexpr int mantissa = Ieee<T>::kMantissa;
  const Bits tiny = Less(a, Ieee<T>::kSmallestNormal);
  const T normal = a * Select(tiny, IntegersFrom<T>(), T(1));
  const Bits bits = ToBits(normal);
  const Bits shift = ToBits(T(1)) - ToBits(T(0.70710678118654752440));
  const Bits biased = (bits + shift) >> mantissa;  // k + kBias
  LogParts<T> parts;
  parts.f = BitCast<T>(bits - (biased << mantissa) + (Ieee<T>::kBias << mantissa)) - T(1);
  // An integer below 2^kMantissa, put under the exponent of 2^kMantissa, is a number.
  const T bias = IntegersFrom<T>() + T(Ieee<T>::kBias);
  parts.k = BitCast<T>(ToBits(IntegersFrom<T>()) | biased) -
            Select(tiny, bias + T(mantissa), bias);
  return parts;
}

/// log(2) and log10(2) in two parts, the upper one short enough for an exact product with k.
template <typename T>
struct LogConstants;
template <>
struct LogConstants<float> {
  static constexpr float kLn2High = 0.693145752f, kLn2Low = 1.42860677e-6f;
  static constexpr float kLog2High = 0.301025391f, kLog2Low = 4.60503907e-06f;
};
template <>
struct LogConstants<double> {
  static constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kLog2High = 0x1.3441350800000p-2, kLog2Low = 0x1.f79fef311f12bp-34;
};

/// `value` for 0 < a < inf; NaN below 0, -inf at 0, inf at inf.
template <typename T>
MSHADOW_XINLINE T LogSpecial(T a, T value) {
  constexpr T inf = Ieee<T>::kInfinity;
  const T outside = Select(Less(a, T(0)), Ieee<T>::kNaN, a - inf);
  return Select(Less(T(0), a), Select(Less(a, inf), value, a), outside);
}

#if MSHADOW_OWN_MATH
/// The natural logarithm.
template <typename T>
MSHADOW_XINLINE T Log(T a) {
  const LogParts<T> p = SplitLog(a);
  const T low = p.k * LogConstants<T>::kLn2Low + LogNearOne(p.f);
  return LogSpecial(a, p.k * LogConstants<T>::kLn2High + low);
}

/// The logarithm to base 2, exact for powers of two.
template <typename T>
MSHADOW_XINLINE T Log2(T a) {
  const LogParts<T> p = SplitLog(a);
  return LogSpecial(a, p.k + LogNearOne(p.f) * T(1.44269504088896340736));
}

/// The logarithm to base 10.
template <typename T>
MSHADOW_XINLINE T Log10(T a) {
  const LogParts<T> p = SplitLog(a);
  const T low = p.k * LogConstants<T>::kLog2Low + LogNearOne(p.f) * T(0.43429448190325182765);
  return LogSpecial(a, p.k * LogConstants<T>::kLog2High + low);
}

/// log(1 + a), also for tiny a.
template <typename T>
MSHADOW_XINLINE T Log1p(T a) {
  const T u = T(1) + a;
  // What rounding 1 + a lost.
  const T lost = Select(Less(a, T(1)), a - (u - T(1)), T(1) - (u - a));
  const LogParts<T> p = SplitLog(u);
  const T low = LogNearOne(p.f) + (p.k * LogConstants<T>::kLn2Low + lost / u);
  return WithSign(LogSpecial(u, p.k * LogConstants<T>::kLn2High + low), a);
}
#endif

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_LOG_H_
