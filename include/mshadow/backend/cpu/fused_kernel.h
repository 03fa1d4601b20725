// SPDX-License-Identifier: Apache-2.0
// FusedKernel: the loops of several statements in turn, compiled for every instruction set.
#ifndef MSHADOW_BACKEND_CPU_FUSED_KERNEL_H_
#define MSHADOW_BACKEND_CPU_FUSED_KERNEL_H_

#include "../../expr/plan.h"
#include "map_kernel.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Several statements, each an expr::LazyAssignment::Planned.
template <typename... Maps>
struct FusedMaps {};
template <typename Map, typename... Rest>
struct FusedMaps<Map, Rest...> {
  Map map;
  FusedMaps<Rest...> rest;
  MSHADOW_FORCE_INLINE explicit FusedMaps(const Map& first, const Rest&... others)
      : map(first), rest(others...) {}
};

/// A row of several statements. Their plans stay where they are: those of several are more than
/// there are registers.
template <typename... Maps>
struct FusedRows {
  MSHADOW_FORCE_INLINE FusedRows(const FusedMaps<>&, std::ptrdiff_t) {}
  template <typename Isa>
  MSHADOW_FORCE_INLINE void Save(std::ptrdiff_t, std::ptrdiff_t) const {}
};
template <typename Map, typename... Rest>
struct FusedRows<Map, Rest...> {
  using Kernel =
      MapKernel<typename Map::Saver, typename Map::DType, typename Map::Dst, typename Map::Src>;
  const typename Kernel::To to_;
  const typename Kernel::From from_;
  const FusedRows<Rest...> rest_;
  MSHADOW_FORCE_INLINE FusedRows(const FusedMaps<Map, Rest...>& maps, std::ptrdiff_t y)
      : to_(expr::RowOf(maps.map.dst, y)), from_(expr::RowOf(maps.map.src, y)),
        rest_(maps.rest, y) {}
  template <typename Isa>
  MSHADOW_FORCE_INLINE void Save(std::ptrdiff_t begin, std::ptrdiff_t end) const {
    Kernel::template Row<Isa>(to_, from_, begin, end);
    rest_.template Save<Isa>(begin, end);
  }
};

/// A BlockFunction for several statements, y0 < y1; task.src are FusedMaps. On rows that the
/// first-level cache does not hold they take turns, on elements few enough to be still there at the
/// next one's turn, and enough that their loops take longer than what is around them. (As one loop
/// they would be no faster: what one writes and the next reads goes through memory there too.)
template <typename... Maps>
struct FusedKernel {
  static constexpr std::ptrdiff_t kTurn = 256, kCached = 4096;
  static constexpr bool kOneRow =
      (... && (expr::kFactsOf<typename Maps::Dst>.one_row &&
               expr::kFactsOf<typename Maps::Src>.one_row));
  static constexpr int kCost =
      (... + (1 + expr::kCostOf<typename Maps::Dst> + expr::kCostOf<typename Maps::Src>));

  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1,
                                       std::ptrdiff_t x0, std::ptrdiff_t x1) {
    [[maybe_unused]] const std::ptrdiff_t join = task.join;
    do {
      const FusedRows<Maps...> rows(*static_cast<const FusedMaps<Maps...>*>(task.src),
                                    kOneRow ? 0 : y0 * join);
      std::ptrdiff_t x = x0, stop = x1 - x0 <= kCached ? x1 : x0 + kTurn;
      while (true) {
        rows.template Save<Isa>(x, stop);
        if (stop == x1) break;
        x = stop;
        stop = x1 - x <= kTurn ? x1 : x + kTurn;
      }
    } while (!kOneRow && ++y0 < y1);
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FUSED_KERNEL_H_
