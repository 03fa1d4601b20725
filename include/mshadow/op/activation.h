// SPDX-License-Identifier: Apache-2.0
// Activations of neural networks; arithmetic as in elementary.h.
#ifndef MSHADOW_OP_ACTIVATION_H_
#define MSHADOW_OP_ACTIVATION_H_

#include <type_traits>

#include "binary.h"
#include "math/activation.h"
#include "math/choose.h"
#include "math/erf.h"
#include "math/real.h"
#include "math/wrap.h"
#include "rounds_once.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {

/// 1 / (1 + e^-a)
MSHADOW_REAL_OP_(sigmoid, Sigmoid)

/// log(1 + e^a)
MSHADOW_REAL_OP_(softplus, Softplus)

/// a / (1 + e^-a), also called swish; -0 at -inf.
MSHADOW_REAL_OP_(silu, Silu)

/// a (1 + erf(a / sqrt(2))) / 2, the exact form; -0 at -inf.
MSHADOW_REAL_OP_(gelu, Gelu)

/// max(a, 0); NaN stays.
struct relu : RoundedOp<relu, 1> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return max::Map(a, DType(0));
  }
};

/// a min(max(a + 3, 0), 6) / 6; 0 at -inf, NaN stays.
/// Howard et al. 2019, "Searching for MobileNetV3", https://arxiv.org/abs/1905.02244
struct hardswish : RoundedOp<hardswish, 6> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(math::HardSwish(math::ToReal(a)));
  }
};

/// a for a > 0, else slope a; the slope is 0.01 if not given. Integers truncate slope a.
struct leaky_relu : RoundedOp<leaky_relu, 1> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    const DType below = math::FromReal<DType>(math::Leak(math::ToReal(a), math::Real<DType>(0.01)));
    if constexpr (std::is_integral<DType>::value) {
      return a > DType(0) ? a : below;
    } else {
      return below;
    }
  }
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType slope) {
    if constexpr (std::is_integral<DType>::value) {
      return a > DType(0) ? a : math::Mul(a, slope);
    } else {
      return math::FromReal<DType>(math::Leak(math::ToReal(a), math::ToReal(slope)));
    }
  }
};

}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_ACTIVATION_H_
