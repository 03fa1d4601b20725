// SPDX-License-Identifier: Apache-2.0
// Loops over the rows of images, which are short: of whole vectors that overlap.
#ifndef MSHADOW_EXPR_PLAN_SHORT_ROW_H_
#define MSHADOW_EXPR_PLAN_SHORT_ROW_H_

#include <cstddef>
#include <type_traits>

#include "../../core/config.h"
#include "../../simd/isa.h"
#include "plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// Calls f(begin, std::integral_constant<int, lanes>) for vectors of elements that cover [0, n),
/// n >= lanes; the last overlaps the one before, and so covers some elements twice.
template <int lanes, typename F>
MSHADOW_FORCE_INLINE void ForEachVectorOf(std::ptrdiff_t n, const F& f) {
  const std::ptrdiff_t last = n - lanes;
  for (std::ptrdiff_t begin = 0;;) {
    f(begin, std::integral_constant<int, lanes>());
    if (begin == last) return;
    begin += lanes;
    if (begin > last) begin = last;
  }
}

/// The same for n >= least, of 16 elements each, or of 8 or 4 where n is less. Rows of images are
/// short, and scalar rests of loops cost as much as their vectors.
template <int least = 16, typename F>
MSHADOW_FORCE_INLINE void ForEachVector(std::ptrdiff_t n, const F& f) {
  if constexpr (least < 8) {
    if (n < 8) return ForEachVectorOf<4>(n, f);
  }
  if constexpr (least < 16) {
    if (n < 16) return ForEachVectorOf<8>(n, f);
  }
  ForEachVectorOf<16>(n, f);
}

/// Calls f(i) for i in [0, n), n >= least; for some of them twice.
template <int least = 16, typename F>
MSHADOW_FORCE_INLINE void ForEachInVectors(std::ptrdiff_t n, const F& f) {
  ForEachVector<least>(n, [&f](std::ptrdiff_t begin, auto lanes) MSHADOW_INLINE_LAMBDA {
    MSHADOW_SIMD_LOOP
    for (int k = 0; k < decltype(lanes)::value; ++k) f(begin + k);
  });
}

/// The same for any n >= 0.
template <typename F>
MSHADOW_FORCE_INLINE void ForEachInShortRow(std::ptrdiff_t n, const F& f) {
  if (n < 4) {
    for (std::ptrdiff_t i = 0; i < n; ++i) f(i);
  } else {
    ForEachInVectors<4>(n, f);
  }
}

/// How many of n to take at a time, at most `most` >= 32, so that none or 16 and more are left.
MSHADOW_XINLINE std::ptrdiff_t PartInVectors(std::ptrdiff_t n, std::ptrdiff_t most) {
  return n <= most ? n : n < most + 16 ? n - 16 : most;
}

/// to[i] = value for i < n.
template <typename DType>
MSHADOW_FORCE_INLINE void FillShortRow(DType value, std::ptrdiff_t n, DType* to) {
  if (n < 4) {
    if (n > 0) to[0] = value;
    if (n > 1) to[1] = value;
    if (n > 2) to[2] = value;
  } else {
    ForEachInVectors<4>(n, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA { to[i] = value; });
  }
}

/// to[i] = element x + i of a row, for its elements [x, end), none of which lies in `to`.
template <typename Row, typename DType>
MSHADOW_FORCE_INLINE void WriteShortRow(const Row& row, std::ptrdiff_t x, std::ptrdiff_t end,
                                        DType* to) {
  if constexpr (HasPointer<Row>::value) {
    const auto* const from = row.Pointer(x);
    ForEachInShortRow(end - x, [&](std::ptrdiff_t i)
                                   MSHADOW_INLINE_LAMBDA { to[i] = static_cast<DType>(from[i]); });
  } else {
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = 0; i < end - x; ++i) to[i] = static_cast<DType>(row.Eval(x + i));
  }
}

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_SHORT_ROW_H_
