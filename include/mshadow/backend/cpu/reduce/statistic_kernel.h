// SPDX-License-Identifier: Apache-2.0
// The loops of reductions by name: over blocks of memory, compiled once for a reduction and an
// element type, or over a plan whose elements are computed in the loop.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_KERNEL_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_KERNEL_H_

#include <cstddef>
#include <type_traits>

#include "../../../expr/plan.h"
#include "../../../expr/row_lanes.h"
#include "../../../op/statistic.h"
#include "../../../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Rows of a block in memory: element x of row r is from[r * stride + x].
template <typename In>
struct BlockInMemory {
  const In* from;
  std::ptrdiff_t stride;
  MSHADOW_FORCE_INLINE const In* Row(std::ptrdiff_t r) const { return from + r * stride; }
};

/// Rows of a block of a plan: element (r, i) is src(y + r * step, x + i).
template <typename In, typename Src>
struct BlockOfPlan {
  struct Cursor {
    expr::RowCursor<Src> row;
    std::ptrdiff_t x;
    MSHADOW_FORCE_INLINE In operator[](std::ptrdiff_t i) const {
      return static_cast<In>(row.Eval(x + i));
    }
  };
  const Src* src;
  std::ptrdiff_t y, step, x;
  MSHADOW_FORCE_INLINE Cursor Row(std::ptrdiff_t r) const {
    return Cursor{expr::RowOf(*src, y + r * step), x};
  }
};

/// total[r] gets the elements of row r of a block, r < rows. They have the numbers first, first + 1,
/// .. in what is reduced.
template <typename Kind, typename Block>
struct StatisticRowsKernel {
  using In = typename Kind::In;
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  using Scout = typename Kind::Scout;
  using Total = typename Kind::Total;
  /// So few that a lane of floats keeps its digits, and that what is read twice stays in the
  /// first-level cache.
  static constexpr std::ptrdiff_t kBlock = 8192;
  /// Shorter rows have a lane each.
  static constexpr std::ptrdiff_t kMinRow = 20;
  static constexpr int kLanes = 16;

  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const Block* argument, std::ptrdiff_t rows,
                                       std::ptrdiff_t cols, std::ptrdiff_t first, Total* total) {
    const Block block = *argument;
    std::ptrdiff_t r = 0;
    if (cols < kMinRow) {
      for (; r + kLanes <= rows; r += kLanes) Short(block, r, cols, first, total + r);
    }
    for (; r < rows; ++r) {
      const auto row = block.Row(r);
      for (std::ptrdiff_t x = 0; x < cols; x += kBlock) {
        const std::ptrdiff_t n = cols - x < kBlock ? cols - x : kBlock;
        Acc acc;
        Aux aux;
        Scout scout = Scout();
        if constexpr (Kind::kTwoPasses) {
          typename Kind::Pre::Acc sum;
          typename Kind::Pre::Aux unused;
          const std::ptrdiff_t m = Kind::SampleOf(n);
          Pass<typename Kind::Pre>(row, x, m, typename Kind::Pre::Scout(), &sum, &unused);
          scout = Kind::ScoutOf(sum, m);
        }
        Pass<Kind>(row, x, n, scout, &acc, &aux);
        total[r].Put(acc, aux, scout, n, first + x);
      }
    }
  }

 private:
  /// The elements [x, x + n) of a row, in lanes.
  template <typename P, typename Row>
  MSHADOW_FORCE_INLINE static void Pass(const Row& row, std::ptrdiff_t x, std::ptrdiff_t n,
                                        typename P::Scout scout, typename P::Acc* acc,
                                        typename P::Aux* aux) {
    constexpr int kMany = (P::kHasAux ? 128 : 256) / static_cast<int>(sizeof(typename P::Acc));
    Lanes<P, (kMany < 16 ? 16 : kMany > 64 ? 64 : kMany)>(row, x, n, scout, acc, aux);
  }
  template <typename P, int lanes, typename Row>
  MSHADOW_FORCE_INLINE static void Lanes(const Row& row, std::ptrdiff_t begin, std::ptrdiff_t n,
                                         typename P::Scout scout, typename P::Acc* acc,
                                         typename P::Aux* aux) {
    using B = typename P::Aux;
    typename P::Acc a[lanes];
    B b[lanes];
    for (int l = 0; l < lanes; ++l) P::Start(&a[l], &b[l], static_cast<B>(l));
    expr::detail::InLanes<lanes>(0, n, [&](int l, std::ptrdiff_t x) MSHADOW_INLINE_LAMBDA {
      P::Add(&a[l], &b[l], row[begin + x], scout, static_cast<B>(x));
    });
    Fold<P, lanes / 2>(a, b);
    *acc = a[0];
    *aux = b[0];
  }
  template <typename P, int half>
  MSHADOW_FORCE_INLINE static void Fold(typename P::Acc* a, typename P::Aux* b) {
    MSHADOW_SIMD_LOOP
    for (int l = 0; l < half; ++l) P::Join(&a[l], &b[l], a[l + half], b[l + half]);
    if constexpr (half > 1) Fold<P, half / 2>(a, b);
  }

  /// kLanes short rows.
  MSHADOW_FORCE_INLINE static void Short(const Block& block, std::ptrdiff_t r, std::ptrdiff_t n,
                                         std::ptrdiff_t first, Total* total) {
    Acc a[kLanes];
    Aux b[kLanes];
    Scout scout[kLanes];
    for (int l = 0; l < kLanes; ++l) scout[l] = Scout();
    if constexpr (Kind::kTwoPasses) {
      typename Kind::Pre::Acc sum[kLanes];
      typename Kind::Pre::Aux unused[kLanes];
      typename Kind::Pre::Scout none[kLanes];
      ShortPass<typename Kind::Pre>(block, r, n, none, sum, unused);
      for (int l = 0; l < kLanes; ++l) scout[l] = Kind::ScoutOf(sum[l], n);
    }
    ShortPass<Kind>(block, r, n, scout, a, b);
    for (int l = 0; l < kLanes; ++l) total[l].Put(a[l], b[l], scout[l], n, first);
  }
  template <typename P>
  MSHADOW_FORCE_INLINE static void ShortPass(const Block& block, std::ptrdiff_t r,
                                             std::ptrdiff_t n, const typename P::Scout* scout,
                                             typename P::Acc* a, typename P::Aux* b) {
    for (int l = 0; l < kLanes; ++l) P::Start(&a[l], &b[l], 0);
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kLanes; ++l) {
        P::Add(&a[l], &b[l], block.Row(r + l)[i], scout[l], static_cast<typename P::Aux>(i));
      }
    }
  }
};

