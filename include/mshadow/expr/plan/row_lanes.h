// SPDX-License-Identifier: Apache-2.0
// A row reduced in lanes: partial results side by side, which make a vector.
#ifndef MSHADOW_EXPR_PLAN_ROW_LANES_H_
#define MSHADOW_EXPR_PLAN_ROW_LANES_H_

#include <cstddef>

#include "../../core/config.h"
#include "../../op/reducer_traits.h"
#include "../../simd/isa.h"
#include "plan.h"
#include "short_row.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// acc[0] (+) acc[1] (+) ... and all value(x) for the elements [x, end). Lanes are folded to half
/// as many, pairwise, before the rest is added to these: each array is then a vector in a register.
/// (As part of one array, a rest would be stored by itself, and its vector wait for that.)
template <int lanes, typename Acc, typename V, typename F>
MSHADOW_FORCE_INLINE Acc ReduceInLanes(Acc* acc, std::ptrdiff_t x, std::ptrdiff_t end,
                                       const V& value, const F& combine) {
  for (; end - x >= lanes; x += lanes) {
    if constexpr (lanes > 16) {
      MSHADOW_SIMD_LOOP_LONG
      for (int l = 0; l < lanes; ++l) acc[l] = combine(acc[l], value(x + l));
    } else {
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < lanes; ++l) acc[l] = combine(acc[l], value(x + l));
    }
  }
  if constexpr (lanes == 1) {
    return acc[0];
  } else {
    constexpr int kHalf = lanes / 2;
    Acc half[kHalf];
    MSHADOW_SIMD_LOOP
    for (int l = 0; l < kHalf; ++l) half[l] = combine(acc[l], acc[l + kHalf]);
    return ReduceInLanes<kHalf>(half, x, end, value, combine);
  }
}

/// The elements [first, last) of a row reduced, `lanes` side by side.
template <typename Reducer, typename Acc, int lanes, typename Cursor>
MSHADOW_FORCE_INLINE Acc ReduceBlock(const Cursor& row, std::ptrdiff_t first, std::ptrdiff_t last) {
  Acc acc[lanes];
  const Acc init = red::InitValue<Reducer, Acc>();
  for (int l = 0; l < lanes; ++l) acc[l] = init;
  const auto combine = [](Acc a, Acc b) MSHADOW_INLINE_LAMBDA { return Reducer::Combine(a, b); };
  const auto element = [&row](std::ptrdiff_t x) MSHADOW_INLINE_LAMBDA {
    return static_cast<Acc>(row.Eval(x));
  };
  return ReduceInLanes<lanes>(acc, first, last, element, combine);
}
/// The elements [first, last) of a row reduced by Reducer::Combine, block by block, so that few
/// additions meet in one lane.
template <typename Reducer, typename Acc, typename Cursor>
MSHADOW_FORCE_INLINE Acc ReduceRow(const Cursor& row, std::ptrdiff_t first, std::ptrdiff_t last) {
  constexpr std::ptrdiff_t kBlock = 8192;
  // As many as fill a vector at least, and the registers of the baseline at most.
  constexpr int kFew = sizeof(Acc) == 1 ? 64 : 16, kMany = sizeof(Acc) == 8 ? 32 : 64;
  if (last - first < 256) return ReduceBlock<Reducer, Acc, kFew>(row, first, last);
  if (last - first <= kBlock) return ReduceBlock<Reducer, Acc, kMany>(row, first, last);
  Acc total = red::InitValue<Reducer, Acc>();
  for (std::ptrdiff_t x = first; x < last; x += kBlock) {
    const std::ptrdiff_t end = x + kBlock < last ? x + kBlock : last;
    total = Reducer::Combine(total, ReduceBlock<Reducer, Acc, kMany>(row, x, end));
  }
  return total;
}

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_ROW_LANES_H_
