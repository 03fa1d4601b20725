// SPDX-License-Identifier: Apache-2.0
// Narrow rows: blocks of rows that do not follow each other in memory are computed as one row each,
// by the loops that the statement has.
#ifndef MSHADOW_BACKEND_CPU_NARROW_ROWS_H_
#define MSHADOW_BACKEND_CPU_NARROW_ROWS_H_

#include <type_traits>

#include "../../expr/gather_rows.h"
#include "../../simd/cache.h"
#include "map_kernel.h"
#include "streaming.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Rows that are all the same are worth repeating up to this length.
constexpr std::ptrdiff_t kMaxNarrowColumns = 256;

/// The most elements of a block of narrow rows; 0 if the operands cannot be gathered.
template <typename DType, typename Src>
inline constexpr std::ptrdiff_t kMaxGathered =
    expr::detail::RowGather::MaxElements(static_cast<int>(sizeof(DType)) +
                                         expr::kGatherBytesOf<Src>);
template <typename DType, typename Dst, typename Src>
inline constexpr bool kGathers =
    std::is_trivially_copyable_v<DType> && expr::detail::MovesRows<Dst>() &&
    kMaxGathered<DType, Src> > 0;

/// Rows of at most this many elements gain by being copied into blocks. + - * take no longer one
/// by one than the copies.
template <typename DType, typename Src>
inline constexpr std::ptrdiff_t kMaxCopiedColumns =
    std::is_arithmetic_v<DType> && expr::kArithmeticOf<Src> ? 0
    : expr::kCostOf<Src> < kExpensiveCost                   ? 16
                                                            : 40;

/// A BlockFunction for narrow rows; `forms` are those for rows of any length.
template <typename Saver, typename DType, typename Dst, typename Src, const BlockFunction* forms>
void NarrowRows(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1, std::ptrdiff_t x0,
                std::ptrdiff_t x1) {
  const BlockFunction form = forms[static_cast<int>(simd::ActiveIsa())];
  const Dst& dst = *static_cast<const Dst*>(task.dst);
  const std::ptrdiff_t cols = x1 - x0;
  const bool may_copy = cols <= kMaxCopiedColumns<DType, Src>;
  expr::detail::RowGather gather(x0, cols, task.join, y1, may_copy);
  std::ptrdiff_t n = kMaxGathered<DType, Src> / cols, blocks = 1;
  if (n == 0) return form(task, y0, y1, x0, x1);
  for (std::ptrdiff_t y = y0; y < y1; y += n * blocks) {
    if (n > y1 - y) n = y1 - y;
    gather.Start(y, n);
    Src from = *static_cast<const Src*>(task.src);
    expr::GatherRows(&from, &gather);
    Dst to = dst;
    const bool scatters = !gather.IsContiguous(dst);
    if (!may_copy && (scatters || gather.copies())) {
      if constexpr (kMaxCopiedColumns<DType, Src> == 0) {
        if (cols <= kNarrowColumns) {
          return FewColumns<Saver, DType, Dst, Src>(task, y, y1, x0, x1);
        }
      }
      return form(task, y, y1, x0, x1);
    }
    if (scatters && std::is_same_v<Saver, sv::saveto>) {
      gather.Prepare(&to);
    } else {
      gather.Gather(&to);
    }
    blocks = scatters || gather.copies() ? 1 : (y1 - y) / n;
    form({&to, &from, n * task.join}, 0, blocks, 0, gather.Elements());
    if (scatters) gather.Scatter(to, dst);
  }
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_NARROW_ROWS_H_
