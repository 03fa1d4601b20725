// SPDX-License-Identifier: Apache-2.0
// A row reduced in lanes: partial results side by side, which make a vector.
#ifndef MSHADOW_EXPR_ROW_LANES_H_
#define MSHADOW_EXPR_ROW_LANES_H_

#include <cstddef>

#include "../core/config.h"
#include "../simd/isa.h"

namespace mshadow {
namespace expr {
namespace detail {

/// Calls f(lane, x) for the elements [x, end), `lanes` at a time, then fewer: the rest of a short
/// row would take as long as its vectors, one by one.
template <int lanes, typename F>
MSHADOW_FORCE_INLINE void InLanes(std::ptrdiff_t x, std::ptrdiff_t end, const F& f) {
  for (; end - x >= lanes; x += lanes) {
    MSHADOW_LANES
    for (int l = 0; l < lanes; ++l) f(l, x + l);
  }
  if constexpr (lanes > 1) InLanes<(lanes > 16 ? 16 : lanes / 2)>(x, end, f);
}
/// combine of all lanes, pairwise.
template <int lanes, typename Acc, typename F>
MSHADOW_FORCE_INLINE Acc FoldLanes(Acc* acc, const F& combine) {
  if constexpr (lanes == 1) {
    return acc[0];
  } else {
    for (int l = 0; l < lanes / 2; ++l) acc[l] = combine(acc[l], acc[l + lanes / 2]);
    return FoldLanes<lanes / 2>(acc, combine);
  }
}

}  // namespace detail
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXPR_ROW_LANES_H_
