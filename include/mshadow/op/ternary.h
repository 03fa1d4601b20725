// SPDX-License-Identifier: Apache-2.0
// Element-wise ops of three arguments, for F<op::name>(a, b, c).
#ifndef MSHADOW_OP_TERNARY_H_
#define MSHADOW_OP_TERNARY_H_

#include <type_traits>

#include "binary.h"
#include "math/choose.h"
#include "math/real.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {

/// min(max(a, low), high); NaN if any of them is NaN.
struct clip : RoundedOp<clip, 1> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType low, DType high) {
    static_assert(kOrders<DType, clip>, MSHADOW_NO_ORDER_);
    if constexpr (std::is_integral<DType>::value) {
      return min::Map(max::Map(a, low), high);
    } else {
      const auto raised = math::Max(math::ToReal(a), math::ToReal(low));
      return math::FromReal<DType>(math::Min(raised, math::ToReal(high)));
    }
  }
};

/// a where condition is not 0, else b.
struct where : RoundedOp<where, 1> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType condition, DType a, DType b) {
    if constexpr (std::is_arithmetic<DType>::value) {
      return condition != DType(0) ? a : b;
    } else if constexpr (kIsComplex<DType>) {
      using Number = Computed<DType>;
      return Number(condition) != Number(0) ? Number(a) : Number(b);
    } else {
      return math::FromReal<DType>(
          math::Where(math::ToReal(condition), math::ToReal(a), math::ToReal(b)));
    }
  }
};

}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_TERNARY_H_
