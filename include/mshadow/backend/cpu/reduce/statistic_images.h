// SPDX-License-Identifier: Apache-2.0
// Reductions of images: axes on both sides of a kept one are reduced, or rows are not contiguous.
// Lines as short as those of images are added to each other first, then the lanes of a result.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_IMAGES_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_IMAGES_H_

#include <cstddef>

#include "statistic.h"
#include "statistic_plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// What is reduced as columns instead: result r is that of columns [r * width, (r + 1) * width) of
/// `groups`.
struct ImageGroups {
  expr::AxisGroups groups;
  std::ptrdiff_t width = 0;  // 0: nothing
};

/// The last axes are reduced; join: expr::FlatRows.
inline ImageGroups ImageGroupsOf(const expr::AxisGroups& groups, std::ptrdiff_t join) {
  constexpr std::ptrdiff_t kLongImage = 512, kLongLine = 1024, kFewRows = 4;
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
  if (images.width > 0 && first.Reduced() < kFewRows) images.width = 0;
  return images;
}

/// Hands the results of the reduction of `src` on to the sink. one_axis: of the last axis alone.
/// Then there are no images, and what reduces them is not compiled.
template <typename Kind, bool rows, bool one_axis = false, typename Src>
inline void ReduceGroups(const Src& src, const expr::AxisGroups& groups,
                         const StatisticSink<typename Kind::Out>& sink) {
  if constexpr (rows && !one_axis && !Kind::kNumbers) {
    const ImageGroups images = ImageGroupsOf(groups, expr::FlatRows(src, groups.cols));
    if (images.width > 0) {
      const auto columns = StatisticSourceOf<Kind, false, Src>::Make(
          src, groups.Results() * groups.Reduced(), groups.cols);
      return StatisticReduction<Kind, false>(columns, images.groups, sink, images.width).Run();
    }
  }
  const auto source = StatisticSourceOf<Kind, rows, Src>::Make(
      src, groups.Results() * groups.Reduced(), groups.cols);
  StatisticReduction<Kind, rows>(source, groups, sink).Run();
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_IMAGES_H_
