// SPDX-License-Identifier: Apache-2.0
// ReduceGroups: from a plan and its axes to a FoldReduction.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_REDUCE_GROUPS_H_
#define MSHADOW_BACKEND_CPU_REDUCE_REDUCE_GROUPS_H_

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "fold_reduction.h"
#include "moments.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// What is reduced as columns instead: result r is that of columns [r * width, (r + 1) * width) of
/// `groups`.
struct ImageGroups {
  expr::AxisGroups groups;
  std::ptrdiff_t width = 0;  // 0: nothing
};

/// The last axes are reduced, and others: lines as short as those of images are added to each other
/// first, then the lanes of a result. join: expr::FlatRows.
MSHADOW_COLD inline ImageGroups ImageGroupsOf(const expr::AxisGroups& groups,
                                                  std::ptrdiff_t join) {
  constexpr std::ptrdiff_t kLongImage = 512, kLongLine = 1024, kLeastRows = 4;
  ImageGroups images;
  const bool has_lines = join != 0 && groups.inner != groups.cols;
  const bool is_column = join == 0 && groups.inner == 1;  // as many results as elements
  if (!groups.rows || (groups.count == 0 && !has_lines && !is_column)) return images;
  if (groups.Elements() == 0) return images;
  const std::ptrdiff_t count = groups.inner / groups.cols;
  const std::ptrdiff_t joined = count > 1 ? expr::Gcd(join, count) : 1, lines = count / joined;
  expr::AxisGroups& first = images.groups;
  first = groups;
  first.rows = false;
  if (groups.count == 0 && is_column) {
    first.inner = groups.middle;
    first.middle = images.width = 1;
    return images;
  }
  if (join == 0 && groups.count > 0 && groups.inner <= kLongImage) {
    // Whole images follow each other: their elements are the columns.
    first.inner = groups.inner * groups.middle;
    first.middle = groups.extent[0];
    --first.count;
    for (int g = 0; g < first.count; ++g) first.extent[g] = groups.extent[g + 1];
    images.width = groups.inner;
  } else if (lines > 1 && groups.cols * joined <= kLongLine &&
             groups.count < expr::AxisGroups::kMax) {
    // The columns of a line are joined.
    first.inner = groups.cols * joined;
    first.middle = lines;
    ++first.count;
    first.extent[0] = groups.middle;
    for (int g = 1; g < first.count; ++g) first.extent[g] = groups.extent[g - 1];
    images.width = first.inner;
  }
  if (images.width > 0 && first.Reduced() < kLeastRows) images.width = 0;
  return images;
}

/// Hands results on to the sink. What is below is compiled once for all reductions.
void RunFold(const ThreadTeam& team, const FoldTable& kind, const FoldSource& source,
             const FoldSink& sink);
/// FoldReduction::RunRows.
void RunFoldRows(const FoldTable& kind, const FoldSource& source, std::ptrdiff_t begin,
                 std::ptrdiff_t end, char* out, FoldReduction::Finish finish_second, char* second,
                 int second_size);
#if MSHADOW_SHARED_BODIES
MSHADOW_NOINLINE MSHADOW_SHARED void RunFold(const ThreadTeam& team, const FoldTable& kind,
                                             const FoldSource& source, const FoldSink& sink) {
  const expr::AxisGroups& groups = source.groups;
  if (groups.rows && !kind.numbers) {
    const ImageGroups images = ImageGroupsOf(groups, source.join);
    if (images.width > 0) {
      return FoldReduction(team, kind, source, images.groups, sink, images.width).Run();
    }
  }
  FoldReduction(team, kind, source, groups, sink).Run();
}
MSHADOW_NOINLINE MSHADOW_SHARED void RunFoldRows(const FoldTable& kind, const FoldSource& source,
                                                 std::ptrdiff_t begin, std::ptrdiff_t end,
                                                 char* out, FoldReduction::Finish finish_second,
                                                 char* second, int second_size) {
  FoldReduction(kThreadTeam, kind, source, source.groups, {nullptr, nullptr})
      .RunRows(begin, end, out, finish_second, second, second_size);
}
MSHADOW_SHARED void ScoutColumns(const FoldReduction& reduction, void* room, std::ptrdiff_t at,
                                 const FoldBlock& block, std::ptrdiff_t times) {
  reduction.ScoutColumns(room, at, block, times);
}
MSHADOW_SHARED void FoldRowsTwice(const FoldReduction& reduction, void* room, std::ptrdiff_t at,
                                  const FoldBlock& block) {
  reduction.FoldRowsTwice(room, at, block);
}
#endif

