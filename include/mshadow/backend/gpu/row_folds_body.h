// SPDX-License-Identifier: Apache-2.0
// What the threads of a row do in statements that reduce rows and use the results in the same rows:
// they reduce it as often as the statement asks, and compute what is written while a cache still
// holds the row.
#ifndef MSHADOW_BACKEND_GPU_ROW_FOLDS_BODY_H_
#define MSHADOW_BACKEND_GPU_ROW_FOLDS_BODY_H_

#include <cstddef>
#include <type_traits>

#include "../../extension/reduction.h"
#include "map_body.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// The Kind of a reduction by name.
template <typename E>
struct KindOf;
template <template <typename> class K, typename SrcExp, typename DType, int dim, unsigned mask>
struct KindOf<expr::ReductionExp<K, SrcExp, DType, dim, mask>> {
  using Type = K<DType>;
};

/// What the threads of a row do for the reduction E: results[y] is that of row y, of `cols`
/// elements, where `join` rows of the plan make one.
template <typename E>
struct RowFold {
  using Kind = typename KindOf<E>::Type;
  using Part = typename Kind::Part;
  using Src = expr::PlanOf<decltype(E::src_)>;
  using DType = expr::ElementOfPlan<Src>;
  using From = std::decay_t<expr::RowCursor<Src>>;
  static constexpr bool kPacked = sizeof(DType) < 16 && expr::kPacksOf<From>;
  static constexpr int kWidth = kPacked ? 16 / static_cast<int>(sizeof(DType)) : 1;
  /// True if a lane holds the elements of one block: of two passes, or that are numbered.
  static constexpr bool kInBlocks = Kind::kReadsTwice || Kind::kNumbers;
  /// Elements that a thread loads before it adds the first.
  static constexpr int kItems = kPacked && sizeof(DType) <= 4 ? 16 : 8;
  using Out = typename Kind::Out;

  Src src;
  Out* results;
  Out* means = nullptr;  // where the means go that Kind gives as well
  bool is_new;           // false: another fold computes it

  template <typename Memory>
  RowFold(const E& e, Memory* memory) : src(expr::MakePlan(e.src_)) {
    results = memory->template Reserve<E, Out>(e, &is_new).dptr_;
  }

  /// Gives the means that `other`, beside it, would compute.
  template <typename Other>
  void TakePlaceOf(Other* other) {
    if (!is_new || !other->is_new) return;
    means = other->results;
    other->is_new = false;
  }
  /// Thread t of `threads`: its part of row y. (Few enough elements for one lane: a row has at most
  /// some hundreds for each thread.)
  MSHADOW_XINLINE Part Of(std::ptrdiff_t y, std::ptrdiff_t join, NarrowIndex cols, NarrowIndex t,
                          NarrowIndex threads) const {
    const From from = expr::RowOf(src, y * join);
    Lane lane;
    Part part;
    NarrowIndex first = 0;
    if constexpr (kWidth > 1) {
      // All threads of a row take the same way.
      if (expr::PacksAligned<kWidth>(from, 0)) {
        const NarrowIndex packs = cols / kWidth;
        Add<kWidth>(from, 0, packs, t, threads, &lane, &part);
        first = packs * kWidth;
      }
    }
    Add<1>(from, first, cols - first, t, threads, &lane, &part);
    if (!kInBlocks && lane.count > 0) part = lane.AsPart(0);
    return part;
  }
  MSHADOW_XINLINE void Put(std::ptrdiff_t y, NarrowIndex cols, const Part& part) const {
    results[y] = Kind::Finish(part, WideIndex(cols));
    if constexpr (statistic::kGivesMean<Kind>) {
      if (means != nullptr) means[y] = Kind::MeanKind::Finish(part, WideIndex(cols));
    }
  }

 private:
  /// Elements of a thread.
  struct Lane {
    typename Kind::Acc acc = typename Kind::Acc(0);
    typename Kind::Aux aux = typename Kind::Aux(0);
    typename Kind::Scout scout = typename Kind::Scout();
    NarrowIndex count = 0;
    MSHADOW_XINLINE Lane() { Kind::Start(&acc, &aux, typename Kind::Aux(0)); }
    MSHADOW_XINLINE Part AsPart(NarrowIndex first) const {
      Part part;
      part.First(acc, aux, scout, WideIndex(count), WideIndex(first));
      return part;
    }
  };

