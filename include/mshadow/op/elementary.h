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
#include "rounds_once.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {

/// e^a
MSHADOW_REAL_OP_(exp, Exp)

/// 2^a, exact for integers
MSHADOW_REAL_OP_(exp2, Exp2)

/// e^a - 1, accurate near 0
MSHADOW_REAL_OP_(expm1, Expm1)

/// The natural logarithm; log(0) = -inf, NaN below.
MSHADOW_REAL_OP_(log, Log)

#define MSHADOW_LOG_OP_(name, Function, base)                                                 \
  struct name {                                                                               \
    using RoundsOnce = name;                                                                  \
    template <typename DType>                                                                 \
    MSHADOW_XINLINE static DType Map(DType a) {                                               \
      return math::WholeLog<base>(a, math::FromReal<DType>(math::Function(math::ToReal(a)))); \
    }                                                                                         \
  };

/// The logarithm to base 2, exact for powers of two; log2(0) = -inf, NaN below.
MSHADOW_LOG_OP_(log2, Log2, 2)

/// The logarithm to base 10; log10(0) = -inf, NaN below.
MSHADOW_LOG_OP_(log10, Log10, 10)
#undef MSHADOW_LOG_OP_

/// log(1 + a), accurate near 0; log1p(-1) = -inf, NaN below.
MSHADOW_REAL_OP_(log1p, Log1p)

/// sin(a), a in radians of any size; NaN for inf.
MSHADOW_REAL_OP_(sin, Sin)

/// cos(a), a in radians of any size; NaN for inf.
MSHADOW_REAL_OP_(cos, Cos)

/// tan(a), a in radians of any size; NaN for inf.
MSHADOW_REAL_OP_(tan, Tan)

/// The angle in [-pi/2, pi/2] with sine a; NaN for |a| > 1.
MSHADOW_REAL_OP_(asin, Asin)

/// The angle in [0, pi] with cosine a; NaN for |a| > 1.
MSHADOW_REAL_OP_(acos, Acos)

/// The angle in [-pi/2, pi/2] with tangent a.
MSHADOW_REAL_OP_(atan, Atan)

/// (e^a - e^-a) / 2
MSHADOW_REAL_OP_(sinh, Sinh)

/// (e^a + e^-a) / 2
MSHADOW_REAL_OP_(cosh, Cosh)

/// (e^a - e^-a) / (e^a + e^-a)
MSHADOW_REAL_OP_(tanh, Tanh)

/// log(a + sqrt(a^2 + 1))
MSHADOW_REAL_OP_(asinh, Asinh)

/// log(a + sqrt(a^2 - 1)); NaN for a < 1.
MSHADOW_REAL_OP_(acosh, Acosh)

/// log((1 + a) / (1 - a)) / 2; atanh(1) = inf, NaN for |a| > 1.
MSHADOW_REAL_OP_(atanh, Atanh)

/// 2 / sqrt(pi) times the integral of e^(-x^2) from 0 to a.
MSHADOW_REAL_OP_(erf, Erf)

/// 1 - erf(a), accurate where erf(a) is near 1.
MSHADOW_REAL_OP_(erfc, Erfc)

}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_ELEMENTARY_H_
