// SPDX-License-Identifier: Apache-2.0
// An operand that a statement reduces over last axes and reads beside that, e in
// p = e / sum<1>(e): where it takes long it is computed once, into p.
#ifndef MSHADOW_EXPR_SHARED_OPERAND_H_
#define MSHADOW_EXPR_SHARED_OPERAND_H_

#include <type_traits>

#include "aligned.h"
#include "materialised.h"
#include "row_stages.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// The cost of an element from which on it is computed once: that of a function.
constexpr int kSharedCost = 16;

/// The operands of E through which a shared one is looked for, as a TypeList.
template <typename E>
constexpr auto InnerOperands() {
  if constexpr (HasOperands<E>::value) {
    return typename E::Operands();
  } else if constexpr (IsRowAligned<E>::value || IsRowReduction<E>()) {
    return TypeList<decltype(std::declval<const E&>().src_)>();
  } else {
    return TypeList<>();
  }
}
/// Calls f(operand) for each of them.
template <typename E, typename F>
inline void ForEachInner(const E& e, const F& f) {
  if constexpr (HasOperands<E>::value) {
    e.ForEachOperand(f);
  } else {
    f(e.src_);
  }
}

/// True if S is Root or stands somewhere in it; elementwise: not in a reduction.
template <typename S, typename Root, bool elementwise>
constexpr bool Contains();
template <typename S, bool elementwise, typename... Es>
constexpr bool AnyContains(TypeList<Es...>) {
  return (... || Contains<S, Es, elementwise>());
}
template <typename S, typename Root, bool elementwise>
constexpr bool Contains() {
  if constexpr (std::is_same_v<S, Root>) {
    return true;
  } else if constexpr (!elementwise || HasOperands<Root>::value) {
    return AnyContains<S, elementwise>(InnerOperands<Root>());
  } else {
    return false;
  }
}

/// The first expensive element-wise node in what E reduces that is an operand of Root as well, as
/// a TypeList of one or none. reduced: E is part of a reduction.
template <typename Root, bool reduced, typename E>
constexpr auto FindShared();
template <typename Root, bool reduced>
constexpr TypeList<> FirstShared(TypeList<>) {
  return {};
}
template <typename Root, bool reduced, typename E, typename... Es>
constexpr auto FirstShared(TypeList<E, Es...>) {
  if constexpr (std::is_same_v<decltype(FindShared<Root, reduced, E>()), TypeList<>>) {
    return FirstShared<Root, reduced>(TypeList<Es...>());
  } else {
    return FindShared<Root, reduced, E>();
  }
}
template <typename Root, bool reduced, typename E>
constexpr auto FindShared() {
  if constexpr (reduced && HasOperands<E>::value && ExpInfo<E>::kDim == ExpInfo<Root>::kDim) {
    if constexpr (kCostOf<PlanOf<E>> >= kSharedCost && Contains<E, Root, true>()) {
      return TypeList<E>();
    } else {
      return FirstShared<Root, true>(InnerOperands<E>());
    }
  } else {
    return FirstShared<Root, reduced || IsRowReduction<E>()>(InnerOperands<E>());
  }
}
/// The operand of E that is computed once into the tensor R that E is assigned to; void: none.
template <typename R, typename DType, typename List>
struct SharedOperand {
  using Type = void;
};
template <typename DType, int dim, typename S>
struct SharedOperand<Tensor<cpu, dim, DType>, DType, TypeList<S>> {
  using Type = std::conditional_t<std::is_same_v<ElementOfExp<S>, DType>, S, void>;
};
template <typename E, typename R, typename DType>
using SharedOperandOf =
    typename SharedOperand<R, DType, decltype(FindShared<E, false, E>())>::Type;

/// e with f(operand) for each operand of type S in it.
template <typename S, typename E, typename F>
inline auto Replaced(const E& e, const F& f) {
  if constexpr (std::is_same_v<S, E>) {
    return f(e);
  } else if constexpr (Contains<S, E, false>()) {
    return e.WithOperands([&f](const auto& operand) { return Replaced<S>(operand, f); });
  } else {
    return e;
  }
}

/// Calls f(operand) for each operand of type S in e.
template <typename S, typename E, typename F>
inline void ForEachOf(const E& e, const F& f) {
  if constexpr (std::is_same_v<S, E>) {
    f(e);
  } else if constexpr (Contains<S, E, false>()) {
    ForEachInner(e, [&f](const auto& operand) { ForEachOf<S>(operand, f); });
  }
}

/// True if e reads dst elsewhere than in operands that are the same as `shared`.
template <typename S, typename E, typename R>
inline bool ReadsBeside(const E& e, const S& shared, const R& dst) {
  if constexpr (std::is_same_v<S, E>) {
    if (IsSame(e, shared)) return false;
  } else if constexpr (Contains<S, E, false>()) {
    bool reads = false;
    ForEachInner(e, [&](const auto& operand) {
      reads = reads || ReadsBeside(operand, shared, dst);
    });
    return reads;
  }
  return mshadow::detail::ReadsTarget<true>(e, dst, false);
}

/// e, which is to be assigned to dst, with a tensor for each operand of type S: dst for those that
/// are the same as the first, if nothing else reads it. is_stage: they are stages.
template <typename S, typename DType, typename E, typename R>
inline auto ComputeShared(const E& e, const R& dst, bool is_stage, OperandMemory<cpu>* memory) {
  const S* first = nullptr;
  ForEachOf<S>(e, [&](const S& operand) {
    if (first == nullptr) first = &operand;
    if (is_stage) memory->AddStage(IdOf(operand), memory->parts());
  });
  const bool in_place = !mshadow::detail::ReadsTarget<false>(*first, dst, true) &&
                        !ReadsBeside(e, *first, dst);
  if (in_place) {
    memory->template Write<S, DType>(
        *first, dst, [first](R* target) { Materialise<S, DType>(*first, target); });
  }
  return Replaced<S>(e, [&](const S& operand) {
    return in_place && IsSame(operand, *first) ? dst : InMemory<DType>(operand, memory);
  });
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_SHARED_OPERAND_H_
