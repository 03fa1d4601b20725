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
/// acc[0] (+) acc[1] (+) ... and all value(x) for the elements [x, end). Lanes are folded to half
/// as many, pairwise, before the rest is added to these: each array is then a vector in a register.
/// (As part of one array, a rest would be stored by itself, and its vector wait for that.)
template <int lanes, typename Acc, typename V, typename F>
MSHADOW_FORCE_INLINE Acc ReduceInLanes(Acc* acc, std::ptrdiff_t x, std::ptrdiff_t end,
                                       const V& value, const F& combine) {
  for (; end - x >= lanes; x += lanes) {
    MSHADOW_LANES
    for (int l = 0; l < lanes; ++l) acc[l] = combine(acc[l], value(x + l));
  }
  if constexpr (lanes == 1) {
    return acc[0];
  } else {
    constexpr int kHalf = lanes / 2;
    Acc half[kHalf];
    MSHADOW_LANES
    for (int l = 0; l < kHalf; ++l) half[l] = combine(acc[l], acc[l + kHalf]);
    return ReduceInLanes<kHalf>(half, x, end, value, combine);
  }
}

}  // namespace detail
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXPR_ROW_LANES_H_
