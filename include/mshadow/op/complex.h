// SPDX-License-Identifier: Apache-2.0
// Ops on complex numbers, for ComplexF (extension/complex.h).
//
// With two operands: RealMap and ImagMap (a_real, a_imag, b_real, b_imag); the imaginary part of a
// real operand is 0. With one: RealMap and ImagMap (real, imag); without ImagMap the result is
// real. Ops of 2.x work too: RealMap(plan, real_i, real_j, imag_i, imag_j), RealMap(plan, i, j).
#ifndef MSHADOW_OP_COMPLEX_H_
#define MSHADOW_OP_COMPLEX_H_

#include <type_traits>

#include "../core/config.h"
#include "../core/half.h"
#include "math/complex_divide.h"
#include "math/wrap.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::complex {

/// Which operands are complex.
enum BinaryCalculationType { kBinaryCC, kBinaryCR, kBinaryRC };
/// From what to what.
enum UnitaryCalculationType { kUnitaryC2R, kUnitaryC2C, kUnitaryR2C };

/// a b
struct mul {
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType a_real, DType a_imag, DType b_real, DType b_imag) {
    if constexpr (math::kWraps<DType>) {
      return math::Sub(math::Mul(a_real, b_real), math::Mul(a_imag, b_imag));
    } else {
      return static_cast<DType>(a_real * b_real - a_imag * b_imag);
    }
  }
  template <typename DType>
  MSHADOW_XINLINE static DType ImagMap(DType a_real, DType a_imag, DType b_real, DType b_imag) {
    if constexpr (math::kWraps<DType>) {
      return math::Add(math::Mul(a_real, b_imag), math::Mul(a_imag, b_real));
    } else {
      return static_cast<DType>(a_real * b_imag + a_imag * b_real);
    }
  }
};

/// a / b, right wherever the quotient can be represented; NaN for b = 0. Integers truncate, and
/// give 0 for b = 0.
struct div {
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType a_real, DType a_imag, DType b_real, DType b_imag) {
    return Quotient<false>(a_real, a_imag, b_real, b_imag);
  }
  template <typename DType>
  MSHADOW_XINLINE static DType ImagMap(DType a_real, DType a_imag, DType b_real, DType b_imag) {
    return Quotient<true>(a_real, a_imag, b_real, b_imag);
  }

 private:
  template <bool kImag, typename DType>
  MSHADOW_XINLINE static DType Quotient(DType a, DType b, DType c, DType d) {
    using T = math::DivisionReal<DType>;
    constexpr bool kScale = std::is_same<DType, double>::value;
    const T quotient = math::ComplexQuotient<kImag, kScale>(
        static_cast<T>(a), static_cast<T>(b), static_cast<T>(c), static_cast<T>(d));
    if constexpr (std::is_integral<DType>::value) {
      return math::FromReal<DType>(static_cast<math::Real<DType>>(quotient));
    } else {
      return static_cast<DType>(quotient);
    }
  }
};

/// real
struct toreal {
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType real, DType) {
    return real;
  }
};

/// real - i imag
struct conjugate : toreal {
  template <typename DType>
  MSHADOW_XINLINE static DType ImagMap(DType, DType imag) {
    if constexpr (math::kWraps<DType>) {
      return math::Negative(imag);
    } else {
      return static_cast<DType>(-imag);
    }
  }
};

/// imag + i real
struct exchange {
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType, DType imag) {
    return imag;
  }
  template <typename DType>
  MSHADOW_XINLINE static DType ImagMap(DType real, DType) {
    return real;
  }
};

/// real + 0 i, of a real number
struct pad_imag : toreal {
  template <typename DType>
  MSHADOW_XINLINE static DType ImagMap(DType, DType) {
    return static_cast<DType>(0.0f);
  }
};

/// real^2 + imag^2
struct abs_square {
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType real, DType imag) {
    if constexpr (math::kWraps<DType>) {
      return math::Add(math::Mul(real, real), math::Mul(imag, imag));
    } else {
      return static_cast<DType>(real * real + imag * imag);
    }
  }
};

/// real + imag
struct sum_real_imag {
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType real, DType imag) {
    return math::Add(real, imag);
  }
};

}  // namespace op::complex
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_COMPLEX_H_
