// SPDX-License-Identifier: Apache-2.0
// Lanes: an array of partial results, reduced side by side so that the compiler vectorises.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_LANES_H_
#define MSHADOW_BACKEND_CPU_REDUCE_LANES_H_

#include <cstddef>

#include "../../../core/dtype.h"
#include "../../../op/reducer_traits.h"
#include "../../../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

using red::Finished;
using red::HasCombine;
using red::InitValue;

/// Operations on lanes of type Acc. What is reduced with what is fixed by the number of lanes, so
/// that results do not depend on the width of vectors.
template <typename Reducer, typename Acc>
struct Lanes {
  MSHADOW_FORCE_INLINE static void Init(Acc* acc, std::ptrdiff_t n) {
    const Acc init = InitValue<Reducer, Acc>();
    for (std::ptrdiff_t l = 0; l < n; ++l) acc[l] = init;
  }
  /// acc[l] (+)= row(x + l)
  template <typename Cursor>
  MSHADOW_FORCE_INLINE static void Add(Acc* acc, std::ptrdiff_t n, const Cursor row,
                                       std::ptrdiff_t x) {
    MSHADOW_IVDEP
    for (std::ptrdiff_t l = 0; l < n; ++l) {
      acc[l] = Reducer::Combine(acc[l], static_cast<Acc>(row.Eval(x + l)));
    }
  }
  /// acc[l] = acc[l] (+) acc[l + n] (+) acc[l + 2 n] (+) ... for l < n, pairwise; `count` terms.
  MSHADOW_FORCE_INLINE static void Fold(Acc* acc, std::ptrdiff_t n, std::ptrdiff_t count) {
    while (count > 1) {
      const std::ptrdiff_t half = (count + 1) / 2;
      const std::ptrdiff_t shift = half * n;
      MSHADOW_IVDEP
      for (std::ptrdiff_t l = 0; l < (count - half) * n; ++l) {
        acc[l] = Reducer::Combine(acc[l], acc[l + shift]);
      }
      count = half;
    }
  }
  /// All of 16, 64, 256, ... lanes, pairwise.
  MSHADOW_FORCE_INLINE static Acc FoldAll(Acc* acc, std::ptrdiff_t n) {
    while (n > 16) {
      n /= 4;
      for (Acc* to = acc; to < acc + n; to += 16) {
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < 16; ++l) {
          to[l] = Reducer::Combine(Reducer::Combine(to[l], to[l + n]),
                                   Reducer::Combine(to[l + 2 * n], to[l + 3 * n]));
        }
      }
    }
    return Tree<16>(acc);
  }

 private:
  template <int n>
  MSHADOW_FORCE_INLINE static Acc Tree(const Acc* acc) {
    if constexpr (n == 1) {
      return acc[0];
    } else {
      return Reducer::Combine(Tree<n / 2>(acc), Tree<n / 2>(acc + n / 2));
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_LANES_H_