  /// Adds packs t, t + threads, .. of `count` packs of W from element `first` on.
  template <int W>
  MSHADOW_XINLINE static void Add(const From& from, NarrowIndex first, NarrowIndex count,
                                  NarrowIndex t, NarrowIndex threads, Lane* lane, Part* part) {
    constexpr int kPacks = kItems / W;
    for (NarrowIndex p = t; p < count; p += kPacks * threads) {
      expr::Pack<DType, W> pack[kPacks];
      // All loads come before all that waits; beyond the last pack it is loaded again.
      for (int u = 0; u < kPacks; ++u) {
        const NarrowIndex at = p + u * threads, last = count - 1;
        const std::ptrdiff_t x = WideIndex(first + (u == 0 || at < last ? at : last) * W);
        if constexpr (W > 1) {
          pack[u] = expr::EvalPack<W>(from, x);
        } else {
          pack[u].item[0] = from.Eval(x);
        }
      }
      const NarrowIndex rest = (count - p + threads - 1) / threads;
      AddPacks<W>(pack, rest < kPacks ? rest : kPacks, threads * W, lane);
      if constexpr (kInBlocks) {
        part->Merge(lane->AsPart(first + p * W));
        *lane = Lane();
      }
    }
  }
  /// Adds `count` packs, whose numbers are `step` apart.
  template <int W, int kPacks>
  MSHADOW_XINLINE static void AddPacks(const expr::Pack<DType, W> (&pack)[kPacks], int count,
                                       NarrowIndex step, Lane* lane) {
    using In = typename Kind::In;
    using Aux = typename Kind::Aux;
    if constexpr (Kind::kTwoPasses) {
      if (lane->count == 0) {
        using Pre = typename Kind::Pre;
        typename Pre::Acc sum;
        typename Pre::Aux unused = 0;
        Pre::Start(&sum, &unused, 0);
        for (int u = 0; u < kPacks; ++u) {
          for (int i = 0; i < W && u < count; ++i) {
            Pre::Add(&sum, &unused, static_cast<In>(pack[u].item[i]), typename Pre::Scout(), 0);
          }
        }
        lane->scout = Kind::ScoutOf(sum, count * W);
      }
    }
    for (int u = 0; u < kPacks; ++u) {
      for (int i = 0; i < W && u < count; ++i) {
        const Aux number = Kind::kNumbers ? static_cast<Aux>(u * step + i) : Aux(0);
        Kind::Add(&lane->acc, &lane->aux, static_cast<In>(pack[u].item[i]), lane->scout, number);
      }
    }
    lane->count += count * W;
  }
};

/// True if the totals of V say what the results of M are, the means of what may be the same.
template <typename V, typename M>
struct GivesMeans : std::false_type {};
template <template <typename> class K, typename SrcExp, typename DType, int dim, unsigned mask>
struct GivesMeans<expr::ReductionExp<K, SrcExp, DType, dim, mask>,
                  expr::ReductionExp<statistic::Mean, SrcExp, DType, dim, mask>>
    : std::bool_constant<statistic::kGivesMean<K<DType>>> {};

/// The folds of a statement, in their order.
template <typename List>
struct RowFolds;
template <>
struct RowFolds<expr::detail::TypeList<>> {
  static constexpr int kCount = 0, kPartBytes = 1;
  template <typename Memory>
  RowFolds(const expr::detail::OperandId*, Memory*) {}
  std::ptrdiff_t Join(std::ptrdiff_t, std::ptrdiff_t join) const { return join; }
};
template <typename E, typename... Rest>
struct RowFolds<expr::detail::TypeList<E, Rest...>> {
  using Node = E;
  using First = RowFold<E>;
  using Others = RowFolds<expr::detail::TypeList<Rest...>>;
  static constexpr int kCount = 1 + sizeof...(Rest);
  /// The most bytes of a Part.
  static constexpr int kPartBytes =
      static_cast<int>(sizeof(typename First::Part)) > Others::kPartBytes
          ? static_cast<int>(sizeof(typename First::Part))
          : Others::kPartBytes;
  First first;
  Others rest;
  /// place[i] is the node of fold i.
  template <typename Memory>
  RowFolds(const expr::detail::OperandId* place, Memory* memory)
      : first(NodeAt(place), memory), rest(place + 1, memory) {
    if constexpr (sizeof...(Rest) > 0) {
      using Next = typename Others::Node;
      constexpr bool kGives = GivesMeans<E, Next>::value, kTakes = GivesMeans<Next, E>::value;
      if constexpr (kGives || kTakes) {
        if (expr::detail::IsSame(NodeAt(place).src_, Others::NodeAt(place + 1).src_)) {
          if constexpr (kGives) first.TakePlaceOf(&rest.first);
          if constexpr (kTakes) rest.first.TakePlaceOf(&first);
        }
      }
    }
  }
  static const E& NodeAt(const expr::detail::OperandId* place) {
    return *static_cast<const E*>(place->address);
  }
  /// How many rows of `cols` may be joined, of `join`.
  std::ptrdiff_t Join(std::ptrdiff_t cols, std::ptrdiff_t join) const {
    return rest.Join(cols, expr::Gcd(expr::FlatRows(first.src, cols), join));
  }
};

