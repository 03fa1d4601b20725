// SPDX-License-Identifier: Apache-2.0
// Finds the reductions over last axes in a statement that uses the results in the same rows,
// p = x / sum<1>(x), and makes one kernel of all.
#ifndef MSHADOW_BACKEND_GPU_ROW_FOLDS_H_
#define MSHADOW_BACKEND_GPU_ROW_FOLDS_H_

#include <cstddef>
#include <type_traits>

#include "../../expr/aligned.h"
#include "row_folds_body.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// True if E is a reduction by name over the last axes of its src_.
template <typename E>
struct IsRowFold : std::false_type {};
template <template <typename> class K, typename SrcExp, typename DType, int dim, unsigned mask>
struct IsRowFold<expr::ReductionExp<K, SrcExp, DType, dim, mask>>
    : std::bool_constant<(mask & 1u) == 0 &&
                         mask == (1u << dim) - (1u << expr::ReductionExp<K, SrcExp, DType, dim,
                                                                          mask>::kRank)> {};

/// The reductions over last axes in E, an expression of all axes, whose results are repeated along
/// these, as a TypeList; those that others read come first. reduced: E has lost the last axes.
template <bool reduced, typename E>
struct FoldsOf;
template <typename... Lists>
struct JoinedLists {
  using Type = expr::detail::TypeList<>;
};
template <typename... As>
struct JoinedLists<expr::detail::TypeList<As...>> {
  using Type = expr::detail::TypeList<As...>;
};
template <typename... As, typename... Bs, typename... Rest>
struct JoinedLists<expr::detail::TypeList<As...>, expr::detail::TypeList<Bs...>, Rest...>
    : JoinedLists<expr::detail::TypeList<As..., Bs...>, Rest...> {};
template <bool reduced, typename Operands>
struct FoldsOfAll;
template <bool reduced, typename... Es>
struct FoldsOfAll<reduced, expr::detail::TypeList<Es...>>
    : JoinedLists<typename FoldsOf<reduced, Es>::Type...> {};

/// True if E is repeated along its last axes: those that a reduction over them lost.
template <typename E>
struct RepeatsAlongRow : std::false_type {};
template <typename E, typename DType, int rank, int mask>
struct RepeatsAlongRow<expr::AlignedExp<E, DType, rank, mask>>
    : std::bool_constant<mask == (1 << rank) - (1 << expr::ExpInfo<E>::kDim)> {};

/// Calls f(fold) for each of them, in the same order.
template <bool reduced, typename E, typename F>
inline void ForEachFold([[maybe_unused]] const E& e, [[maybe_unused]] const F& f) {
  if constexpr (expr::detail::HasOperands<E>::value) {
    e.ForEachOperand([&f](const auto& operand) { ForEachFold<reduced>(operand, f); });
  } else if constexpr (!reduced && RepeatsAlongRow<E>::value) {
    ForEachFold<true>(e.src_, f);
  } else if constexpr (reduced && IsRowFold<E>::value) {
    ForEachFold<false>(e.src_, f);
    f(e);
  }
}
template <bool reduced, typename E>
constexpr auto FindFolds() {
  if constexpr (expr::detail::HasOperands<E>::value) {
    return typename FoldsOfAll<reduced, typename E::Operands>::Type();
  } else if constexpr (!reduced && RepeatsAlongRow<E>::value) {
    return typename FoldsOf<true, decltype(E::src_)>::Type();
  } else if constexpr (reduced && IsRowFold<E>::value) {
    using Inner = typename FoldsOf<false, decltype(E::src_)>::Type;
    return typename JoinedLists<Inner, expr::detail::TypeList<E>>::Type();
  } else {
    return expr::detail::TypeList<>();
  }
}
template <bool reduced, typename E>
struct FoldsOf {
  using Type = decltype(FindFolds<reduced, E>());
};

/// dst Saver= exp by run(body), with all reductions over last axes in it. False, and nothing is
/// done: there are none; they are not of rows of dst's shape, or not of whole rows of the plans;
/// they read what others write; or takes(rows, cols) is false.
template <typename Saver, typename DType, typename R, typename E, typename Memory, typename Takes,
          typename Run>
inline bool MapRowFolds(const R& dst, const E& exp, Memory* memory, const Takes& takes,
                        const Run& run) {
  constexpr int kRank = expr::ExpInfo<R>::kDim;
  using Folds = RowFolds<typename FoldsOf<false, E>::Type>;
  using Dst = expr::PlanOf<R>;
  using Src = expr::PlanOf<E>;
  using Body = RowFoldsBody<Saver, DType, Dst, Src, Folds>;
  constexpr int kMaxFolds = 8, kMaxBytes = 4000;  // of a kernel's arguments
  if constexpr (kRank < 2 || Folds::kCount == 0 || Folds::kCount > kMaxFolds) {
    return false;
  } else if constexpr (expr::kTransposedOf<Src> || expr::kTransposedOf<Dst>) {
    return false;  // faster in tiles
  } else if constexpr (sizeof(Body) > kMaxBytes) {
    return false;
  } else {
    const Shape<kRank> full = expr::ShapeCheck<kRank, R>::Check(dst);
    const Shape<2> shape = full.CheckedFlatTo2D();
    const std::ptrdiff_t height = static_cast<std::ptrdiff_t>(shape[0]);
    const std::ptrdiff_t width = static_cast<std::ptrdiff_t>(shape[1]);
    if (height == 0 || width == 0) return false;
    expr::detail::OperandId place[kMaxFolds];
    int count = 0;
    std::ptrdiff_t rows = 0;
    bool ok = true;
    ForEachFold<false>(exp, [&](const auto& fold) {
      using Fold = std::decay_t<decltype(fold)>;
      if constexpr (Fold::kFullRank == kRank) {
        const std::ptrdiff_t results = static_cast<std::ptrdiff_t>(
            fold.template GetShape<Fold::kRank>().CheckedSize());
        if (count == 0) rows = results;
        // Rows that others have written are no longer what is to be reduced.
        ok = ok && results == rows &&
             expr::ShapeCheck<kRank, decltype(fold.src_)>::Check(fold.src_) == full &&
             !mshadow::detail::ReadsTarget<false>(fold.src_, dst, true);
      } else {
        ok = false;
      }
      place[count++] = expr::detail::IdOf(fold);
    });
    if (!ok || mshadow::detail::ReadsTarget<false>(exp, dst, true)) return false;
    const std::ptrdiff_t join = height / rows, cols = width * join;
    if (rows > kMaxNarrow || cols > kMaxNarrow / 16 || !takes(rows, cols)) return false;
    for (int i = 0; i < count; ++i) memory->AddStage(place[i], {rows, 1});
    const Folds folds(place, memory);
    const Src src = expr::MakePlan(exp);
    const Dst to = expr::MakePlan(dst);
    memory->ForgetStages();
    if (folds.Join(width, expr::Gcd(expr::LayoutOf(width, src, to).join, join)) != join) {
      return false;
    }
    run(Body{{to, src, static_cast<NarrowIndex>(rows), static_cast<NarrowIndex>(cols), join},
             folds});
    return true;
  }
}

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_ROW_FOLDS_H_
