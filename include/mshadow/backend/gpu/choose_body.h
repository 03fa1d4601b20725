// SPDX-License-Identifier: Apache-2.0
// ChooseBody: which threads a statement runs on.
#ifndef MSHADOW_BACKEND_GPU_CHOOSE_BODY_H_
#define MSHADOW_BACKEND_GPU_CHOOSE_BODY_H_

#include <cstddef>
#include <type_traits>

#include "../../core/fast_divmod.h"
#include "../../core/shape.h"
#include "../../expr/plan/plan.h"
#include "map_body.h"
#include "scan_body.h"
#include "tile_body.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// The body of dst(y, x) Saver= src(y, x) over `shape`. For running sums calls scans(ScanRowsBody)
/// along rows, columns(ScanColumnsBody) down columns; else, rows joined where memory allows,
/// tiles(TileBody) where the plans transpose, or rows(MapBody or NarrowRowsBody). None where shape
/// is empty.
template <typename Saver, typename DType, typename Dst, typename Src, typename Tiles,
          typename Scans, typename Columns, typename Rows>
inline void ChooseBody(const Dst& dst, const Src& src, const Shape<2>& shape,
                       [[maybe_unused]] const Tiles& tiles, [[maybe_unused]] const Scans& scans,
                       [[maybe_unused]] const Columns& columns,
                       [[maybe_unused]] const Rows& rows) {
  std::ptrdiff_t height = static_cast<std::ptrdiff_t>(shape[0]);
  std::ptrdiff_t width = static_cast<std::ptrdiff_t>(shape[1]);
  if (height == 0 || width == 0) return;
  if constexpr (expr::detail::HasRunningSum<Src>::value) {
    const auto sum = src.AsRunningSum();
    using From = std::decay_t<decltype(sum.src)>;
    if (sum.step == 0) {
      return scans(ScanRowsBody<Saver, DType, Dst, From>{dst, sum.src, height, width});
    }
    return columns(ScanColumnsBody<Saver, DType, Dst, From>{dst, sum.src, height / sum.count,
                                                            width, sum.step, sum.count});
  } else {
    const std::ptrdiff_t join = 
        expr::JoinRows(&height, &width, expr::LayoutOf(width, src, dst).join);
    if (height > kMaxNarrow || width > kMaxNarrow) {
      return rows(MapBody<Saver, DType, Dst, Src>{dst, src, height, width, join});
    }
    const NarrowIndex narrow_height = static_cast<NarrowIndex>(height);
    const NarrowIndex narrow_width = static_cast<NarrowIndex>(width);
    if constexpr (expr::kTransposedOf<Src> || expr::kTransposedOf<Dst>) {
      const std::ptrdiff_t step = expr::TileStep(src, dst);
      if (0 < step && step <= kMaxNarrow / 32) {
        return tiles(TileBody<Saver, DType, Dst, Src>(dst, src, narrow_height, narrow_width, join,
                                                      static_cast<NarrowIndex>(step)));
      }
    }
    if constexpr (expr::kCostOf<Src> <= kMaxNarrowRowsCost) {
      if (height > 1 && 1 < width && width < kMinWideRow && height <= kMaxNarrow / width) {
        return rows(NarrowRowsBody<Saver, DType, Dst, Src>{
            dst, src, FastDivmod(width), join, static_cast<NarrowIndex>(height * width)});
      }
    }
    rows(MapBody<Saver, DType, Dst, Src, NarrowIndex>{dst, src, narrow_height, narrow_width, join});
  }
}

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_CHOOSE_BODY_H_
