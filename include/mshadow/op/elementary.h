// SPDX-License-Identifier: Apache-2.0
// The elementary functions. Integers compute in float (8 and 16 bits) or double and truncate,
// 16-bit floats compute in float; NaN gives NaN. Measured errors: guide/accuracy.md.
#ifndef MSHADOW_OP_ELEMENTARY_H_
#define MSHADOW_OP_ELEMENTARY_H_

#include "math/erf.h"
#include "math/exp.h"
#include "math/hyperbolic.h"
#include "math/integer.h"
#include "math/libm.h"
#include "math/log.h"
#include "math/real.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {

/// e^a
struct exp {
  using RoundsOnce = exp;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Exp(math::ToReal(a)));
  }
};

/// 2^a, exact for integers
struct exp2 {
  using RoundsOnce = exp2;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Exp2(math::ToReal(a)));
  }
};

/// e^a - 1, accurate near 0
struct expm1 {
  using RoundsOnce = expm1;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Expm1(math::ToReal(a)));
  }
};

/// The natural logarithm; log(0) = -inf, NaN below.
struct log {
  using RoundsOnce = log;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Log(math::ToReal(a)));
  }
};

/// The logarithm to base 2, exact for powers of two; log2(0) = -inf, NaN below.
struct log2 {
  using RoundsOnce = log2;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::WholeLog<2>(a, math::FromReal<DType>(math::Log2(math::ToReal(a))));
  }
};

/// The logarithm to base 10; log10(0) = -inf, NaN below.
struct log10 {
  using RoundsOnce = log10;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::WholeLog<10>(a, math::FromReal<DType>(math::Log10(math::ToReal(a))));
  }
};

/// log(1 + a), accurate near 0; log1p(-1) = -inf, NaN below.
struct log1p {
  using RoundsOnce = log1p;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Log1p(math::ToReal(a)));
  }
};

/// sin(a), a in radians of any size; NaN for inf.
struct sin {
  using RoundsOnce = sin;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Sin(math::ToReal(a)));
  }
};

/// cos(a), a in radians of any size; NaN for inf.
struct cos {
  using RoundsOnce = cos;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Cos(math::ToReal(a)));
  }
};

/// tan(a), a in radians of any size; NaN for inf.
struct tan {
  using RoundsOnce = tan;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Tan(math::ToReal(a)));
  }
};

/// The angle in [-pi/2, pi/2] with sine a; NaN for |a| > 1.
struct asin {
  using RoundsOnce = asin;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Asin(math::ToReal(a)));
  }
};

/// The angle in [0, pi] with cosine a; NaN for |a| > 1.
struct acos {
  using RoundsOnce = acos;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Acos(math::ToReal(a)));
  }
};

/// The angle in [-pi/2, pi/2] with tangent a.
struct atan {
  using RoundsOnce = atan;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Atan(math::ToReal(a)));
  }
};

/// (e^a - e^-a) / 2
struct sinh {
  using RoundsOnce = sinh;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Sinh(math::ToReal(a)));
  }
};

/// (e^a + e^-a) / 2
struct cosh {
  using RoundsOnce = cosh;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Cosh(math::ToReal(a)));
  }
};

/// (e^a - e^-a) / (e^a + e^-a)
struct tanh {
  using RoundsOnce = tanh;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Tanh(math::ToReal(a)));
  }
};

/// log(a + sqrt(a^2 + 1))
struct asinh {
  using RoundsOnce = asinh;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Asinh(math::ToReal(a)));
  }
};

/// log(a + sqrt(a^2 - 1)); NaN for a < 1.
struct acosh {
  using RoundsOnce = acosh;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Acosh(math::ToReal(a)));
  }
};

/// log((1 + a) / (1 - a)) / 2; atanh(1) = inf, NaN for |a| > 1.
struct atanh {
  using RoundsOnce = atanh;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Atanh(math::ToReal(a)));
  }
};

/// 2 / sqrt(pi) times the integral of e^(-x^2) from 0 to a.
struct erf {
  using RoundsOnce = erf;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Erf(math::ToReal(a)));
  }
};

/// 1 - erf(a), accurate where erf(a) is near 1.
struct erfc {
  using RoundsOnce = erfc;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::Erfc(math::ToReal(a)));
  }
};

}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_ELEMENTARY_H_
