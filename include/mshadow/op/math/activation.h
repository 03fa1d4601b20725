// SPDX-License-Identifier: Apache-2.0
// The logistic function and its relatives, branch-free and accurate in both tails.
#ifndef MSHADOW_OP_MATH_ACTIVATION_H_
#define MSHADOW_OP_MATH_ACTIVATION_H_

#include "exp.h"
#include "log.h"

namespace mshadow {
namespace op {
namespace math {

/// e^-|a|. Not libmvec's: its 3 ULP grow to more than 4 in what is made of it here.
template <typename T>
MSHADOW_XINLINE T Decay(T a) {
#if MSHADOW_REORDERED_MATH
  return Exp(-Abs(a));
#else
  constexpr T bound = sizeof(T) == 4 ? T(110) : T(760);
  return ExpOfNegative(-Select(Less(bound, Abs(a)), bound, Abs(a)));
#endif
}

/// With z = e^-|a|: 1 / (1 + z), or z / (1 + z) for a < 0.
template <typename T>
MSHADOW_XINLINE T Sigmoid(T a) {
  const T z = Decay(a);
  return Select(SignMask(a), z, T(1)) / (T(1) + z);
}

/// max(a, 0) + log(1 + e^-|a|)
template <typename T>
MSHADOW_XINLINE T Softplus(T a) {
  return Select(SignMask(a), T(0), a) + Log1p(Decay(a));
}

#if !MSHADOW_REORDERED_MATH
/// a sigmoid(a). In the lower tail a times e^a is formed before the power of two is applied, where
/// e^a alone would be subnormal.
template <typename T>
MSHADOW_XINLINE T Silu(T a) {
  constexpr T bound = sizeof(T) == 4 ? T(115) : T(760);
  const T m = Select(Less(bound, Abs(a)), bound, Abs(a));
  const ExpParts<T> e = Exponential(-m);
  const T unit = T(1) + e.fraction;
  const T sum = T(1) + unit * e.low * e.high;
  const T factor = Select(SignMask(a), -m * unit * e.low, a) / sum;
  return factor * Select(SignMask(a), e.high, T(1));
}
#else
template <typename T>
MSHADOW_XINLINE T Silu(T a) {
  return a * Sigmoid(a);
}
#endif

}  // namespace math
}  // namespace op
}  // namespace mshadow
#endif  // MSHADOW_OP_MATH_ACTIVATION_H_
