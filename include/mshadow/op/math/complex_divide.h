// SPDX-License-Identifier: Apache-2.0
// The quotient of two complex numbers, right wherever it can be represented.
#ifndef MSHADOW_OP_MATH_COMPLEX_DIVIDE_H_
#define MSHADOW_OP_MATH_COMPLEX_DIVIDE_H_

#include <limits>
#include <type_traits>

#include "../../core/float16_ops.h"
#include "libm.h"
#include "real.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

/// What divides complex numbers of DType: float where it holds their squares, else double.
template <typename DType>
using DivisionReal = std::conditional_t<float16::kIsFloat16<DType> &&
                                            2 * std::numeric_limits<DType>::max_exponent <=
                                                std::numeric_limits<float>::max_exponent,
                                        float, double>;

/// 2^k that brings a number of this magnitude to [2, 4), or nearer to it; 1 for inf and NaN.
/// `biased` is k + kBias.
template <typename T>
MSHADOW_XINLINE typename Ieee<T>::Bits ScaleOf(T magnitude) {
  using Bits = typename Ieee<T>::Bits;
  const Bits exponent = (ToBits(magnitude) & ~Ieee<T>::kSign) >> Ieee<T>::kMantissa;
  const Bits finite = Lesser<Bits>(2 * Ieee<T>::kBias + 1 - exponent, 2 * Ieee<T>::kBias);
  return exponent == 2 * Ieee<T>::kBias + 1 ? Ieee<T>::kBias : finite;
}

/// a 2^k for |k| <= 2 kBias
template <typename T>
MSHADOW_XINLINE T Scaled(T a, typename Ieee<T>::Bits k) {
  using Bits = typename Ieee<T>::Bits;
  const Bits shifted = k + 2 * Ieee<T>::kBias;
  const Bits half = shifted >> 1;
  return a * PowerOfTwo<T>(half) * PowerOfTwo<T>(shifted - half);
}

/// (a + i b) / (c + i d): the part that `kImag` names. The larger of c and d divides the other
/// before anything is squared (R. L. Smith, "Algorithm 116: Complex division", CACM 5 (8), 1962).
/// double, which has no wider type, is scaled by powers of two so that no sum overflows either. NaN
/// for c = d = 0.
template <bool kImag, bool kScale, typename T>
MSHADOW_XINLINE T ComplexQuotient(T a, T b, T c, T d) {
  typename Ieee<T>::Bits k = 0;
  if constexpr (kScale) {
    const T numerator = Select(Less(Abs(a), Abs(b)), b, a);
    const T denominator = Select(Less(Abs(c), Abs(d)), d, c);
    const auto up = ScaleOf(numerator), down = ScaleOf(denominator);
    a *= PowerOfTwo<T>(up);
    b *= PowerOfTwo<T>(up);
    c *= PowerOfTwo<T>(down);
    d *= PowerOfTwo<T>(down);
    k = down - up;
  }
  const auto swap = Less(Abs(c), Abs(d));
  const T divisor = Select(swap, d, c);
  const T ratio = Select(swap, c, d) / divisor;
  const T first = Select(swap, b, a), second = Select(swap, a, b);
  const T scale = divisor + Select(swap, c, d) * ratio;
  T quotient;
  if constexpr (kImag) {
    const T product = first * ratio;
    quotient = (Select(swap, product, second) - Select(swap, second, product)) / scale;
  } else {
    quotient = (first + second * ratio) / scale;
  }
  if constexpr (kScale) quotient = Scaled(quotient, k);
  return quotient;
}

/// a / b of complex numbers.
template <typename C>
MSHADOW_XINLINE ComplexNumber<C> ComplexDiv(ComplexNumber<C> a, ComplexNumber<C> b) {
  using T = typename C::value_type;
  using R = DivisionReal<T>;
  constexpr bool kScale = std::is_same_v<T, double>;
  const R re = static_cast<R>(a.re), im = static_cast<R>(a.im);
  const R c = static_cast<R>(b.re), d = static_cast<R>(b.im);
  return {static_cast<T>(ComplexQuotient<false, kScale>(re, im, c, d)),
          static_cast<T>(ComplexQuotient<true, kScale>(re, im, c, d))};
}

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_COMPLEX_DIVIDE_H_
