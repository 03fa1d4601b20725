// SPDX-License-Identifier: Apache-2.0
// Elementary functions of complex numbers in double, for kernels, where those of <complex> cannot
// be called. W. Kahan, "Branch Cuts for Complex Elementary Functions", 1987, has the formulas.
#ifndef MSHADOW_OP_MATH_COMPLEX_ELEMENTARY_H_
#define MSHADOW_OP_MATH_COMPLEX_ELEMENTARY_H_

#include "../../core/complex_number.h"
#include "../../core/config.h"
#include "complex_divide.h"
#include "exp.h"
#include "hyperbolic.h"
#include "libm.h"
#include "log.h"
#include "real.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

/// sqrt(re^2 + im^2), right wherever it can be represented; inf where a part is infinite.
template <typename T>
MSHADOW_XINLINE T ComplexAbs(T re, T im) {
  using Bits = typename Ieee<T>::Bits;
  re = Abs(re);
  im = Abs(im);
  const Bits inf = ToBits(Ieee<T>::kInfinity);
  const Bits infinite = Bits{0} - (Bits{ToBits(re) == inf} | Bits{ToBits(im) == inf});
  T root;
  if constexpr (sizeof(T) == sizeof(float)) {  // double holds the squares
    const double x = static_cast<double>(re), y = static_cast<double>(im);
    root = static_cast<T>(Sqrt(x * x + y * y));
  } else {
    const Bits scale = ScaleOf(Select(Less(re, im), im, re));
    const T x = re * PowerOfTwo<T>(scale), y = im * PowerOfTwo<T>(scale);
    root = Scaled(Sqrt(x * x + y * y), Ieee<T>::kBias - scale);
  }
  return Select(infinite, Ieee<T>::kInfinity, root);
}

