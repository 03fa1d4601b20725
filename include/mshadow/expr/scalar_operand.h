// SPDX-License-Identifier: Apache-2.0
// Operands of F<OP>: their element type, and scalars. Over integers, comparisons and limits take
// every number.
#ifndef MSHADOW_EXPR_SCALAR_OPERAND_H_
#define MSHADOW_EXPR_SCALAR_OPERAND_H_

#include <type_traits>

#include "../core/scalar_value.h"
#include "../op/binary.h"
#include "../op/ternary.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// What an op does with its operand number `position`:
///   kValue  computes with it;
///   kTruth  asks whether it is 0;
///   kUpper  takes it where others are larger, kLower where others are smaller.
enum class Role { kValue, kTruth, kUpper, kLower };
template <typename OP, int position>
inline constexpr Role kRole = Role::kValue;
template <int position>
inline constexpr Role kRole<op::min, position> = Role::kUpper;
template <int position>
inline constexpr Role kRole<op::max, position> = Role::kLower;
template <>
inline constexpr Role kRole<op::clip, 1> = Role::kLower;
template <>
inline constexpr Role kRole<op::clip, 2> = Role::kUpper;
template <>
inline constexpr Role kRole<op::where, 0> = Role::kTruth;
template <int position>
inline constexpr Role kRole<op::logical_and, position> = Role::kTruth;
template <int position>
inline constexpr Role kRole<op::logical_or, position> = Role::kTruth;
template <int position>
inline constexpr Role kRole<op::logical_xor, position> = Role::kTruth;

/// The element that stands for the scalar operand `s` of OP. A limit beyond the range of an integer
/// type limits nothing: the end of the range does the same. Throws Error as ExactScalar does where
/// the result may be a number that the type does not hold.
template <Role role, typename DType, typename S>
MSHADOW_XINLINE DType ScalarOperand(const S& s) {
#ifndef __CUDA_ARCH__
  if constexpr (MayNotHold<DType, S>()) {
    const auto number = PlainNumber(s);
    if constexpr (role == Role::kTruth) return static_cast<DType>(number != 0);
    if constexpr (role == Role::kUpper) {
      if (SideOf<DType>(number) == Side::kAbove) return (std::numeric_limits<DType>::max)();
    }
    if constexpr (role == Role::kLower) {
      if (SideOf<DType>(number) == Side::kBelow) return std::numeric_limits<DType>::lowest();
    }
  }
#endif
  return ExactScalar<DType>(s);
}

/// The element type of an operand of F<OP> or an operator; void for a scalar.
template <typename E, typename DType, int etype>
DType TypeOf(const Exp<E, DType, etype>*);
template <typename S>
void TypeOf(const ScalarExp<S>*);
void TypeOf(const void*);
template <typename T>
using ElementOf = decltype(detail::TypeOf(static_cast<const T*>(nullptr)));

/// The value of a scalar operand.
template <typename S>
MSHADOW_XINLINE S Value(const ScalarExp<S>& e) {
  return e.scalar_;
}
template <typename S>
MSHADOW_XINLINE S Value(const S& s) {
  return s;
}

/// The first of the types that is not void.
template <typename... Types>
struct FirstType {
  using Type = void;
};
template <typename First, typename... Rest>
struct FirstType<First, Rest...> {
  using Type = First;
};
template <typename... Rest>
struct FirstType<void, Rest...> : FirstType<Rest...> {};

/// The element type of an expression, or the type of a scalar.
template <typename T, typename Element = ElementOf<T>>
struct NumberOf {
  using Type = Element;
};
template <typename T>
struct NumberOf<T, void> {
  using Type = decltype(detail::Value(std::declval<const T&>()));
};

/// Real; or, where it is mixed with complex numbers, the complex type of its precision.
template <typename Real, bool is_mixed, typename... Numbers>
struct Promoted {
  using Type = Real;
};
template <typename Real, typename... Numbers>
struct Promoted<Real, true, Numbers...> {
  using Complex =
      typename FirstType<std::conditional_t<kIsComplex<Numbers>, Numbers, void>...>::Type;
  using Type = typename mshadow::detail::ComplexOfType<Complex, Real>::Type;
};