/// Lanes acc[x], aux[x] get the elements of column x of a block, x < cols. Row r has number
/// first + r; start: it is the first of these lanes.
template <typename P, typename Block>
struct StatisticColumnsKernel {
  using Acc = typename P::Acc;
  using Aux = typename P::Aux;
  using Scout = typename P::Scout;

  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const Block* argument, std::ptrdiff_t rows,
                                       std::ptrdiff_t cols, std::ptrdiff_t first, bool start,
                                       Acc* acc, Aux* aux, const Scout* scouts) {
    const Block block = *argument;
    if (start) {
      for (std::ptrdiff_t x = 0; x < cols; ++x) {
        Aux unused;
        P::Start(&acc[x], P::kHasAux ? &aux[x] : &unused, static_cast<Aux>(first));
      }
    }
    std::ptrdiff_t r = 0;
    Aux number = static_cast<Aux>(first);
    for (; r + 4 <= rows; r += 4, number += 4) Rows<4>(block, r, cols, acc, aux, scouts, number);
    for (; r < rows; ++r, number += 1) Rows<1>(block, r, cols, acc, aux, scouts, number);
  }

 private:
  template <int count>
  MSHADOW_FORCE_INLINE static void Rows(const Block& block, std::ptrdiff_t r, std::ptrdiff_t cols,
                                        Acc* acc, Aux* aux, const Scout* scouts, Aux number) {
    const auto first = block.Row(r), second = count > 1 ? block.Row(r + 1) : first;
    const auto third = count > 1 ? block.Row(r + 2) : first;
    const auto fourth = count > 1 ? block.Row(r + 3) : first;
    MSHADOW_IVDEP
    for (std::ptrdiff_t x = 0; x < cols; ++x) {
      Acc a = acc[x];
      Aux b = Aux(0);
      Scout scout = Scout();
      if constexpr (P::kHasAux) b = aux[x];
      if constexpr (!std::is_same_v<Scout, statistic::None>) scout = scouts[x];
      P::Add(&a, &b, first[x], scout, number);
      if constexpr (count > 1) {
        P::Add(&a, &b, second[x], scout, static_cast<Aux>(number + 1));
        P::Add(&a, &b, third[x], scout, static_cast<Aux>(number + 2));
        P::Add(&a, &b, fourth[x], scout, static_cast<Aux>(number + 3));
      }
      acc[x] = a;
      if constexpr (P::kHasAux) aux[x] = b;
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_KERNEL_H_
