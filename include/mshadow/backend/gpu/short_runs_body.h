// SPDX-License-Identifier: Apache-2.0
// Reductions of short rows: threads that took a row each would read memory in strides. Here a block
// reads many rows as they lie in memory, and its threads reduce them from shared memory.
#ifndef MSHADOW_BACKEND_GPU_SHORT_RUNS_BODY_H_
#define MSHADOW_BACKEND_GPU_SHORT_RUNS_BODY_H_

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../../expr/plan/pack.h"
#include "../../expr/plan/plan.h"
#include "../../op/reducer_traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// The plan whose elements are reduced, and what one of them is as an accumulator, `number` being
/// its place in the result: the plan itself, or what a reduction by name says.
template <typename Acc, typename Src, typename = void>
struct SourceOf {
  using Plan = Src;
  static bool Exists(const Src&) { return true; }
  static const Plan& Of(const Src& src) { return src; }
  template <typename DType>
  MSHADOW_XINLINE static Acc Lift(DType element, std::ptrdiff_t) {
    return static_cast<Acc>(element);
  }
};
template <typename Acc, typename Src>
struct SourceOf<Acc, Src, std::void_t<typename Src::State>> {
  using Plan = std::decay_t<decltype(std::declval<const Src&>().source())>;
  static bool Exists(const Src& src) { return src.IsSource(); }
  static const Plan& Of(const Src& src) { return src.source(); }
  template <typename DType>
  MSHADOW_XINLINE static Acc Lift(DType element, std::ptrdiff_t number) {
    return Src::Lift(element, number);
  }
};

/// Short runs: result c is the reduction of the `length` elements from c * length on of one long
/// row. A block takes `runs` of them: its threads read these in packs as they lie in memory, then
/// each thread reduces whole runs.
template <typename Reducer, typename Acc, typename Src>
struct ShortRunsBody {
  using Source = SourceOf<Acc, Src>;
  using Plan = typename Source::Plan;
  using DType = expr::ElementOfPlan<Plan>;
  using From = std::decay_t<expr::RowCursor<Plan>>;
  static constexpr int kBytes = 16 << 10, kSize = static_cast<int>(sizeof(DType));
  static constexpr bool kPacked = kSize < 16 && expr::kPacksOf<From>;
  static constexpr int kWidth = kPacked ? 16 / kSize : 1;
  static constexpr int kItems = kBytes / kSize;
  static constexpr std::ptrdiff_t kMaxLength = 256;
  // Elements of a word of shared memory, and of its 32 banks. A word is left out after each 32, so
  // that runs of a power of two do not begin in one bank.
  static constexpr int kWord = kSize < 4 ? 4 / kSize : 1;
  static constexpr int kLine = kSize < 128 ? 128 / kSize : 1;
  static constexpr int kTile = kItems + kItems / kLine * kWord;  // elements of memory

  Plan src;
  std::ptrdiff_t keep;
  int length, runs;

  /// True if the elements of a result are neighbours in one long row, and few.
  static bool Takes(const Src& src, std::ptrdiff_t outer, std::ptrdiff_t rows,
                    std::ptrdiff_t cols) {
    const std::ptrdiff_t length = rows * cols;
    return kItems >= kMaxLength * kWidth && outer == 1 && 0 < length && length <= kMaxLength &&
           Source::Exists(src) && expr::IsFlat(Source::Of(src), cols);
  }
  ShortRunsBody(const Src& source, std::ptrdiff_t results, std::ptrdiff_t elements)
      : src(Source::Of(source)),
        keep(results),
        length(static_cast<int>(elements)),
        runs(kItems / length / kWidth * kWidth) {}
  std::ptrdiff_t Blocks() const { return (keep + runs - 1) / runs; }
  /// How many runs block `b` has.
  MSHADOW_XINLINE int RunsOf(std::ptrdiff_t b) const {
    return keep - b * runs < runs ? static_cast<int>(keep - b * runs) : runs;
  }

  /// Thread t of `threads` reads its part of the elements of block b.
  MSHADOW_XINLINE void Load(DType* tile, std::ptrdiff_t b, int t, int threads) const {
    const From from = expr::RowOf(src, 0);
    const std::ptrdiff_t begin = b * runs * length;
    const int count = RunsOf(b) * length;
    int packed = 0;
    if constexpr (kWidth > 1) {
      if (expr::PacksAligned<kWidth>(from, begin)) {
        packed = count / kWidth * kWidth;
        LoadPacks<kWidth>(from, tile, begin, 0, packed / kWidth, t, threads);
      }
    }
    LoadPacks<1>(from, tile, begin, packed, count - packed, t, threads);
  }
  /// Run i of the block.
  MSHADOW_XINLINE Acc operator()(const DType* tile, int i) const {
    Acc acc = red::InitValue<Reducer, Acc>();
    for (int k = 0; k < length; ++k) {
      acc = Reducer::Combine(acc, Source::Lift(tile[At(i * length + k)], k));
    }
    return acc;
  }

 private:
  MSHADOW_XINLINE static int At(int i) { return i + i / kLine * kWord; }

  template <int W>
  MSHADOW_XINLINE static void LoadPacks(const From& from, DType* tile, std::ptrdiff_t begin,
                                        int first, int count, int t, int threads) {
    constexpr int kUnroll = W > 1 ? 4 : 8, kPart = W > kWord ? kWord : W;
    using Part = expr::Pack<DType, kPart>;
    for (int p = t; p < count; p += kUnroll * threads) {
      expr::Pack<DType, W> pack[kUnroll];
      for (int u = 0; u < kUnroll; ++u) {
        const int at = p + u * threads, last = count - 1;
        const std::ptrdiff_t x = begin + first + (at < last ? at : last) * W;
        if constexpr (W > 1) {
          pack[u] = expr::EvalPack<W>(from, x);
        } else {
          pack[u].item[0] = from.Eval(x);
        }
      }
      for (int u = 0; u < kUnroll; ++u) {
        if (p + u * threads >= count) return;
        for (int k = 0; k < W; k += kPart) {
          Part part;
          memcpy(static_cast<void*>(&part), pack[u].item + k, sizeof(part));
          expr::StorePack(
              reinterpret_cast<Part*>(tile + At(first + (p + u * threads) * W + k)), part);
        }
      }
    }
  }
};

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_SHORT_RUNS_BODY_H_
