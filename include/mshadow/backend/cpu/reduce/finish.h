// SPDX-License-Identifier: Apache-2.0
// From lanes to results.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_FINISH_H_
#define MSHADOW_BACKEND_CPU_REDUCE_FINISH_H_

#include <cstddef>

#include "../../../expr/plan.h"
#include "../../../expr/row_lanes.h"
#include "../../../expr/short_segments.h"
#include "lanes.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Where the results of a reduction go: put(target, acc, n, i) takes results i, ..., i + n - 1 from
/// acc[0..n). No type of the statement is in it, so what is before it is compiled once for all
/// statements of a reducer and an accumulator.
template <typename Acc>
struct ReduceSink {
  void* target;
  void (*put)(void* target, const Acc* acc, std::ptrdiff_t n, std::ptrdiff_t i);
};

/// The sink memory[i] = result.
template <typename Acc>
inline ReduceSink<Acc> PartialSink(Acc* memory) {
  return {memory, [](void* target, const Acc* acc, std::ptrdiff_t n, std::ptrdiff_t i) {
            Acc* const to = static_cast<Acc*>(target) + i;
            for (std::ptrdiff_t l = 0; l < n; ++l) to[l] = acc[l];
          }};
}

/// dst[i] Saver= scale * (the last step of Reducer on the result), as a sink.
template <typename Saver, typename Reducer, typename DType, typename Dst>
struct ReduceTarget {
  using Acc = Accumulator<DType>;
  Dst dst;
  DType scale;

  ReduceSink<Acc> Sink() {
    return {this, [](void* target, const Acc* acc, std::ptrdiff_t n, std::ptrdiff_t i) {
              simd::Call<ReduceTarget>(static_cast<const ReduceTarget*>(target), acc, n, i);
            }};
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const ReduceTarget* target, const Acc* acc,
                                       std::ptrdiff_t n, std::ptrdiff_t i) {
    auto row = expr::RowOf(target->dst, 0);
    const DType factor = target->scale;
    MSHADOW_IVDEP
    for (std::ptrdiff_t l = 0; l < n; ++l) {
      Saver::template Save<DType>(row.REval(i + l), Finished<Reducer, DType>(acc[l], factor));
    }
  }
};

/// How lanes become results.
enum class FinishKind {
  kColumns,  // results l < n: lanes l, l + n, l + 2 n, ..., `count` of them
  kRuns,     // results r < count: n neighbouring lanes each, n = 16, 64, 256, ...
  kShort     // as kRuns, for any n
};

/// Makes results of lanes; they are then the first elements of `acc`.
template <typename Reducer, typename Acc>
struct FinishKernel {
  FinishKind kind;
  Acc* acc;
  std::ptrdiff_t n, count;

  using L = Lanes<Reducer, Acc>;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    if (kind == FinishKind::kColumns) {
      L::Fold(acc, n, count);
    } else if (kind == FinishKind::kRuns) {
      for (std::ptrdiff_t r = 0; r < count; ++r) acc[r] = L::FoldAll(acc + r * n, n);
    } else if (n > kMaxInLanes) {
      for (std::ptrdiff_t r = 0; r < count; ++r) {
        L::Fold(acc + r * n, 1, n);
        acc[r] = acc[r * n];
      }
    } else if (n >= kMinLanes) {
      for (std::ptrdiff_t r = 0; r < count; ++r) acc[r] = FoldInLanes(acc + r * n);
    } else {
      expr::detail::ShortSegments<Reducer, Acc>::LanePerSegment(acc, n, 1, count, acc);
    }
  }

 private:
  /// From this length of a run on, vectors are made of its elements.
  static constexpr std::ptrdiff_t kMinLanes = 24;
  /// Beyond this length so many elements meet in a lane that rounding errors grow.
  static constexpr std::ptrdiff_t kMaxInLanes = 512;

  MSHADOW_FORCE_INLINE Acc FoldInLanes(const Acc* run) const {
    constexpr int kLanes = 16;
    Acc lane[kLanes];
    MSHADOW_SIMD_LOOP
    for (int l = 0; l < kLanes; ++l) lane[l] = run[l];
    return expr::detail::ReduceInLanes<kLanes>(
        lane, kLanes, n, [run](std::ptrdiff_t x) MSHADOW_INLINE_LAMBDA { return run[x]; },
        [](Acc a, Acc b) MSHADOW_INLINE_LAMBDA { return Reducer::Combine(a, b); });
  }
};

/// Folds the lanes and hands the results to the sink, which takes them as results i, i + 1, ...
template <typename Reducer, typename Acc>
inline void Finish(const ReduceSink<Acc>& sink, FinishKind kind, Acc* acc, std::ptrdiff_t n,
                   std::ptrdiff_t count, std::ptrdiff_t i) {
  simd::Dispatch(FinishKernel<Reducer, Acc>{kind, acc, n, count});
  sink.put(sink.target, acc, kind == FinishKind::kColumns ? n : count, i);
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_FINISH_H_
