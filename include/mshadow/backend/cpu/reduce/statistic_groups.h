// SPDX-License-Identifier: Apache-2.0
// The loop that reduces many small groups of elements: short rows, and short columns side by side.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_GROUPS_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_GROUPS_H_

#include <cstddef>
#include <type_traits>
#include <utility>

#include "../../../expr/short_row.h"
#include "../../../op/statistic.h"
#include "../../../simd/isa.h"
#include "../../../simd/transpose_block.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Where groups lie in memory: element (g, i, c) is from[g * group + i * row + c], for i < n and
/// c < m.
template <typename In>
struct GroupsInMemory {
  const In* from;
  std::ptrdiff_t group, row, groups, n, m;
};

/// Lanes acc[g * m + c], aux[..] and scouts[..] get the elements (g, i, c) of all i, n > 0.
template <typename Kind>
struct StatisticGroupsKernel {
  using In = typename Kind::In;
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  using Scout = typename Kind::Scout;
  using Groups = GroupsInMemory<In>;
  /// From so many columns on a vector is of columns; fewer may have so many elements each.
  static constexpr std::ptrdiff_t kMinColumns = 4, kMaxShort = 32;

  Groups all;
  Acc* acc;
  Aux* aux;
  Scout* scouts;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    if (all.m >= kMinColumns) return Columns();
    if constexpr (kMaxWindow > 0) {
      const bool is_dense = all.row == all.m && all.group == all.n * all.m;
      if (is_dense && all.n > 1 && all.n <= kMaxWindow && PrefersWindows<Isa>()) return Windows();
    }
    if (all.groups >= kLanes) {
      expr::detail::ForEachVectorOf<kLanes>(
          all.groups,
          [&](std::ptrdiff_t g, auto) MSHADOW_INLINE_LAMBDA { LanePerGroup<Isa, kLanes>(g); });
    } else {
      for (std::ptrdiff_t g = 0; g < all.groups; ++g) LanePerGroup<Isa, 1>(g);
    }
  }

 private:
  static constexpr int kLanes = 16;
  /// Up to this length windows are faster than gathers, on AVX2 too.
  static constexpr std::ptrdiff_t kMaxWindow =
      Kind::kTwoPasses || Kind::kHasAux ? 0 : sizeof(Acc) < 4 ? 16 : sizeof(Acc) == 4 ? 8 : 0;
  /// True if squares that are transposed in registers are faster than gathers: of doubles only with
  /// AVX-512.
  template <typename Isa>
  static constexpr bool kSquares = simd::kShuffles<Isa, In> && sizeof(In) >= 4 &&
                                   simd::kCopySide<Isa, In> >= static_cast<int>(sizeof(In));
  /// True if squares are not faster than windows: groups of several columns, or few groups; rows of
  /// 5 with AVX-512, where 13,107 take 19 and 22 us (Xeon, Sapphire Rapids).
  template <typename Isa>
  MSHADOW_FORCE_INLINE bool PrefersWindows() const {
    return !kSquares<Isa> || all.m > 1 || all.groups < 2 * kLanes ||
           (all.n > 4 && 3 * all.n <= simd::kCopySide<Isa, In>);
  }

  /// Lane v * lanes + l gets element(i, v, l) of all i < n.
  template <typename P, int vectors, int lanes, typename F>
  MSHADOW_FORCE_INLINE static void Pass(const F& element, std::ptrdiff_t n,
                                        const typename P::Scout* scouts, typename P::Acc* acc,
                                        typename P::Aux* aux) {
    for (int l = 0; l < vectors * lanes; ++l) P::Start(&acc[l], &aux[l], 0);
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      for (int v = 0; v < vectors; ++v) {
        typename P::Acc* const a = acc + v * lanes;
        typename P::Aux* const b = aux + v * lanes;
        const typename P::Scout* const scout = scouts + v * lanes;
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < lanes; ++l) {
          P::Add(&a[l], &b[l], element(i, v, l), scout[l], static_cast<typename P::Aux>(i));
        }
      }
    }
  }
  /// The same in one or two passes; lane l of vector v goes to place(v) + l * step.
  template <int vectors, int lanes, typename F, typename G>
  MSHADOW_FORCE_INLINE void Reduce(const F& element, const G& place, std::ptrdiff_t step) const {
    constexpr int kAll = vectors * lanes;
    Acc a[kAll];
    Aux b[kAll];
    Scout scout[kAll];
    for (int l = 0; l < kAll; ++l) scout[l] = Scout();
    const auto for_each = [&](const auto& f) MSHADOW_INLINE_LAMBDA {
      for (int v = 0; v < vectors; ++v) {
        const std::ptrdiff_t to = place(v);
        if (step == 1) {  // a vector is stored at once
          MSHADOW_SIMD_LOOP
          for (int l = 0; l < lanes; ++l) f(to + l, v * lanes + l);
        } else {
          for (int l = 0; l < lanes; ++l) f(to + l * step, v * lanes + l);
        }
      }
    };
    if constexpr (Kind::kTwoPasses) {
      using Pre = typename Kind::Pre;
      typename Pre::Acc sum[kAll];
      typename Pre::Aux unused[kAll];
      typename Pre::Scout none[kAll];
      const std::ptrdiff_t sample = Kind::SampleOf(all.n);
      Pass<Pre, vectors, lanes>(element, sample, none, sum, unused);
      for (int l = 0; l < kAll; ++l) scout[l] = Kind::ScoutOf(sum[l], sample);
      for_each([&](std::ptrdiff_t to, int l) MSHADOW_INLINE_LAMBDA { scouts[to] = scout[l]; });
    }
    Pass<Kind, vectors, lanes>(element, all.n, scout, a, b);
    for_each([&](std::ptrdiff_t to, int l) MSHADOW_INLINE_LAMBDA { acc[to] = a[l]; });
    if constexpr (Kind::kHasAux) {
      for_each([&](std::ptrdiff_t to, int l) MSHADOW_INLINE_LAMBDA { aux[to] = b[l]; });
    }
  }

  /// A lane is a column. All vectors of a row, which may overlap, come before the next row: memory
  /// is read faster in the order of its addresses.
  MSHADOW_FORCE_INLINE void Columns() const {
    for (std::ptrdiff_t g = 0; g < all.groups; ++g) {
      if (all.m < 2 * kMinColumns) {
        Vectors<2, 4>(g);
      } else if (all.m <= kLanes) {
        Vectors<2, 8>(g);
      } else if (all.m <= 2 * kLanes) {
        Vectors<2, 16>(g);
      } else {
        Vectors<4, 16>(g);
      }
    }
  }
  template <int vectors, int lanes>
  MSHADOW_FORCE_INLINE void Vectors(std::ptrdiff_t g) const {
    const In* const from = all.from + g * all.group;
    const std::ptrdiff_t last = all.m - lanes;
    const auto column = [last](int v) MSHADOW_INLINE_LAMBDA {
      return v == vectors - 1 || v * lanes > last ? last : std::ptrdiff_t{v} * lanes;
    };
    Reduce<vectors, lanes>(
        [&](std::ptrdiff_t i, int v, int l)
            MSHADOW_INLINE_LAMBDA { return from[i * all.row + column(v) + l]; },
        [&](int v) MSHADOW_INLINE_LAMBDA { return g * all.m + column(v); }, 1);
  }

  /// A lane is a column of one of the groups g and on. Their elements are gathered once for two
  /// passes, or where shuffles of vectors gather them.
  template <typename Isa, int lanes>
  MSHADOW_FORCE_INLINE void LanePerGroup(std::ptrdiff_t g) const {
    const In* const from = all.from + g * all.group;
    const std::ptrdiff_t m = all.m;
    const auto reduce = [&](std::ptrdiff_t c, const auto& element) MSHADOW_INLINE_LAMBDA {
      Reduce<1, lanes>(element, [&](int) MSHADOW_INLINE_LAMBDA { return g * m + c; }, m);
    };
    const auto in_memory = [&](std::ptrdiff_t i, std::ptrdiff_t c, int l) MSHADOW_INLINE_LAMBDA {
      return from[l * all.group + i * all.row + c];
    };
    if constexpr (Kind::kTwoPasses || (lanes > 1 && kSquares<Isa>)) {
      constexpr std::ptrdiff_t kMost = kMaxShort * (kMinColumns - 1);
      In gathered[kMost * lanes];
      bool is_gathered = lanes > 1 && all.n * m <= kMost &&
                         Gather<Isa>(from, (all.groups - g) * all.group, gathered);
      if (Kind::kTwoPasses && !is_gathered) {
        is_gathered = true;
        for (std::ptrdiff_t i = 0; i < all.n; ++i) {
          for (std::ptrdiff_t c = 0; c < m; ++c) {
            MSHADOW_SIMD_LOOP
            for (int l = 0; l < lanes; ++l) gathered[(i * m + c) * lanes + l] = in_memory(i, c, l);
          }
        }
      }
      for (std::ptrdiff_t c = 0; is_gathered && c < m; ++c) {
        reduce(c, [&](std::ptrdiff_t i, int, int l)
                      MSHADOW_INLINE_LAMBDA { return gathered[(i * m + c) * lanes + l]; });
      }
      if (is_gathered) return;
    }
    if constexpr (!Kind::kTwoPasses) {
      for (std::ptrdiff_t c = 0; c < m; ++c) {
        reduce(c, [&](std::ptrdiff_t i, int, int l)
                      MSHADOW_INLINE_LAMBDA { return in_memory(i, c, l); });
      }
    }
  }
  /// Gathers kLanes groups without gaps in them, the first of `more` elements; false if it cannot.
  template <typename Isa>
  MSHADOW_FORCE_INLINE bool Gather([[maybe_unused]] const In* from,
                                   [[maybe_unused]] std::ptrdiff_t more,
                                   [[maybe_unused]] In* to) const {
    if constexpr (kSquares<Isa>) {
      constexpr int kSide = simd::kCopySide<Isa, In>;
      const std::ptrdiff_t n = all.n * all.m, group = all.group;
      if (all.row != all.m) return false;
      if (group > 4 || 2 * group > kSide) {
        return n > (kSide > 4 ? 4 : 2) && Squares<Isa>(from, n, more, to);
      }
      if (group < 2 || n > group || (n < group && kLanes * group >= more)) return false;
      if (group == 2) Interleaved(from, to, std::make_integer_sequence<int, 2>());
      if (group == 3) Interleaved(from, to, std::make_integer_sequence<int, 3>());
      if (group == 4) Interleaved(from, to, std::make_integer_sequence<int, 4>());
      return true;
    } else {
      return false;
    }
  }
  /// Gathers kLanes groups, i.. being the elements and gaps of one: compilers shuffle vectors.
  template <int... i>
  MSHADOW_FORCE_INLINE static void Interleaved(const In* from, In* to,
                                               std::integer_sequence<int, i...>) {
    constexpr int n = static_cast<int>(sizeof...(i));
    MSHADOW_SIMD_LOOP
    for (int l = 0; l < kLanes; ++l) ((to[i * kLanes + l] = from[l * n + i]), ...);
  }
  /// Gathers kLanes groups of n elements by squares that are transposed in registers. They may
  /// reach into the next groups: false if there are too few.
  template <typename Isa>
  MSHADOW_FORCE_INLINE bool Squares(const In* from, std::ptrdiff_t n, std::ptrdiff_t more,
                                    In* to) const {
    constexpr int kSide = simd::kCopySide<Isa, In>;
    const std::ptrdiff_t last = n < kSide ? 0 : n - kSide;
    if (n < kSide && kLanes * all.group + kSide > more) return false;
    for (std::ptrdiff_t i = 0;; i = i + kSide < last ? i + kSide : last) {
      for (int l = 0; l < kLanes; l += kSide) {
        simd::CopyTransposedBlock<Isa>(from + l * all.group + i, all.group, to + i * kLanes + l,
                                       kLanes);
      }
      if (i == last) return true;
    }
  }

  MSHADOW_FORCE_INLINE static Acc Joined(Acc a, Acc b) {
    Aux unused = 0;
    Kind::Join(&a, &unused, b, unused);
    return a;
  }
  /// window[k] = what `window`, or with `first` the elements, has at k and k + shift; with `odd`
  /// joined with the element last[k]. For k < size.
  template <bool first, bool odd>
  MSHADOW_FORCE_INLINE static void WindowPass(const In* from, Acc* window, std::ptrdiff_t shift,
                                              const In* last, std::ptrdiff_t size) {
    const In* const next = from + shift;
    const Acc* const half = window + shift;
    MSHADOW_IVDEP
    for (std::ptrdiff_t k = 0; k < size; ++k) {
      Acc lane = first ? Joined(Kind::Single(from[k]), Kind::Single(next[k]))
                       : Joined(window[k], half[k]);
      if constexpr (odd) lane = Joined(lane, Kind::Single(last[k]));
      window[k] = lane;
    }
  }
  /// Reduces n elements from every element on; takes the results where groups begin. Two windows
  /// of j elements make one of 2 j or 2 j + 1. So it takes few passes, and no gathers.
  MSHADOW_FORCE_INLINE void Windows() const {
    constexpr std::ptrdiff_t kMax = 4096 / static_cast<std::ptrdiff_t>(sizeof(Acc));
    const std::ptrdiff_t n = all.n, m = all.m, most = kMax / (n * m);
    Acc window[kMax];
    int bits = 0;
    while (n >> (bits + 1) != 0) ++bits;
    for (std::ptrdiff_t g = 0, count; g < all.groups; g += count) {
      count = all.groups - g < most ? all.groups - g : most;
      const In* const from = all.from + g * n * m;
      std::ptrdiff_t j = 1;
      for (int bit = bits - 1; bit >= 0; --bit) {
        const bool odd = (n >> bit & 1) != 0;
        const std::ptrdiff_t shift = j * m;
        const In* const last = from + 2 * shift;
        j = 2 * j + (odd ? 1 : 0);
        const std::ptrdiff_t size = (count * n - j + 1) * m;
        if (shift == m) {
          odd ? WindowPass<true, true>(from, window, shift, last, size)
              : WindowPass<true, false>(from, window, shift, last, size);
        } else {
          odd ? WindowPass<false, true>(from, window, shift, last, size)
              : WindowPass<false, false>(from, window, shift, last, size);
        }
      }
      Acc* const to = acc + g * m;
      for (std::ptrdiff_t c = 0; c < m; ++c) {
        for (std::ptrdiff_t k = 0; k < count; ++k) to[k * m + c] = window[k * n * m + c];
      }
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_GROUPS_H_
