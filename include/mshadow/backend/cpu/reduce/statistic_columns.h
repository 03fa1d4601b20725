// SPDX-License-Identifier: Apache-2.0
// The loop that reduces each column of a block, and those that make results of lanes.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_COLUMNS_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_COLUMNS_H_

#include <cstddef>
#include <type_traits>

#include "../../../op/statistic.h"
#include "../../../simd/isa.h"
#include "../half_rows.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Lanes acc[x], aux[x] get the elements of column x of a block, x < cols, beside those of `first`
/// rows that they hold. Row r has number first + r.
template <typename P, typename Block>
struct StatisticColumnsKernel {
  using Acc = typename P::Acc;
  using Aux = typename P::Aux;
  using Scout = typename P::Scout;

  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const Block* argument, std::ptrdiff_t rows,
                                       std::ptrdiff_t cols, std::ptrdiff_t first, Acc* acc,
                                       Aux* aux, const Scout* scouts) {
    const Block block = *argument;
    std::ptrdiff_t r = 0;
    if (first == 0) {
      if (rows >= 4) {
        Rows<Isa, 4, true>(block, r, cols, acc, aux, scouts, Aux(0));
        r = 4;
      } else {
        Rows<Isa, 1, true>(block, r, cols, acc, aux, scouts, Aux(0));
        r = 1;
      }
    }
    Aux number = static_cast<Aux>(first + r);
    for (; r + 4 <= rows; r += 4, number += 4) {
      Rows<Isa, 4, false>(block, r, cols, acc, aux, scouts, number);
    }
    for (; r < rows; ++r, number += 1) {
      Rows<Isa, 1, false>(block, r, cols, acc, aux, scouts, number);
    }
  }

 private:
  /// Adds simd::kHalfLanes elements of a row, from x on, to lanes.
  template <typename Row>
  MSHADOW_FORCE_INLINE static void AddLanes(const Row& row, std::ptrdiff_t x, Acc* a, Aux* b,
                                            const Scout* scouts, Aux number) {
    typename P::In element[simd::kHalfLanes];
    row.Lanes(x, element);
    MSHADOW_SIMD_LOOP
    for (int k = 0; k < simd::kHalfLanes; ++k) {
      Acc lane = a[k];
      Aux lane_aux = b[k];
      Scout scout = Scout();
      if constexpr (!std::is_same_v<Scout, statistic::NoScout>) scout = scouts[x + k];
      P::Add(&lane, &lane_aux, element[k], scout, number);
      a[k] = lane;
      b[k] = lane_aux;
    }
  }
  /// Adds rows r, .., r + count - 1; begins: they are the first ones.
  template <typename Isa, int count, bool begins>
  MSHADOW_FORCE_INLINE static void Rows(const Block& block, std::ptrdiff_t r, std::ptrdiff_t cols,
                                        Acc* acc, Aux* aux, const Scout* scouts, Aux number) {
    const auto first = block.Row(r), second = count > 1 ? block.Row(r + 1) : first;
    const auto third = count > 1 ? block.Row(r + 2) : first;
    const auto fourth = count > 1 ? block.Row(r + 3) : first;
    const auto add = [=](std::ptrdiff_t x, auto e0, auto e1, auto e2, auto e3)
                         MSHADOW_INLINE_LAMBDA {
      Acc a;
      Aux b = Aux(0);
      Scout scout = Scout();
      if constexpr (begins) {
        P::Start(&a, &b, Aux(0));
      } else {
        a = acc[x];
        if constexpr (P::kHasAux) b = aux[x];
      }
      if constexpr (!std::is_same_v<Scout, statistic::NoScout>) scout = scouts[x];
      P::Add(&a, &b, e0, scout, number);
      if constexpr (count > 1) {
        P::Add(&a, &b, e1, scout, static_cast<Aux>(number + 1));
        P::Add(&a, &b, e2, scout, static_cast<Aux>(number + 2));
        P::Add(&a, &b, e3, scout, static_cast<Aux>(number + 3));
      }
      acc[x] = a;
      if constexpr (P::kHasAux) aux[x] = b;
    };
    std::ptrdiff_t x = 0;
    if constexpr (Block::kLanes && Isa::kIsa != simd::Isa::kBaseline) {
      for (; x + simd::kHalfLanes <= cols; x += simd::kHalfLanes) {
        Acc a[simd::kHalfLanes];
        Aux b[simd::kHalfLanes];
        MSHADOW_SIMD_LOOP
        for (int k = 0; k < simd::kHalfLanes; ++k) {
          b[k] = Aux(0);
          if constexpr (begins) {
            P::Start(&a[k], &b[k], Aux(0));
          } else {
            a[k] = acc[x + k];
            if constexpr (P::kHasAux) b[k] = aux[x + k];
          }
        }
        AddLanes(first, x, a, b, scouts, number);
        if constexpr (count > 1) {
          AddLanes(second, x, a, b, scouts, static_cast<Aux>(number + 1));
          AddLanes(third, x, a, b, scouts, static_cast<Aux>(number + 2));
          AddLanes(fourth, x, a, b, scouts, static_cast<Aux>(number + 3));
        }
        MSHADOW_SIMD_LOOP
        for (int k = 0; k < simd::kHalfLanes; ++k) {
          acc[x + k] = a[k];
          if constexpr (P::kHasAux) aux[x + k] = b[k];
        }
      }
    }
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = x; i < cols; ++i) {
      add(i, first[i], second[i], third[i], fourth[i]);
    }
  }
};