namespace elementary {

constexpr double kLn2 = 0.69314718055994530942, kHalfPi = 1.57079632679489661923;
/// Beyond it, squares overflow, and the functions are those of the leading term.
constexpr double kLarge = 1e150;
/// From here on e^x is the product of two factors.
constexpr double kLongExp = 700;

// Each takes and gives a ComplexNumber N of doubles.

template <typename N>
MSHADOW_XINLINE N Exp(N z) {
  if (z.im == 0) return N(math::Exp(z.re), z.im);
  if (!(z.im - z.im == 0) && z.re - z.re != 0 && z.re == z.re) {  // no angle, beside an infinity
    return z.re < 0 ? N(0.0, 0.0) : N(z.re, z.im - z.im);
  }
  const double cos = math::Cos(z.im), sin = math::Sin(z.im);
  if (math::Abs(z.re) < kLongExp) return N(math::Exp(z.re) * cos, math::Exp(z.re) * sin);
  const double root = math::Exp(z.re / 2);
  return N(root * cos * root, root * sin * root);
}

/// log |z|
template <typename N>
MSHADOW_XINLINE double LogAbs(N z) {
  const double x = math::Abs(z.re), y = math::Abs(z.im);
  const double high = x < y ? y : x, low = x < y ? x : y;
  if (0.5 < high && high < 2) return math::Log1p((high - 1) * (high + 1) + low * low) / 2;
  return math::Log(ComplexAbs(z.re, z.im));
}
template <typename N>
MSHADOW_XINLINE N Log(N z) {
  return N(LogAbs(z), math::Atan2(z.im, z.re));
}
template <typename N>
MSHADOW_XINLINE N Log10(N z) {
  const double scale = 0.43429448190325182765;
  return N(LogAbs(z) * scale, math::Atan2(z.im, z.re) * scale);
}
template <typename N>
MSHADOW_XINLINE N Log2(N z) {
  return N(LogAbs(z) / kLn2, math::Atan2(z.im, z.re) / kLn2);
}
/// 2^z
template <typename N>
MSHADOW_XINLINE N Exp2(N z) {
  return elementary::Exp(N(z.re * kLn2, z.im * kLn2));
}
/// exp(z) - 1
template <typename N>
MSHADOW_XINLINE N Expm1(N z) {
  const double half = math::Sin(z.im / 2);
  return N(math::Expm1(z.re) * math::Cos(z.im) - 2 * half * half,
           z.im == 0 ? z.im : math::Exp(z.re) * math::Sin(z.im));
}
/// log(1 + z)
template <typename N>
MSHADOW_XINLINE N Log1p(N z) {
  const double x = math::Abs(z.re), y = math::Abs(z.im);
  const double angle = math::Atan2(z.im, 1 + z.re);
  if (x < 0.5 && y < 0.5) return N(math::Log1p(z.re * (2 + z.re) + y * y) / 2, angle);
  return N(LogAbs(N(1 + z.re, z.im)), angle);
}

template <typename N>
MSHADOW_XINLINE N Sqrt(N z) {
  if (z.re == 0 && z.im == 0) return N(0.0, z.im);
  if (math::Abs(z.im) == Ieee<double>::kInfinity) return N(Ieee<double>::kInfinity, z.im);
  const double x = math::Abs(z.re), y = math::Abs(z.im), high = x < y ? y : x;
  const double scale = high > 0x1p1000 ? 0x1p-4 : high < 0x1p-900 ? 0x1p200 : 1;
  const double back = high > 0x1p1000 ? 4 : high < 0x1p-900 ? 0x1p-100 : 1;
  const double a = x * scale, b = y * scale;
  const double root = math::Sqrt((a + ComplexAbs(a, b)) / 2), other = b / (2 * root);
  return z.re < 0 ? N(other * back, WithSign(root * back, z.im))
                  : N(root * back, WithSign(other * back, z.im));
}

template <typename N>
MSHADOW_XINLINE N Sinh(N z) {
  if (z.im == 0) return N(math::Sinh(z.re), z.im);
  const double cos = math::Cos(z.im), sin = math::Sin(z.im);
  if (z.re == 0) return N(z.re, sin);
  if (!(math::Abs(z.re) >= kLongExp)) return N(math::Sinh(z.re) * cos, math::Cosh(z.re) * sin);
  const double root = math::Exp(math::Abs(z.re) / 2), half = WithSign(root / 2, z.re);
  return N(half * cos * root, root / 2 * sin * root);
}
template <typename N>
MSHADOW_XINLINE N Cosh(N z) {
  if (z.im == 0) return N(math::Cosh(z.re), z.re * z.im);
  const double cos = math::Cos(z.im), sin = math::Sin(z.im);
  if (z.re == 0) return N(cos, z.re * sin);
  if (!(math::Abs(z.re) >= kLongExp)) return N(math::Cosh(z.re) * cos, math::Sinh(z.re) * sin);
  const double root = math::Exp(math::Abs(z.re) / 2), half = WithSign(root / 2, z.re);
  return N(root / 2 * cos * root, half * sin * root);
}
template <typename N>
MSHADOW_XINLINE N Tanh(N z) {
  if (math::Abs(z.re) > 20) {
    const double decay = math::Exp(-2 * math::Abs(z.re));
    return N(WithSign(1.0, z.re), 4 * math::Sin(z.im) * math::Cos(z.im) * decay);
  }
  const double a = math::Tanh(z.re), b = math::Tan(z.im), c = 1 / math::Cosh(z.re);
  const double scale = 1 + a * b * a * b;
  return N(a * (1 + b * b) / scale, b / scale * c * c);
}

/// log |2 z| of a large z.
template <typename N>
MSHADOW_XINLINE double LogOfTwice(N z) {
  return math::Log(ComplexAbs(z.re / 2, z.im / 2)) + 2 * kLn2;
}
template <typename N>
MSHADOW_XINLINE bool IsLarge(N z) {
  return math::Abs(z.re) > kLarge || math::Abs(z.im) > kLarge;
}
template <typename N>
MSHADOW_XINLINE N Acos(N z) {
  if (IsLarge(z)) return N(math::Atan2(math::Abs(z.im), z.re), WithSign(LogOfTwice(z), -z.im));
  const N a = elementary::Sqrt(N(1 - z.re, -z.im)), b = elementary::Sqrt(N(1 + z.re, z.im));
  return N(2 * math::Atan2(a.re, b.re), math::Asinh(b.re * a.im - b.im * a.re));
}
template <typename N>
MSHADOW_XINLINE N Acosh(N z) {
  if (IsLarge(z)) return N(LogOfTwice(z), math::Atan2(z.im, z.re));
  const N a = elementary::Sqrt(N(z.re - 1, z.im)), b = elementary::Sqrt(N(z.re + 1, z.im));
  return N(math::Asinh(a.re * b.re + a.im * b.im), 2 * math::Atan2(a.im, b.re));
}
template <typename N>
MSHADOW_XINLINE N Asinh(N z) {
  if (IsLarge(z)) return N(WithSign(LogOfTwice(z), z.re), math::Atan2(z.im, math::Abs(z.re)));
  const N a = elementary::Sqrt(N(1 + z.im, -z.re)), b = elementary::Sqrt(N(1 - z.im, z.re));
  return N(math::Asinh(a.re * b.im - b.re * a.im),
           math::Atan2(z.im, a.re * b.re - a.im * b.im));
}
template <typename N>
MSHADOW_XINLINE N Atanh(N z) {
  const double x = math::Abs(z.re), y = math::Abs(z.im);
  if (IsLarge(z)) {
    const double size = ComplexAbs(z.re / 2, z.im / 2);
    return N(WithSign(x / 4 / size / size, z.re), WithSign(kHalfPi, z.im));
  }
  if (x == 1 && y < 1e-150) {
    if (y == 0) return N(WithSign(Ieee<double>::kInfinity, z.re), z.im);
    return N(WithSign(-math::Log(math::Sqrt(y / 2)), z.re), WithSign(kHalfPi / 2, z.im));
  }
  const double re = math::Log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
  const double im = math::Atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2;
  return N(WithSign(re, z.re), WithSign(im, z.im));
}

/// f(z) = -i g(iz): sin of sinh, and so on.
#define MSHADOW_TURNED_(name, of)            \
  template <typename N>                      \
  MSHADOW_XINLINE N name(N z) {              \
    const N w = elementary::of(N(-z.im, z.re)); \
    return N(w.im, -w.re);                   \
  }
MSHADOW_TURNED_(Sin, Sinh)
MSHADOW_TURNED_(Tan, Tanh)
MSHADOW_TURNED_(Asin, Asinh)
MSHADOW_TURNED_(Atan, Atanh)
#undef MSHADOW_TURNED_
template <typename N>
MSHADOW_XINLINE N Cos(N z) {
  return elementary::Cosh(N(-z.im, z.re));
}
/// z^w, for a w that is no small integer.
template <typename N>
MSHADOW_XINLINE N Pow(N z, N w) {
  if (z.re == 0 && z.im == 0) {
    const double zero = w.re > 0 ? 0.0 : Ieee<double>::kInfinity * 0;
    return N(zero, zero);
  }
  return elementary::Exp(w * elementary::Log(z));
}

}  // namespace elementary
}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_COMPLEX_ELEMENTARY_H_
