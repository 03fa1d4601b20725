// SPDX-License-Identifier: Apache-2.0
// The loop that reduces each row of a block: of memory, compiled once for a reduction and an
// element type, or of a plan whose elements are computed in the loop.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_ROWS_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_ROWS_H_

#include <cstddef>

#include "../../../op/statistic.h"
#include "../../../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Lanes acc[r], aux[r] get the elements of row r of a block, r < rows, and scouts[r] what its
/// first pass says. Elements are numbered from 0 in each row; cols > 0.
template <typename Kind, typename Block>
struct StatisticRowsKernel {
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  using Scout = typename Kind::Scout;
  /// From this length on a row has four vectors of lanes and more.
  static constexpr std::ptrdiff_t kLong = 256;
  static constexpr int kLanes = 16;

  Block block;
  std::ptrdiff_t rows, cols;
  Acc* acc;
  Aux* aux;
  Scout* scouts;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      const auto row = block.Row(r);
      Scout scout = Scout();
      if constexpr (Kind::kTwoPasses) {
        typename Kind::Pre::Acc sum;
        typename Kind::Pre::Aux unused;
        const std::ptrdiff_t m = Kind::SampleOf(cols);
        Pass<typename Kind::Pre, Kind::kReadsTwice>(row, m, typename Kind::Pre::Scout(), &sum,
                                                    &unused);
        scouts[r] = scout = Kind::ScoutOf(sum, m);
      }
      if constexpr (Kind::kNumbers && Kind::kTwoPasses) {
        acc[r] = Find(row, cols, scout);
      } else {
        Pass<Kind, true>(row, cols, scout, acc + r, aux + (Kind::kHasAux ? r : 0));
      }
    }
  }

 private:
  /// Row from element x on.
  template <typename Row>
  struct RowFrom {
    const Row& row;
    std::ptrdiff_t x;
    MSHADOW_FORCE_INLINE auto operator[](std::ptrdiff_t i) const { return row[x + i]; }
  };
  /// The number of the first element that is `scout`: part by part, up to the one that holds it.
  template <typename Row>
  MSHADOW_FORCE_INLINE static Acc Find(const Row& row, std::ptrdiff_t n, Scout scout) {
    constexpr std::ptrdiff_t kPart = 256;
    Acc first;
    Aux unused;
    for (std::ptrdiff_t x = 0; x < n; x += kPart) {
      const std::ptrdiff_t size = n - x < kPart ? n - x : kPart;
      Pass<Kind, false>(RowFrom<Row>{row, x}, size, scout, &first, &unused);
      if (Kind::IsFound(first)) return static_cast<Acc>(x) + first;
    }
    return first;
  }
  /// The first n elements of a row, in lanes; is_long: they may be so many as to need several
  /// vectors.
  template <typename P, bool is_long, typename Row>
  MSHADOW_FORCE_INLINE static void Pass(const Row& row, std::ptrdiff_t n, typename P::Scout scout,
                                        typename P::Acc* acc, typename P::Aux* aux) {
    using A = typename P::Acc;
    using B = typename P::Aux;
    constexpr int kFill = (P::kHasAux ? 128 : 256) / static_cast<int>(sizeof(A));
    constexpr int kMany = kFill < 32 ? 32 : kFill > 64 ? 64 : kFill;
    if (n < kLanes) {
      A one;
      B one_aux;
      P::Start(&one, &one_aux, 0);
      for (std::ptrdiff_t x = 0; x < n; ++x) {
        P::Add(&one, &one_aux, row[x], scout, static_cast<B>(x));
      }
      *acc = one;
      if constexpr (P::kHasAux) *aux = one_aux;
      return;
    }
    A a[kLanes];
    B b[kLanes];
    std::ptrdiff_t x = 0;
    if (is_long && n >= (sizeof(A) == 1 ? kMany : kLong)) {
      A many[kMany];
      B many_aux[kMany];
      Start<P, kMany>(many, many_aux);
      for (; n - x >= kMany; x += kMany) {
        MSHADOW_SIMD_LOOP_LONG
        for (int l = 0; l < kMany; ++l) {
          const B at = static_cast<B>(static_cast<B>(x) + static_cast<B>(l));
          AddTo<P>(many, many_aux, l, row[x + l], scout, at);
        }
      }
      if constexpr (kMany > 2 * kLanes) {
        A half[kMany / 2];
        B half_aux[kMany / 2];
        Fold<P, kMany / 2>(many, many_aux, half, half_aux);
        Fold<P, kLanes>(half, half_aux, a, b);
      } else {
        Fold<P, kLanes>(many, many_aux, a, b);
      }
    } else {
      Start<P, kLanes>(a, b);
    }
    for (; n - x >= kLanes; x += kLanes) {
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kLanes; ++l) {
        AddTo<P>(a, b, l, row[x + l], scout, static_cast<B>(static_cast<B>(x) + static_cast<B>(l)));
      }
    }
    if (x < n) {
      // The last vector overlaps the one before, whose elements it leaves out.
      const std::ptrdiff_t last = n - kLanes;
      const int first = static_cast<int>(x - last);
      A rest[kLanes];
      B rest_aux[kLanes];
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kLanes; ++l) {
        A lane = a[l];
        B lane_aux = B(0);
        if constexpr (P::kHasAux) lane_aux = b[l];
        P::Add(&lane, &lane_aux, row[last + l], scout,
               static_cast<B>(static_cast<B>(last) + static_cast<B>(l)));
        rest[l] = l < first ? a[l] : lane;
        if constexpr (P::kHasAux) rest_aux[l] = l < first ? b[l] : lane_aux;
      }
      FoldAll<P, kLanes>(rest, rest_aux, acc, aux);
    } else {
      FoldAll<P, kLanes>(a, b, acc, aux);
    }
  }
  template <typename P, int lanes>
  MSHADOW_FORCE_INLINE static void Start(typename P::Acc* a, typename P::Aux* b) {
    for (int l = 0; l < lanes; ++l) P::Start(&a[l], &b[l], static_cast<typename P::Aux>(l));
  }
  template <typename P, typename In>
  MSHADOW_FORCE_INLINE static void AddTo(typename P::Acc* a, typename P::Aux* b, int l, In element,
                                         typename P::Scout scout, typename P::Aux i) {
    typename P::Acc lane = a[l];
    typename P::Aux lane_aux = typename P::Aux(0);
    if constexpr (P::kHasAux) lane_aux = b[l];
    P::Add(&lane, &lane_aux, element, scout, i);
    a[l] = lane;
    if constexpr (P::kHasAux) b[l] = lane_aux;
  }
  /// Arrays of their own for half as many lanes, each of which is then a vector in a register.
  template <typename P, int half>
  MSHADOW_FORCE_INLINE static void Fold(const typename P::Acc* a, const typename P::Aux* b,
                                        typename P::Acc* to, typename P::Aux* to_aux) {
    using B = typename P::Aux;
    MSHADOW_SIMD_LOOP
    for (int l = 0; l < half; ++l) {
      typename P::Acc lane = a[l];
      B lane_aux = B(0), other_aux = B(0);
      if constexpr (P::kHasAux) {
        lane_aux = b[l];
        other_aux = b[l + half];
      }
      P::Join(&lane, &lane_aux, a[l + half], other_aux);
      to[l] = lane;
      if constexpr (P::kHasAux) to_aux[l] = lane_aux;
    }
  }
  template <typename P, int lanes>
  MSHADOW_FORCE_INLINE static void FoldAll(const typename P::Acc* a, const typename P::Aux* b,
                                           typename P::Acc* acc, typename P::Aux* aux) {
    if constexpr (lanes == 1) {
      *acc = a[0];
      if constexpr (P::kHasAux) *aux = b[0];
    } else {
      typename P::Acc half[lanes / 2];
      typename P::Aux half_aux[lanes / 2];
      Fold<P, lanes / 2>(a, b, half, half_aux);
      FoldAll<P, lanes / 2>(half, half_aux, acc, aux);
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_ROWS_H_