/// The element type of the operands of one node: that of the first which is no scalar, and among
/// scalars alone the type of the first. Beside a complex operand or scalar, float is complex<float>
/// and double complex<double>.
template <typename First, typename... Rest>
using FirstElement =
    typename FirstType<ElementOf<First>, ElementOf<Rest>..., typename NumberOf<First>::Type>::Type;
template <typename First, typename... Rest>
using CommonElement = typename Promoted<
    FirstElement<First, Rest...>,
    std::is_floating_point_v<FirstElement<First, Rest...>> &&
        (kIsComplex<typename NumberOf<First>::Type> || ... ||
         kIsComplex<typename NumberOf<Rest>::Type>),
    typename NumberOf<First>::Type, typename NumberOf<Rest>::Type...>::Type;

/// `operand` as an expression of element type DType; a scalar as ScalarOperand makes it of one, a
/// real expression beside complex ones as tcast does.
template <typename DType, Role role = Role::kValue, typename T>
MSHADOW_FORCE_INLINE decltype(auto) AsExp(const T& operand) {
  using Element = ElementOf<T>;
  static_assert(!std::is_void_v<Element> ||
                    IsScalar<decltype(detail::Value(std::declval<const T&>()))>::value,
                "mshadow: an operand is neither an expression nor a scalar of a known type");
  static_assert(std::is_void_v<Element> || std::is_same_v<Element, DType> ||
                    kIsPartOf<DType, Element>,
                "mshadow: the operands have different element types; convert one with "
                "tcast<T>(expression)");
  if constexpr (std::is_void_v<Element>) {
    return ScalarExp<DType>(ScalarOperand<role, DType>(detail::Value(operand)));
  } else if constexpr (kIsPartOf<DType, Element>) {
    return tcast<DType>(operand);
  } else if constexpr (!std::is_same_v<Element, DType>) {
    return ScalarExp<DType>(DType());  // so that the sentence above is the only error
  } else {
    return (operand);
  }
}

void ExchangedOp(...);
op::eq ExchangedOp(TypeList<op::eq>);
op::ne ExchangedOp(TypeList<op::ne>);
op::gt ExchangedOp(TypeList<op::lt>);
op::ge ExchangedOp(TypeList<op::le>);
op::lt ExchangedOp(TypeList<op::gt>);
op::le ExchangedOp(TypeList<op::ge>);
/// The comparison with its operands exchanged; void for other ops.
template <typename OP>
using Exchanged = decltype(detail::ExchangedOp(TypeList<OP>()));

/// A comparison a OP s of integers a with a number s as (a OP bound and bit 0 of code) or bit 1 of
/// code.
template <typename DType>
struct Comparison {
  DType bound;
  DType code;
};
template <typename OP>
struct CompareWith {
  static constexpr int kCost = OP::kCost;
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType bound, DType code) {
    return static_cast<DType>((OP::Map(a, bound) & code) | (code >> 1));
  }
};

template <typename OP, typename DType, typename S>
inline Comparison<DType> ComparisonWith(S s) {
  constexpr bool kEqual = std::is_same_v<OP, op::eq>, kDiffer = std::is_same_v<OP, op::ne>;
  constexpr bool kLess = std::is_same_v<OP, op::lt> || std::is_same_v<OP, op::le>;
  const auto constant = [](bool result) {
    return Comparison<DType>{DType(0), static_cast<DType>(result ? 2 : 0)};
  };
  if constexpr (!std::is_integral_v<S>) {
    if (s != s) return constant(kDiffer);
    // Between two integers: a < s and a >= s compare with the next one, the others with the last.
    const S whole = (std::is_same_v<OP, op::lt> || std::is_same_v<OP, op::ge>)
                        ? static_cast<S>(MSHADOW_HOST_LIBM(ceill)(s))
                        : static_cast<S>(MSHADOW_HOST_LIBM(floorl)(s));
    if (whole != s && (kEqual || kDiffer)) return constant(kDiffer);
    s = whole;
  }
  switch (SideOf<DType>(s)) {
    case Side::kBelow:
      return constant(!kEqual && !kLess);
    case Side::kAbove:
      return constant(kDiffer || kLess);
    default:
      return Comparison<DType>{static_cast<DType>(s), DType(1)};
  }
}

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_SCALAR_OPERAND_H_
