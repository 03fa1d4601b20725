// SPDX-License-Identifier: Apache-2.0
// Reductions of images: axes on both sides of a kept one are reduced, or rows are not contiguous.
// Lines as short as those of images are added to each other first.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_IMAGES_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_IMAGES_H_

#include <cstddef>

#include "statistic.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Kind without its last step.
template <typename Kind>
struct StatisticTotals : Kind {
  using Out = typename Kind::Total;
  static constexpr bool kLanesAreResults = false;
  MSHADOW_XINLINE static Out Finish(const Out& total, std::ptrdiff_t) { return total; }
};

/// What is added up first: result r is that of columns [r * width, (r + 1) * width) of `groups`.
struct ImageGroups {
  expr::AxisGroups groups;
  std::ptrdiff_t width = 0;  // 0: nothing
};

/// The last axes are reduced; join: expr::FlatRows. Each column is worth `least` rows.
inline ImageGroups ImageGroupsOf(const expr::AxisGroups& groups, std::ptrdiff_t join,
                                 std::ptrdiff_t least) {
  constexpr std::ptrdiff_t kLongImage = 512, kLongLine = 1024;
  ImageGroups images;
  const bool has_lines = join != 0 && groups.inner != groups.cols;
  const bool is_column = join == 0 && groups.inner == 1;  // as many results as elements
  if (groups.count == 0 && !has_lines && !is_column) return images;
  if (groups.Results() == 0 || groups.Reduced() == 0) return images;
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
    // Those of a line are.
    first.inner = groups.cols * joined;
    first.middle = lines;
    ++first.count;
    first.extent[0] = groups.middle;
    for (int g = 1; g < first.count; ++g) first.extent[g] = groups.extent[g - 1];
    images.width = first.inner;
  }
  if (images.width > 0 && first.Reduced() < least) images.width = 0;
  return images;
}

/// Hands the results of a reduction of `images` on to the sink.
template <typename Kind, typename Src>
MSHADOW_NOINLINE void ReduceImages(const Src& src, const ImageGroups& images, std::ptrdiff_t n,
                                   const StatisticSink<typename Kind::Out>& sink) {
  using Total = typename Kind::Total;
  constexpr std::ptrdiff_t kWords = (sizeof(Total) + 7) / 8, kBatch = 256;
  const std::ptrdiff_t columns = images.groups.Results(), width = images.width;
  const std::ptrdiff_t results = columns / width;
  Temporary<cpu, 1, double> memory(Shape1(static_cast<index_t>(columns * kWords)), nullptr);
  Total* const totals = reinterpret_cast<Total*>(memory.tensor().dptr_);
  const auto source = StatisticSourceOf<StatisticTotals<Kind>, false, Src>::Make(
      src, columns * images.groups.Reduced(), images.groups.cols);
  StatisticReduction<StatisticTotals<Kind>, false>(source, images.groups, {totals, nullptr}).Run();
  RunTasks(DivideUp(results, kBatch), kBatch * width, 1, [&](std::ptrdiff_t task) {
    typename Kind::Out out[kBatch];
    const std::ptrdiff_t r = task * kBatch, count = Smaller(kBatch, results - r);
    simd::Call<StatisticFinishKernel<Kind>>(
        totals + r * width, width, std::ptrdiff_t{1}, width, count, n,
        static_cast<typename Kind::Out*>(out));
    sink.put(sink.target, out, r, count);
  });
}

/// Hands the results of the reduction of `src` on to the sink. one_axis: of the last axis alone.
/// Then there are no images, and what reduces them is not compiled.
template <typename Kind, bool rows, bool one_axis = false, typename Src>
inline void ReduceGroups(const Src& src, const expr::AxisGroups& groups,
                         const StatisticSink<typename Kind::Out>& sink) {
  if constexpr (rows && !one_axis && !Kind::kNumbers) {
    const ImageGroups images = ImageGroupsOf(groups, expr::FlatRows(src, groups.cols),
                                             Kind::kTwoPasses ? 64 : 4);
    if (images.width > 0) return ReduceImages<Kind>(src, images, groups.Reduced(), sink);
  }
  const auto source = StatisticSourceOf<Kind, rows, Src>::Make(
      src, groups.Results() * groups.Reduced(), groups.cols);
  StatisticReduction<Kind, rows>(source, groups, sink).Run();
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_IMAGES_H_
