// SPDX-License-Identifier: Apache-2.0
// Reductions over the last axes inside a statement, p = exp(x - max<1>(x)), as stages of it: the
// statement runs over a few rows at a time, and what is reduced is still in a cache when the rest
// is computed from it. So do those that keep axes in the middle, x - mean<0, 2, 3>(x), over the
// rows of a few channels.
#ifndef MSHADOW_EXPR_ROW_STAGES_H_
#define MSHADOW_EXPR_ROW_STAGES_H_

#include <type_traits>

#include "aligned.h"
#include "materialised.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {
template <bool first, typename R, typename E>
bool ReadsTarget(const E& exp, const R& dst, bool same_index);
}  // namespace detail

namespace expr {
namespace detail {

/// True if of `rank` axes those not in `lost` are neighbours, and the last axis is lost: what
/// belongs to one index of them is whole rows.
constexpr bool KeepsNeighbours(int rank, int lost) {
  const int kept = ((1 << rank) - 1) & ~lost;
  return kept != 0 && (lost >> (rank - 1) & 1) != 0 && ((kept + (kept & -kept)) & kept) == 0;
}

/// True if E repeats along such axes what has lost them.
template <typename E>
struct IsRowAligned : std::false_type {};
template <typename E, typename DType, int rank, int mask>
struct IsRowAligned<AlignedExp<E, DType, rank, mask>>
    : std::bool_constant<KeepsNeighbours(rank, mask) && Stage<E, DType>::kExists> {};
/// True if E is a reduction of its src_ over such axes.
template <typename E>
constexpr bool IsRowReduction() {
  constexpr int kFull = LostAxes<E>::kFullRank, kLost = LostAxes<E>::kLostAxes;
  return kLost > 0 && KeepsNeighbours(kFull, kLost) && HasSource<E>::value &&
         !HasOperands<E>::value;
}

template <typename E, typename = void>
struct HasRowStages : IsRowAligned<E> {};
template <typename Operands>
struct AnyHasRowStages;
template <typename... Es>
struct AnyHasRowStages<TypeList<Es...>> : std::bool_constant<(... || HasRowStages<Es>::value)> {};
template <typename E>
struct HasRowStages<E, std::void_t<typename E::Operands>>
    : AnyHasRowStages<typename E::Operands> {};

/// Finds the stages of a statement that writes `dst`.
template <typename R>
class RowStages {
  using Memory = OperandMemory<cpu>;

 public:
  RowStages(const R& dst, Memory* memory) : dst_(dst), memory_(memory) {}
  bool ok() const { return ok_; }
  /// True if all operands that are repeated along such axes are stages.
  bool all() const { return all_; }
  const RowParts& parts() const { return parts_; }

  /// Those of e, an expression of all axes.
  template <typename E>
  void Add(const E& e) {
    if constexpr (HasRowStages<E>::value) {
      if constexpr (HasOperands<E>::value) {
        e.ForEachOperand([this](const auto& operand) { this->Add(operand); });
      } else {
        const RowParts parts = PartsOf(e);
        if (parts_.count == 0) parts_ = parts;
        if (parts == parts_) {
          AddReduced(e.src_);
        } else {
          all_ = false;
        }
      }
    }
  }

 private:
  template <typename E, typename DType, int rank, int mask>
  static RowParts PartsOf(const AlignedExp<E, DType, rank, mask>& e) {
    RowParts parts{static_cast<std::ptrdiff_t>(e.src_shape_.CheckedSize()), 1};
    for (int axis = 0; (mask >> axis & 1) != 0; ++axis) {
      parts.outer *= static_cast<std::ptrdiff_t>(e.shape_[axis]);
    }
    return parts;
  }
  /// e, which has lost the last axes, and what it is computed from.
  template <typename E>
  void AddReduced(const E& e) {
    if constexpr (ExpInfo<E>::kDim == 0) {
      return;
    } else if constexpr (Stage<E, ElementOfExp<E>>::kExists) {
      if constexpr (IsRowReduction<E>()) {
        // Rows that other threads have written are no longer what is to be reduced.
        ok_ = ok_ && !mshadow::detail::ReadsTarget<false>(e.src_, dst_, true) &&
              memory_->AddStage(IdOf(e), parts_);
        Add(e.src_);
      } else if constexpr (HasOperands<E>::value) {
        ok_ = ok_ && memory_->AddStage(IdOf(e), parts_);
        e.ForEachOperand([this](const auto& operand) { this->AddReduced(operand); });
      }
    } else {
      ok_ = ok_ && !mshadow::detail::ReadsTarget<false>(e, dst_, false);
    }
  }

  const R& dst_;
  Memory* const memory_;
  RowParts parts_;
  bool ok_ = true, all_ = true;
};

/// Lets the reductions over last axes in `e` be stages of the statement that writes `dst`, whose
/// elements are DType, if it gains by that. False: no. all: all of them, or none.
template <typename DType, typename R, typename E>
inline bool AddRowStages(const R& dst, const E& e, OperandMemory<cpu>* memory, bool all = false) {
  constexpr int kRank = ExpInfo<R>::kDim;
  constexpr std::size_t kMinElements = 65536 / sizeof(DType);  // less is in a cache anyway
  memory->ForgetStages();
  const std::size_t size = static_cast<std::size_t>(ShapeCheck<kRank, R>::Check(dst).Size());
  if (size < kMinElements) return false;
  RowStages<R> stages(dst, memory);
  stages.Add(e);
  // Whole parts are what threads share. So many feed them, whatever their number is: the results do
  // not depend on it.
  constexpr std::size_t kParts = 16, kElements = 65536;
  const std::size_t least = size / kElements < kParts ? size / kElements : kParts;
  // Parts of pieces pay where no cache holds the statement, and pieces are a few pages: of 32 x 64
  // images of 56 x 56 1.8 times, while pieces of 784 elements take 5 times as long (Zen 4).
  constexpr std::size_t kPiece = 2048, kLarge = (16 << 20) / sizeof(DType);
  const std::size_t count = static_cast<std::size_t>(stages.parts().count);
  const std::size_t outer = static_cast<std::size_t>(stages.parts().outer);
  const bool ok = stages.ok() && (stages.all() || !all) && count >= least &&
                  (outer == 1 || (size >= kLarge && size >= count * outer * kPiece));
  if (!ok) memory->ForgetStages();
  return ok;
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_ROW_STAGES_H_
