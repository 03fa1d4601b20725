// SPDX-License-Identifier: Apache-2.0
// Operands that are computed first, as a whole or part by part: how they are known, and Stage.
#ifndef MSHADOW_EXPR_STAGE_H_
#define MSHADOW_EXPR_STAGE_H_

#include <cstddef>
#include <type_traits>

#include "plan/plan.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// The device whose tensors have the bits `mask`.
template <int mask>
struct DeviceOfMask {
  using Type = std::conditional_t<(mask & cpu::kDevMask) != 0, cpu, gpu>;
};

namespace detail {

template <typename E>
using DeviceOf = typename DeviceOfMask<ExpInfo<E>::kDevMask>::Type;
template <typename E, typename DType>
using MaterialisedTensor = Tensor<DeviceOf<E>, ExpInfo<E>::kDim, DType>;

/// Its address stands for the type E.
template <typename E>
inline constexpr char kTypeOf = 0;
/// An operand of a statement. A node and its first operand have one address, but two types. Without
/// initialisers: a small statement is short, and would clear an array of them.
struct OperandId {
  const void* address;
  const void* type;
  bool operator==(const OperandId& other) const {
    return address == other.address && type == other.type;
  }
};
template <typename E>
inline OperandId IdOf(const E& e) {
  return {&e, &kTypeOf<E>};
}
/// How the elements of a statement are divided: into `outer` equal ranges in their order, each into
/// `count` pieces. Part i is piece i of every range.
struct RowParts {
  std::ptrdiff_t count = 0, outer = 1;
  bool operator==(const RowParts& other) const {
    return count == other.count && outer == other.outer;
  }
};
/// How the operand E is computed part by part of rows, if it can be:
///   static constexpr bool kExists
///   Stage(const E& e, const MaterialisedTensor<E, DType>& target, const RowParts& parts)
///       makes plans; what has one element a part is divided into `parts.count` elements
///   bool ok() const                                                false: not in so many
///   void Compute(std::ptrdiff_t begin, std::ptrdiff_t end) const   parts [begin, end)
///   using Partner                                             optional: p, which it gives as well:
///   static bool IsPartner(const E& e, const Partner& p)       true if it does
///   void ComputePartner(DType* target)                        p into what begins at `target`
template <typename E, typename DType, typename = void>
struct Stage {
  static constexpr bool kExists = false;
};
template <typename S, typename = void>
struct HasPartner : std::false_type {};
template <typename S>
struct HasPartner<S, std::void_t<typename S::Partner>> : std::true_type {};

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_STAGE_H_
