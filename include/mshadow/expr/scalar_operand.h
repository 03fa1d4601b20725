// SPDX-License-Identifier: Apache-2.0
// Scalar operands of F<OP> over integers: comparisons and limits take every number.
#ifndef MSHADOW_EXPR_SCALAR_OPERAND_H_
#define MSHADOW_EXPR_SCALAR_OPERAND_H_

#include <type_traits>

#include "../op/binary.h"
#include "../op/ternary.h"
#include "scalar_value.h"
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
