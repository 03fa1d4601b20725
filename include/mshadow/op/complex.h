// SPDX-License-Identifier: Apache-2.0
// Ops on complex numbers, for ComplexF (extension/complex.h).
//
// Of two operands: RealMap and ImagMap (a_real, a_imag, b_real, b_imag), also where one of them is
// real (its imaginary part is 0 then). Of one: RealMap and ImagMap (real, imag); from complex to
// real there is no ImagMap. An op of 2.x, RealMap(plan, real_i, real_j, imag_i, imag_j), and from
// real to complex RealMap(plan, i, j), works as well.
#ifndef MSHADOW_OP_COMPLEX_H_
#define MSHADOW_OP_COMPLEX_H_

#include <cstdint>
#include <type_traits>

#include "../core/config.h"
#include "../core/half.h"
#include "binary.h"
#include "math/real.h"
#include "math/wrap.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {
namespace complex {

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

/// Quotients of complex numbers whose squares may be out of the range of the type.
template <typename DType>
class Quotient {
  // Floats and bfloat16 have no square that double does not hold, and half_t none that float does
  // not. Others are scaled by powers of two (R. L. Smith, "Algorithm 116: Complex division", 1962,
  // scales by the larger part of b, whose quotients overflow near the end of the range).
  static constexpr bool kScales = std::is_same_v<DType, double>;
  using Wide = std::conditional_t<std::is_same_v<DType, half::half_t>, float, double>;

 public:
  MSHADOW_XINLINE Quotient(DType a_real, DType a_imag, DType b_real, DType b_imag)
      : a_real_(static_cast<Wide>(a_real)), a_imag_(static_cast<Wide>(a_imag)),
        b_real_(static_cast<Wide>(b_real)), b_imag_(static_cast<Wide>(b_imag)) {
    if constexpr (kScales) {
      const uint64_t a = Exponent(a_real_, a_imag_), b = Exponent(b_real_, b_imag_);
      Scale(&a_real_, &a_imag_, a);
      Scale(&b_real_, &b_imag_, b);
      // 2^(a - b) may be out of range: two factors.
      const uint64_t difference = a + 2 * kBias - b;  // in (0, 4 kBias)
      const uint64_t half = difference / 2;
      first_ = math::PowerOfTwo<double>(half);
      second_ = math::PowerOfTwo<double>(difference - half);
    }
  }
  MSHADOW_XINLINE DType Real() const {
    return Result(a_real_ * b_real_ + a_imag_ * b_imag_);
  }
  MSHADOW_XINLINE DType Imag() const {
    return Result(a_imag_ * b_real_ - a_real_ * b_imag_);
  }

 private:
  static constexpr uint64_t kBias = math::Ieee<double>::kBias;
  static constexpr int kMantissa = math::Ieee<double>::kMantissa;

  MSHADOW_XINLINE Wide Square() const { return b_real_ * b_real_ + b_imag_ * b_imag_; }
  /// The biased exponent of the larger part, as far as it and 2^-exponent are normal numbers.
  MSHADOW_XINLINE static uint64_t Exponent(double real, double imag) {
    const uint64_t r = ExponentBits(real), i = ExponentBits(imag);
    const uint64_t larger = r + ((i - r) & Below(r, i));
    const uint64_t normal = larger + ((larger - 1) >> 63);
    constexpr uint64_t kMost = 2 * kBias - 1;
    return normal - ((normal - kMost) & Below(kMost, normal));
  }
  MSHADOW_XINLINE static uint64_t ExponentBits(double a) {
    return (math::ToBits(a) & ~math::Ieee<double>::kSign) >> kMantissa;
  }
  /// All bits set where a < b, for small numbers: the sign of a difference is a vector instruction.
  MSHADOW_XINLINE static uint64_t Below(uint64_t a, uint64_t b) {
    return uint64_t{0} - ((a - b) >> 63);
  }
  MSHADOW_XINLINE static void Scale(double* real, double* imag, uint64_t exponent) {
    const double factor = math::PowerOfTwo<double>(2 * kBias - exponent);
    *real *= factor;
    *imag *= factor;
  }
  MSHADOW_XINLINE DType Result(Wide product) const {
    if constexpr (kScales) {
      return product / Square() * first_ * second_;
    } else if constexpr (sizeof(Wide) > sizeof(float)) {
      return static_cast<DType>(product * (1 / Square()));  // one division for both parts
    } else {
      return static_cast<DType>(product / Square());
    }
  }
  Wide a_real_, a_imag_, b_real_, b_imag_;
  double first_ = 1, second_ = 1;
};

/// a / b, right wherever the result is within the range of the type; NaN for b = 0. Of integers, as
/// op::div.
struct div {
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType a_real, DType a_imag, DType b_real, DType b_imag) {
    if constexpr (std::is_integral_v<DType>) {
      return op::div::Map(math::Add(math::Mul(a_real, b_real), math::Mul(a_imag, b_imag)),
                          math::Add(math::Mul(b_real, b_real), math::Mul(b_imag, b_imag)));
    } else {
      return Quotient<DType>(a_real, a_imag, b_real, b_imag).Real();
    }
  }
  template <typename DType>
  MSHADOW_XINLINE static DType ImagMap(DType a_real, DType a_imag, DType b_real, DType b_imag) {
    if constexpr (std::is_integral_v<DType>) {
      return op::div::Map(math::Sub(math::Mul(a_imag, b_real), math::Mul(a_real, b_imag)),
                          math::Add(math::Mul(b_real, b_real), math::Mul(b_imag, b_imag)));
    } else {
      return Quotient<DType>(a_real, a_imag, b_real, b_imag).Imag();
    }
  }
};

/// real - i imag
struct conjugate {
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType real, DType) {
    return real;
  }
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
struct pad_imag {
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType real, DType) {
    return real;
  }
  template <typename DType>
  MSHADOW_XINLINE static DType ImagMap(DType, DType) {
    return static_cast<DType>(0.0f);
  }
};

/// real
struct toreal {
  template <typename DType>
  MSHADOW_XINLINE static DType RealMap(DType real, DType) {
    return real;
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

}  // namespace complex
}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_COMPLEX_H_
