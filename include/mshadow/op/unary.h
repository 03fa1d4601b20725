// SPDX-License-Identifier: Apache-2.0
// Element-wise ops of one argument, for F<op::name>(a).
//
// An op is a struct with a static Map from scalars to a scalar; write your own the same way. The
// code is free of branches, so that kernels vectorise it. Semantics are NumPy's: NaN in, NaN out.
#ifndef MSHADOW_OP_UNARY_H_
#define MSHADOW_OP_UNARY_H_

#include <type_traits>

#include "../core/config.h"
#include "activation.h"
#include "elementary.h"
#include "math/choose.h"
#include "math/convert.h"
#include "math/integer.h"
#include "math/libm.h"
#include "math/real.h"
#include "math/round.h"
#include "math/wrap.h"
#include "pairs.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {

/// a
struct identity {
  static constexpr int kCost = 1;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return a;
  }
};

/// a as a To, as math::Saturate gives it: the op of saturate_cast<To>(expression).
template <typename To>
struct saturate {
  static constexpr int kCost = 1;
  template <typename DType>
  MSHADOW_XINLINE static To Map(DType a) {
    return math::Saturate<To>(a);
  }
};

/// -a; the lowest integer stays what it is.
struct negate : RoundedOp<negate, 1> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    if constexpr (std::is_integral<DType>::value) {
      return math::Negative(a);
    } else if constexpr (kIsComplex<DType>) {
      return Computed<DType>(-Computed<DType>(a).re, -Computed<DType>(a).im);
    } else {
      return math::FromReal<DType>(-math::ToReal(a));
    }
  }
};

/// |a|; the lowest integer stays what it is.
struct abs : RoundedOp<abs, 1> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    if constexpr (std::is_unsigned<DType>::value) {
      return a;
    } else if constexpr (std::is_integral<DType>::value) {
      if constexpr (sizeof(DType) < 4) {
        return static_cast<DType>(a < 0 ? -a : a);  // -a is an int, which cannot overflow
      } else {
        using Unsigned = math::Wrapping<DType>;
        const Unsigned bits = static_cast<Unsigned>(a);
        const Unsigned mask = Unsigned{0} - (bits >> (sizeof(DType) * 8 - 1));
        return static_cast<DType>((bits ^ mask) - mask);
      }
    } else {
      return math::FromReal<DType>(math::Abs(math::ToReal(a)));
    }
  }
};

/// -1, 0 or 1; zeros and NaN stay what they are.
struct sign : RoundedOp<sign, 1> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    if constexpr (std::is_arithmetic<DType>::value) {
      const DType not_positive = a < DType(0) ? DType(-1) : a;
      return a > DType(0) ? DType(1) : not_positive;
    } else {
      return math::FromReal<DType>(math::Sign(math::ToReal(a)));
    }
  }
};

/// a^2; integers wrap around.
struct square : RoundedOp<square, 1> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::Mul(a, a);
  }
};
template <>
inline constexpr bool kMapsPairs<square> = true;

/// sqrt(a), correctly rounded; NaN below 0. Of an integer, the integer below it, 0 below 0.
struct sqrt : RoundedOp<sqrt, 4> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    const DType root = math::FromReal<DType>(math::Sqrt(math::ToReal(a)));
    if constexpr (std::is_integral<DType>::value && sizeof(DType) == 8) {
      return a > 0 ? static_cast<DType>(math::RootFrom<2>(static_cast<uint64_t>(root),
                                                          static_cast<uint64_t>(a)))
                   : DType(0);
    } else {
      return root;
    }
  }
};

/// 1 / sqrt(a); inf at 0, -inf at -0, NaN below.
struct rsqrt : RoundedOp<rsqrt, 4> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(1 / math::Sqrt(math::ToReal(a)));
  }
};

/// The real cube root, also of negative numbers. Of an integer, truncated.
struct cbrt {
  using RoundsOnce = cbrt;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    const auto real = math::Cbrt(math::ToReal(a));
    if constexpr (!math::kWraps<DType>) {
      return math::FromReal<DType>(real);
    } else if constexpr (sizeof(DType) <= 4) {
      // The roots of n^3 - 1 and n^3 are further apart than a few units of the last place.
      using Real = math::Real<DType>;
      constexpr Real kOneAndSome = static_cast<Real>(sizeof(Real) == 4 ? 1 + 0x1p-21 : 1 + 0x1p-48);
      return math::FromReal<DType>(real * kOneAndSome);
    } else {
      const uint64_t guess = static_cast<uint64_t>(abs::Map(math::FromReal<DType>(real)));
      const uint64_t root = math::RootFrom<3>(guess, static_cast<uint64_t>(abs::Map(a)));
      return a < 0 ? math::Negative(static_cast<DType>(root)) : static_cast<DType>(root);
    }
  }
};

/// 1 / a
struct reciprocal : RoundedOp<reciprocal, 4> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return math::FromReal<DType>(1 / math::ToReal(a));
  }
};

#define MSHADOW_ROUNDING_OP_(name, Function)                           \
  struct name : RoundedOp<name, 4> {                                   \
    template <typename DType>                                          \
    MSHADOW_XINLINE static DType Map(DType a) {                        \
      if constexpr (std::is_integral<DType>::value) {                  \
        return a;                                                      \
      } else {                                                         \
        return math::FromReal<DType>(math::Function(math::ToReal(a))); \
      }                                                                \
    }                                                                  \
  };

/// The largest integer not above a.
MSHADOW_ROUNDING_OP_(floor, Floor)

/// The smallest integer not below a.
MSHADOW_ROUNDING_OP_(ceil, Ceil)

/// The nearest integer, halves to the even one (as np.rint, unlike C's round).
MSHADOW_ROUNDING_OP_(round, Round)

/// The integer next to a towards zero.
MSHADOW_ROUNDING_OP_(trunc, Trunc)
#undef MSHADOW_ROUNDING_OP_

/// 1 if a is 0, else 0 (NaN is not 0).
struct logical_not : RoundedOp<logical_not, 1> {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return a == DType(0) ? DType(1) : DType(0);
  }
};
template <>
inline constexpr bool kIsTruth<logical_not> = true;

// Not named isnan, which code in namespace op calls with numbers. By bits: comparisons of NaN raise
// FE_INVALID, and -ffast-math drops them.
#define MSHADOW_CLASSIFYING_OP_(name, symbol)                               \
  struct name : RoundedOp<name, 1> {                                        \
    template <typename DType>                                               \
    MSHADOW_XINLINE static DType Map(DType a) {                             \
      using Ieee = math::Ieee<math::Real<DType>>;                           \
      const auto magnitude = math::ToBits(math::ToReal(a)) & ~Ieee::kSign;  \
      const bool holds = magnitude symbol math::ToBits(Ieee::kInfinity);    \
      return holds ? DType(1) : DType(0);                                   \
    }                                                                       \
  };                                                                        \
  template <>                                                               \
  inline constexpr bool kIsTruth<name> = true;

/// 1 if a is NaN, else 0.
MSHADOW_CLASSIFYING_OP_(is_nan, >)

/// 1 if a is inf or -inf, else 0.
MSHADOW_CLASSIFYING_OP_(is_inf, ==)

/// 1 if a is neither NaN nor infinite, else 0.
MSHADOW_CLASSIFYING_OP_(is_finite, <)
#undef MSHADOW_CLASSIFYING_OP_

}  // namespace op
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_UNARY_H_
