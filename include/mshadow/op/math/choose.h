// SPDX-License-Identifier: Apache-2.0
// Choices between numbers by masks. Between two loaded float or double values the plain operator
// is vectorised too, and shorter; with a constant, a product or a conversion among them it is not.
#ifndef MSHADOW_OP_MATH_CHOOSE_H_
#define MSHADOW_OP_MATH_CHOOSE_H_

#include "real.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

/// The larger one; NaN if either is.
template <typename T>
MSHADOW_XINLINE T Max(T a, T b) {
  return Select(Less(b, a) | NaNMask(a), a, b);
}

/// The smaller one; NaN if either is.
template <typename T>
MSHADOW_XINLINE T Min(T a, T b) {
  return Select(Less(a, b) | NaNMask(a), a, b);
}

/// -1, 0 or 1; zeros and NaN stay what they are.
template <typename T>
MSHADOW_XINLINE T Sign(T a) {
  return Select(Less(T(0), a), T(1), Select(Less(a, T(0)), T(-1), a));
}

/// a where the condition is not 0 (NaN is not), else b.
template <typename T>
MSHADOW_XINLINE T Where(T condition, T a, T b) {
  return Select(Less(T(0), condition) | Less(condition, T(0)) | NaNMask(condition), a, b);
}

/// a for a > 0, else slope a.
template <typename T>
MSHADOW_XINLINE T Leak(T a, T slope) {
  return Select(Less(T(0), a), a, a * slope);
}

/// a min(max(a + 3, 0), 6) / 6
template <typename T>
MSHADOW_XINLINE T HardSwish(T a) {
  const T m = Upto(From(a, T(-3)), T(3));  // products of large numbers would overflow
  return Select(Less(T(3), a), a, m * ((m + T(3)) / T(6)));
}

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_CHOOSE_H_
