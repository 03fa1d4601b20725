// SPDX-License-Identifier: Apache-2.0
// Rows of a plan side by side: n short rows become one, because starting a row takes longer than
// computing the few elements in it.
//
// A statement computes its blocks by a plan whose operands read memory, Gathered(plan): a copy of
// the plan, or one with memory in the place of operands that are evaluated. GatherRows makes row 0
// of it the rows of a block. All that is compiled for each statement are calls of a RowGather.
//
//   static constexpr int kGatherBytes              bytes that an element of all operands takes; the
//                                                  rows of a plan that does not say are evaluated
//   static constexpr bool kArithmetic              nothing is computed but + - *
//   P Gathered() const                             the plan that reads blocks; default: a copy
//   void GatherRows(P* gathered, detail::RowGather* gather) const
//                                                  makes row 0 of *gathered the rows of a block, by
//                                                  a call of *gather for each operand
//
// Plans over memory need none of these: they say where rows lie (RowStride, Memory), and Origin()
// is a reference to their pointer into memory.
#ifndef MSHADOW_EXPR_GATHER_ROWS_H_
#define MSHADOW_EXPR_GATHER_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "plan.h"
#include "row_gather.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

/// True if P can be told that its rows lie elsewhere.
template <typename P, typename = void>
struct HasOrigin : std::false_type {};
template <typename P>
struct HasOrigin<P, std::void_t<decltype(std::declval<P&>().Origin())>> : std::true_type {};
MSHADOW_HAS_MEMBER_(HasGathered, Gathered())

/// True if the rows of P lie in memory, and P can be told that they lie elsewhere.
template <typename P>
constexpr bool MovesRows() {
  if constexpr (HasOrigin<P>::value && HasPointer<RowCursor<P>>::value) {
    return kRowsInMemory<P>;
  } else {
    return false;
  }
}

/// The same rows, the stride in bytes.
template <typename DType>
inline MemoryRows<char> InBytes(const MemoryRows<DType>& rows) {
  return {reinterpret_cast<const char*>(rows.begin), rows.stride * std::ptrdiff_t{sizeof(DType)},
          rows.rows};
}
template <typename P>
MemoryRows<char> MemoryInBytes(const void* plan, std::ptrdiff_t y) {
  return InBytes(static_cast<const P*>(plan)->Memory(y));
}

/// The pointer of *gathered, a copy of `plan`, and its offset from `row_zero`.
template <typename P>
inline BlockPointer PointerOf(const P& plan, const void* row_zero, P* gathered) {
  return {&gathered->Origin(), reinterpret_cast<std::uintptr_t>(const_cast<P&>(plan).Origin()) -
                                   reinterpret_cast<std::uintptr_t>(row_zero)};
}
template <typename P>
inline BlockPointer PointerOf(const P& plan, P* gathered) {
  return PointerOf(plan, RowOf(plan, 0).Pointer(0), gathered);
}

/// Adds rows of `plan`, over memory. One function for each such plan.
template <typename P>
inline void AddRows(const P& plan, P* gathered, RowGather* gather) {
  constexpr std::ptrdiff_t kSize = sizeof(ElementOfPlan<P>);
  const BlockPointer pointer = PointerOf(plan, gathered);
  if constexpr (HasMemory<P>::value) {
    gather->AddRows(&plan, MemoryInBytes<P>, kSize, pointer, simd::CopyRows, kSize);
  } else {
    gather->AddEven(RowOf(plan, 0).Pointer(0), plan.RowStride() * kSize, kSize, pointer);
  }
}

/// True if all elements of the plan P are one number.
template <typename P>
inline constexpr bool kIsScalar = kFactsOf<P>.one_row && kFactsOf<P>.operands == 0;

/// What an operand that does not move adds to kGatherBytes, besides its bytes.
constexpr int kEvaluated = 1 << 16;
template <typename P, typename = void>
struct GatherBytes {
  static constexpr int Of() {
    if constexpr (kIsScalar<P>) return 0;
    constexpr int kBytes = sizeof(ElementOfPlan<P>);
    return MovesRows<P>() ? kBytes : kEvaluated + kBytes;
  }
  static constexpr int kValue = Of();
  static constexpr bool kArithmetic = kValue < kEvaluated;
};
template <typename P>
struct GatherBytes<P, std::void_t<decltype(P::kGatherBytes)>> {
  static constexpr int kValue = P::kGatherBytes;
  static constexpr bool kArithmetic = P::kArithmetic;
};

/// Computes rows of a plan of type P into a block. Defined in backend/cpu/executor.h: it is a
/// statement.
template <typename P>
void EvaluateRows(const void* plan, void* block, const RowBlock& rows);

}  // namespace detail

/// The facts of a plan of few elements of `Src`, again and again.
template <typename Src>
constexpr PlanFacts BroadcastFacts(int cost) {
  PlanFacts facts = FactsOver<Access::kRows, Src>(cost);
  facts.operands = 0;
  facts.repeats = detail::MovesRows<Src>();
  return facts;
}

/// Bytes that an element of all operands of P takes, and kEvaluated for each that does not move.
template <typename P>
inline constexpr int kGatherBytesOf = detail::GatherBytes<P>::kValue;
/// True if P computes nothing but + - *, which in few elements takes no longer one by one.
template <typename P>
inline constexpr bool kArithmeticOf = detail::GatherBytes<P>::kArithmetic;

/// The plan over blocks for `plan`.
template <typename P>
inline auto Gathered(const P& plan) {
  if constexpr (kGatherBytesOf<P> < detail::kEvaluated) {
    return plan;
  } else if constexpr (detail::IsMap<P>::value) {
    return plan.Replaced([](const auto& operand) { return expr::Gathered(operand); });
  } else if constexpr (detail::HasGathered<P>::value) {
    return plan.Gathered();
  } else {
    return detail::BlockPlan<ElementOfPlan<P>>{nullptr, 0, 0, 0, FastDivmod(1)};
  }
}
/// Makes row 0 of *gathered, the plan over blocks for `plan`, the rows of a block.
template <typename P, typename Q>
inline void GatherRows([[maybe_unused]] const P& plan, [[maybe_unused]] Q* gathered,
                       [[maybe_unused]] detail::RowGather* gather) {
  constexpr bool kMoves = kGatherBytesOf<P> < detail::kEvaluated;
  if constexpr (detail::MovesRows<P>()) {
    detail::AddRows<P>(plan, gathered, gather);
  } else if constexpr (detail::kIsScalar<P>) {
  } else if constexpr (kMoves || detail::IsMap<P>::value ||
                       detail::HasGathered<P>::value) {
    plan.GatherRows(gathered, gather);
  } else {
    gather->AddEvaluated(&plan, detail::EvaluateRows<P>, sizeof(ElementOfPlan<P>),
                         &gathered->block_);
  }
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_GATHER_ROWS_H_