inline namespace MSHADOW_THREADS_NAMESPACE {

/// Hands the results of the reduction of `src`, see expr::detail::ReadBy, on to the sink.
template <typename Kind, typename Src>
MSHADOW_NOINLINE void ReduceGroups(const Src& src, const expr::AxisGroups& groups,
                                   const FoldSink& sink) {
  using In = typename Kind::In;
  const FoldTable& kind = FoldTableOf<Kind>::kTable;
  const FoldSourceOf<In, Src> source(src, groups, true, Kind::kNumbers);
  if constexpr (statistic::kHasAgain<Kind>) {
    CheckedSink<Kind> checked{ElementsOf<In>(source.source()), sink};
    RunFold(kThreadTeam, kind, source.source(), groups.Reduced() == 0 ? sink : checked.Sink());
  } else {
    RunFold(kThreadTeam, kind, source.source(), sink);
  }
}

}  // namespace MSHADOW_THREADS_NAMESPACE

/// dst Saver= results, as a sink: row y, column x of dst takes result y * cols + x.
template <typename Saver, typename Out, typename Dst>
struct StatisticTarget {
  const Dst& dst;
  std::ptrdiff_t cols;

  FoldSink Sink() {
    return {this, [](void* target, const void* from, std::ptrdiff_t i, std::ptrdiff_t n) {
              const StatisticTarget& self = *static_cast<const StatisticTarget*>(target);
              const Out* results = static_cast<const Out*>(from);
              while (n > 0) {
                const std::ptrdiff_t y = i < self.cols ? 0 : i / self.cols, x = i - y * self.cols;
                const std::ptrdiff_t count = Smaller(n, self.cols - x);
                auto row = expr::RowOf(self.dst, y);
                if constexpr (std::is_same_v<Saver, sv::saveto> &&
                              expr::detail::HasPointer<expr::RowCursor<Dst>>::value) {
                  std::memcpy(static_cast<void*>(&row.REval(x)), results,
                              std::size_t(count) * sizeof(Out));
                } else {
                  for (std::ptrdiff_t k = 0; k < count; ++k) {
                    Saver::template Save<Out>(row.REval(x + k), results[k]);
                  }
                }
                results += count;
                i += count;
                n -= count;
              }
            }};
  }
};

/// dst[i] Saver= scale * result i, as a sink of results in the type that DType accumulates in.
template <typename Saver, typename DType, typename Dst>
struct ScaledTarget {
  using Acc = Accumulator<DType>;
  const Dst& dst;
  DType scale;

  FoldSink Sink() {
    return {this, [](void* target, const void* from, std::ptrdiff_t i, std::ptrdiff_t n) {
              const ScaledTarget& self = *static_cast<const ScaledTarget*>(target);
              const Acc* const results = static_cast<const Acc*>(from);
              const Acc factor = static_cast<Acc>(self.scale);
              auto row = expr::RowOf(self.dst, 0);
              for (std::ptrdiff_t k = 0; k < n; ++k) {
                Saver::template Save<DType>(
                    row.REval(i + k), static_cast<DType>(op::math::Mul(results[k], factor)));
              }
            }};
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_REDUCE_GROUPS_H_
