// SPDX-License-Identifier: Apache-2.0
// Blocks of rows of a plan that computes many at a time, for what does more with their elements.
#ifndef MSHADOW_EXPR_BLOCKS_H_
#define MSHADOW_EXPR_BLOCKS_H_

#include <cstddef>

#include "../core/config.h"
#include "../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// Calls f(row, y, begin, n): elements [begin, begin + n) of row y of a plan with kBlocks are at
/// `row`; for parts of all rows that together are [y, end_y) x [x, end).
template <typename DType, typename P, typename F>
MSHADOW_FORCE_INLINE void ForEachBlockRow(const P& plan, std::ptrdiff_t y, std::ptrdiff_t end_y,
                                          std::ptrdiff_t x, std::ptrdiff_t end, const F& f) {
  constexpr std::ptrdiff_t kBlock = 8192 / sizeof(DType);
  DType block[kBlock];
  for (std::ptrdiff_t n; x < end; x += n) {
    n = end - x < kBlock ? end - x : kBlock;
    std::ptrdiff_t rows = kBlock / n;
    for (std::ptrdiff_t v = y; v < end_y; v += rows) {
      if (rows > end_y - v) rows = end_y - v;
      plan.WriteRows(block, n, v, v + rows, x, x + n);
      for (std::ptrdiff_t k = 0; k < rows; ++k) f(block + k * n, v + k, x, n);
    }
  }
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_BLOCKS_H_