/// The statement dst(y, x) Saver= src(y, x) with its folds.
template <typename Saver, typename DType, typename Dst, typename Src, typename Folds>
struct RowFoldsBody {
  MapBody<Saver, DType, Dst, Src, NarrowIndex> map;
  Folds folds;

  MSHADOW_XINLINE NarrowIndex rows() const { return map.rows; }
  /// When all results of row y are there: thread t of `threads` writes its part.
  MSHADOW_XINLINE void Write(NarrowIndex y, NarrowIndex t, NarrowIndex threads) const {
    constexpr int W = decltype(map)::kWidth;
    if constexpr (W > 1) {
      const NarrowIndex head = map.template PackedFrom<W>(y);
      if (head < map.cols) return map.template Row<W>(y, head, t, threads);
    }
    map.template Row<1>(y, 0, t, threads);
  }
};

#ifdef __CUDACC__

/// part with those of the other lanes of each `lanes` neighbours of a warp, in a fixed order; the
/// first of them gets it.
template <typename Part>
__device__ __forceinline__ void MergeLanes(Part* part, int lanes) {
  constexpr int kWords = static_cast<int>((sizeof(Part) + 3) / 4);
  for (int step = lanes / 2; step > 0; step /= 2) {
    unsigned word[kWords] = {};
    memcpy(word, part, sizeof(Part));
#pragma unroll
    for (int i = 0; i < kWords; ++i) word[i] = __shfl_down_sync(~0u, word[i], step, lanes);
    Part other;
    memcpy(&other, word, sizeof(Part));
    part->Merge(other);
  }
}

/// Results of row y, of all folds in turn, by the blockDim.x threads of a row: lanes of a warp, or
/// a block. is_row: there is such a row.
template <typename Folds>
__device__ __forceinline__ void FoldRow(const Folds& folds, NarrowIndex y, bool is_row,
                                        std::ptrdiff_t join, NarrowIndex cols,
                                        unsigned char* shared) {
  if constexpr (Folds::kCount > 0) {
    if (folds.first.is_new) {
      using Part = typename Folds::First::Part;
      const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
      Part part = folds.first.Of(WideIndex(y), join, is_row ? cols : 0, t, threads);
      MergeLanes(&part, threads < 32 ? threads : 32);
      if (threads > 32) {
        Part* const of_warp = reinterpret_cast<Part*>(shared);
        if (t % 32 == 0) of_warp[t / 32] = part;
        __syncthreads();
        if (t < 32) {
          part = t < threads / 32 ? of_warp[t] : Part();
          MergeLanes(&part, 32);
        }
      }
      if (t == 0 && is_row) folds.first.Put(WideIndex(y), cols, part);
      if (threads > 32) {
        __syncthreads();
      } else {
        __syncwarp();
      }
    }
    FoldRow(folds.rest, y, is_row, join, cols, shared);
  }
}

template <typename Body, typename Folds>
__global__ void __launch_bounds__(1024) RowFoldsKernel(const __grid_constant__ Body body) {
  __shared__ alignas(16) unsigned char shared[32 * Folds::kPartBytes];
  const NarrowIndex rows = body.rows(), step = static_cast<NarrowIndex>(gridDim.x * blockDim.y);
  for (NarrowIndex first = static_cast<NarrowIndex>(blockIdx.x * blockDim.y); first < rows;
       first += step) {
    const NarrowIndex y = first + static_cast<NarrowIndex>(threadIdx.y);
    const bool is_row = y < rows;
    FoldRow(body.folds, is_row ? y : rows - 1, is_row, body.map.join, body.map.cols, shared);
    if (!is_row) continue;
    body.Write(y, static_cast<NarrowIndex>(threadIdx.x), static_cast<NarrowIndex>(blockDim.x));
  }
}

#endif  // __CUDACC__

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_ROW_FOLDS_BODY_H_
