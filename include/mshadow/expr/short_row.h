// SPDX-License-Identifier: Apache-2.0
// Loops over the rows of images, which are short: of whole vectors that overlap.
#ifndef MSHADOW_EXPR_SHORT_ROW_H_
#define MSHADOW_EXPR_SHORT_ROW_H_

#include <cstddef>

#include "../core/config.h"
#include "../simd/isa.h"

namespace mshadow {
namespace expr {
namespace detail {

/// Calls f(i) for i in [0, n), lanes <= n <= 2 lanes; for some of them twice.
template <int lanes, typename F>
MSHADOW_FORCE_INLINE void ForEachInTwoVectors(std::ptrdiff_t n, const F& f) {
  std::ptrdiff_t begin = 0;
  while (true) {
    MSHADOW_LANES
    for (int k = 0; k < lanes; ++k) f(begin + k);
    if (begin + lanes == n) return;
    begin = n - lanes;
  }
}

/// Calls f(i) for i in [0, n), n >= least; for some of them twice: the last are whole vectors
/// again. Rows of images are short, and scalar rests of loops cost as much as their vectors. The
/// compiler sees that `count` is a multiple of 16, and makes no rests.
template <int least = 16, typename F>
MSHADOW_FORCE_INLINE void ForEachInVectors(std::ptrdiff_t n, const F& f) {
  if constexpr (least < 8) {
    if (n < 8) return ForEachInTwoVectors<4>(n, f);
  }
  if constexpr (least < 16) {
    if (n < 16) return ForEachInTwoVectors<8>(n, f);
  }
  std::ptrdiff_t begin = 0, count = n & -16;
  while (true) {
    MSHADOW_IVDEP
    for (std::ptrdiff_t k = 0; k < count; ++k) f(begin + k);
    if (begin + count == n) return;
    begin = n - 16;
    count = 16;
  }
}

/// How many of n to take at a time, at most `most` >= 32, so that none or 16 and more are left.
MSHADOW_XINLINE std::ptrdiff_t PartInVectors(std::ptrdiff_t n, std::ptrdiff_t most) {
  return n <= most ? n : n < most + 16 ? n - 16 : most;
}

/// to[i] = from[i] for i < n; the two do not overlap.
template <typename DType>
MSHADOW_FORCE_INLINE void CopyShortRow(const DType* from, std::ptrdiff_t n, DType* to) {
  if (n < 4) {
    for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = from[i];
  } else {
    ForEachInVectors<4>(n, [&](std::ptrdiff_t i) { to[i] = from[i]; });
  }
}

}  // namespace detail
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXPR_SHORT_ROW_H_
