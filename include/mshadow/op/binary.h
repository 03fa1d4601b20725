// SPDX-License-Identifier: Apache-2.0
// Element-wise ops of two arguments, for F<op::name>(a, b). Semantics are NumPy's.
#ifndef MSHADOW_OP_BINARY_H_
#define MSHADOW_OP_BINARY_H_

#include <type_traits>

#include "../core/config.h"
#include "math/choose.h"
#include "math/complex_divide.h"
#include "math/divide.h"
#include "math/integer.h"
#include "math/libm.h"
#include "math/real.h"
#include "math/wrap.h"
#include "pairs.h"
#include "rounds_once.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {

/// b
struct right {
  static constexpr int kCost = 1;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType, DType b) {
    return b;
  }
};

#define MSHADOW_WRAPPING_OP_(name, Function)             \
  struct name : RoundedOp<name, 1> {                     \
    template <typename DType>                            \
    MSHADOW_XINLINE static DType Map(DType a, DType b) { \
      return math::Function(a, b);                       \
    }                                                    \
  };                                                     \
  template <>                                            \
  inline constexpr bool kMapsPairs<name> = true;

/// a + b; integers wrap around.
MSHADOW_WRAPPING_OP_(plus, Add)

/// a - b; integers wrap around.
MSHADOW_WRAPPING_OP_(minus, Sub)

/// a b; integers wrap around.
MSHADOW_WRAPPING_OP_(mul, Mul)
#undef MSHADOW_WRAPPING_OP_

/// a / b; an integer quotient is truncated towards zero, and 0 for b = 0.
struct div : RoundedOp<div, 4> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType b) {
    if constexpr (std::is_integral<DType>::value) {
      return math::KeepIf(b != DType(0), math::IntegerQuotient(a, math::SafeDivisor(a, b)));
    } else if constexpr (kIsComplex<DType>) {
      return math::ComplexDiv(Computed<DType>(a), Computed<DType>(b));
    } else {
      return static_cast<DType>(a / b);
    }
  }
};

/// a - b floor(a / b), of the sign of b (Python's %, np.mod); NaN for b = 0, 0 for an integer one.
struct mod {
  using RoundsOnce = mod;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType b) {
    if constexpr (std::is_integral<DType>::value) {
      return math::FloorMod(a, b);
    } else {
      return math::FromReal<DType>(math::FloorMod(math::ToReal(a), math::ToReal(b)));
    }
  }
};

namespace math {
template <typename DType>
struct ComplexPower;  // in complex_functions.h
}  // namespace math
/// a^b; NaN for a < 0 with b not an integer. Powers of integers are exact and wrap around. For b <
/// 0 they are 1 / a^-b truncated, and 0 for a = 0.
struct pow {
  using RoundsOnce = pow;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType b) {
    if constexpr (math::kWraps<DType>) {
      return math::IntegerPower(a, b);
    } else if constexpr (kIsComplex<DType>) {
      return math::ComplexPower<DType>::Of(a, b);
    } else {
      return math::FromReal<DType>(math::Pow(math::ToReal(a), math::ToReal(b)));
    }
  }
};

/// The angle in [-pi, pi] of the point (b, a).
struct atan2 {
  using RoundsOnce = atan2;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType b) {
    return math::FromReal<DType>(math::Atan2(math::ToReal(a), math::ToReal(b)));
  }
};

struct eq;
struct ne;
/// False if OP needs an order that DType does not have.
template <typename DType, typename OP>
inline constexpr bool kOrders =
    !kIsComplex<DType> || std::is_same_v<OP, eq> || std::is_same_v<OP, ne>;
#define MSHADOW_NO_ORDER_ \
  "mshadow: complex numbers have no order: compare abs(z), real(z) or imag(z)"

#define MSHADOW_EXTREME_OP_(name, symbol, Function)                                     \
  struct name : RoundedOp<name, 1> {                                                    \
    template <typename DType>                                                           \
    MSHADOW_XINLINE static DType Map(DType a, DType b) {                                \
      static_assert(kOrders<DType, name>, MSHADOW_NO_ORDER_);                           \
      if constexpr (std::is_arithmetic<DType>::value) {                                 \
        const bool take_a = int(a symbol b) | int(a != a); /* no branch */              \
        return take_a ? a : b;                                                          \
      } else {                                                                          \
        return math::FromReal<DType>(math::Function(math::ToReal(a), math::ToReal(b))); \
      }                                                                                 \
    }                                                                                   \
  };

/// The larger of a and b; NaN if either is NaN.
MSHADOW_EXTREME_OP_(max, >, Max)

/// The smaller of a and b; NaN if either is NaN.
MSHADOW_EXTREME_OP_(min, <, Min)
#undef MSHADOW_EXTREME_OP_

#define MSHADOW_COMPARISON_(name, symbol)                     \
  struct name : RoundedOp<name, 1> {                          \
    template <typename DType>                                 \
    MSHADOW_XINLINE static DType Map(DType a, DType b) {      \
      static_assert(kOrders<DType, name>, MSHADOW_NO_ORDER_); \
      using T = Computed<DType>;                              \
      if constexpr (kOrders<DType, name>) {                   \
        return T(a) symbol T(b) ? T(1) : T(0);                \
      } else {                                                \
        return DType();                                       \
      }                                                       \
    }                                                         \
  };                                                          \
  template <>                                                 \
  inline constexpr bool kIsTruth<name> = true;

/// 1 if a = b, else 0.
MSHADOW_COMPARISON_(eq, ==)

/// 1 if a != b, else 0.
MSHADOW_COMPARISON_(ne, !=)

/// 1 if a < b, else 0.
MSHADOW_COMPARISON_(lt, <)

/// 1 if a <= b, else 0.
MSHADOW_COMPARISON_(le, <=)

/// 1 if a > b, else 0.
MSHADOW_COMPARISON_(gt, >)

/// 1 if a >= b, else 0.
MSHADOW_COMPARISON_(ge, >=)
#undef MSHADOW_COMPARISON_

#define MSHADOW_LOGICAL_(name, symbol)                                  \
  struct name : RoundedOp<name, 1> {                                    \
    template <typename DType>                                           \
    MSHADOW_XINLINE static DType Map(DType a, DType b) {                \
      const bool result = int(a != DType(0)) symbol int(b != DType(0)); \
      return result ? DType(1) : DType(0);                              \
    }                                                                   \
  };                                                                    \
  template <>                                                           \
  inline constexpr bool kIsTruth<name> = true;

/// 1 if neither is 0, else 0.
MSHADOW_LOGICAL_(logical_and, &)

/// 1 if one of them is not 0, else 0.
MSHADOW_LOGICAL_(logical_or, |)

/// 1 if exactly one of them is not 0, else 0.
MSHADOW_LOGICAL_(logical_xor, ^)
#undef MSHADOW_LOGICAL_

}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_BINARY_H_