/// results[k] = result of one block of n elements, for k < count.
template <typename Kind>
struct StatisticResultsKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const typename Kind::Acc* acc, const typename Kind::Aux* aux,
                                       const typename Kind::Scout* scouts, std::ptrdiff_t count,
                                       std::ptrdiff_t n, typename Kind::Out* results) {
    MSHADOW_IVDEP
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      typename Kind::Total total;
      total.First(acc[k], aux[Kind::kHasAux ? k : 0], scouts[Kind::kTwoPasses ? k : 0], n, 0);
      results[k] = Kind::Finish(total, n);
    }
  }
};

/// Of `count` results, total[k] is merged with a block of n elements, or begins with it.
template <typename Kind>
struct StatisticMergeKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const typename Kind::Acc* acc, const typename Kind::Aux* aux,
                                       const typename Kind::Scout* scouts, std::ptrdiff_t count,
                                       std::ptrdiff_t n, std::ptrdiff_t first, bool begin,
                                       typename Kind::Total* total) {
    const auto block = [=](std::ptrdiff_t k) MSHADOW_INLINE_LAMBDA {
      typename Kind::Total one;
      one.First(acc[k], aux[Kind::kHasAux ? k : 0], scouts[Kind::kTwoPasses ? k : 0], n, first);
      return one;
    };
    if (begin) {
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < count; ++k) total[k] = block(k);
    } else {
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < count; ++k) total[k].Merge(block(k));
    }
  }
};

/// acc[k] is joined with acc[k + count], acc[k + 2 * count], .., pairwise; `times` in all. Of a
/// reduction of one pass.
template <typename Kind>
struct StatisticFoldKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(typename Kind::Acc* acc, std::ptrdiff_t count,
                                       std::ptrdiff_t times) {
    typename Kind::Aux unused = 0;
    while (times > 1) {
      const std::ptrdiff_t half = (times + 1) / 2;
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < (times - half) * count; ++k) {
        Kind::Join(&acc[k], &unused, acc[k + half * count], unused);
      }
      times = half;
    }
  }
};

/// results[r] = the result of the totals r + x * step, x < times, some of which are overwritten.
template <typename Kind>
struct StatisticFinishKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(typename Kind::Total* total, std::ptrdiff_t step,
                                       std::ptrdiff_t times, std::ptrdiff_t count,
                                       std::ptrdiff_t n, typename Kind::Out* results) {
    for (std::ptrdiff_t x = 1; x < times; ++x) {
      MSHADOW_IVDEP
      for (std::ptrdiff_t r = 0; r < count; ++r) total[r].Merge(total[r + x * step]);
    }
    MSHADOW_IVDEP
    for (std::ptrdiff_t r = 0; r < count; ++r) results[r] = Kind::Finish(total[r], n);
  }
};

/// scouts[k] = what the first pass, sum[k] of n elements each, says of the `width` neighbours that
/// k is one of.
template <typename Kind>
struct StatisticScoutsKernel {
  using Pre = typename Kind::Pre;
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(typename Pre::Acc* sum, std::ptrdiff_t cols,
                                       std::ptrdiff_t n, std::ptrdiff_t width,
                                       typename Kind::Scout* scouts) {
    if (width == 1) {
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < cols; ++k) scouts[k] = Kind::ScoutOf(sum[k], n);
      return;
    }
    typename Pre::Aux unused = 0;
    for (std::ptrdiff_t k = 0; k < cols; k += width) {
      for (std::ptrdiff_t x = 1; x < width; ++x) Pre::Join(&sum[k], &unused, sum[k + x], unused);
      const typename Kind::Scout scout = Kind::ScoutOf(sum[k], n * width);
      for (std::ptrdiff_t x = 0; x < width; ++x) scouts[k + x] = scout;
    }
  }
};

/// Lanes k of acc, aux and scouts become those of the `width` neighbours from k * width on, joined
/// pairwise.
template <typename Kind>
struct StatisticJoinKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(typename Kind::Acc* acc, typename Kind::Aux* aux,
                                       typename Kind::Scout* scouts, std::ptrdiff_t count,
                                       std::ptrdiff_t width) {
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      typename Kind::Acc* const a = acc + k * width;
      typename Kind::Aux* const b = aux + (Kind::kHasAux ? k * width : 0);
      for (std::ptrdiff_t n = width; n > 1;) {
        const std::ptrdiff_t half = (n + 1) / 2;
        MSHADOW_IVDEP
        for (std::ptrdiff_t x = 0; x < n - half; ++x) {
          typename Kind::Aux unused = 0;
          Kind::Join(&a[x], Kind::kHasAux ? &b[x] : &unused, a[x + half],
                     Kind::kHasAux ? b[x + half] : unused);
        }
        n = half;
      }
      acc[k] = a[0];
      if constexpr (Kind::kHasAux) aux[k] = b[0];
      if constexpr (Kind::kTwoPasses) scouts[k] = scouts[k * width];
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_COLUMNS_H_
