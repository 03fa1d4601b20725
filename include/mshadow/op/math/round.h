// SPDX-License-Identifier: Apache-2.0
// Rounding to integers without an instruction for it: SSE2 has none.
#ifndef MSHADOW_OP_MATH_ROUND_H_
#define MSHADOW_OP_MATH_ROUND_H_

#include "libm.h"
#include "real.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

/// 2^23 or 2^52: from here on every number is an integer, and below it adding and subtracting it
/// rounds to the nearest integer, ties to even.
template <typename T>
MSHADOW_XINLINE T IntegersFrom() {
  return static_cast<T>(int64_t{1} << Ieee<T>::kMantissa);
}

/// a with the sign of b, by bits.
template <typename T>
MSHADOW_XINLINE T WithSign(T a, T b) {
  return BitCast<T>((ToBits(a) & ~Ieee<T>::kSign) | (ToBits(b) & Ieee<T>::kSign));
}

#if MSHADOW_OWN_ROUNDING
/// The integer nearest to a, ties to even; the sign of zero stays.
template <typename T>
MSHADOW_XINLINE T Round(T a) {
  const T rounded = (Abs(a) + IntegersFrom<T>()) - IntegersFrom<T>();
  return Select(SmallMask(a, IntegersFrom<T>()), WithSign(rounded, a), a);
}

/// The largest integer not above a.
template <typename T>
MSHADOW_XINLINE T Floor(T a) {
  const T rounded = Round(a);
  return rounded - Select(SignMask(a - rounded), T(1), T(0));
}

/// The smallest integer not below a; -0 for -1 < a <= -0.
template <typename T>
MSHADOW_XINLINE T Ceil(T a) {
  const T rounded = Round(a);
  return WithSign(rounded + Select(SignMask(rounded - a), T(1), T(0)), a);
}

/// The integer next to a towards zero; the sign of zero stays.
template <typename T>
MSHADOW_XINLINE T Trunc(T a) {
  return WithSign(Floor(Abs(a)), a);
}

#endif

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_ROUND_H_
