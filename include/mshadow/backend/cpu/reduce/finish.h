// SPDX-License-Identifier: Apache-2.0
// From lanes to results.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_FINISH_H_
#define MSHADOW_BACKEND_CPU_REDUCE_FINISH_H_

#include "../../../expr/plan.h"
#include "lanes.h"

namespace mshadow {
namespace detail {

/// Where results go: to `scratch` if there is one, else dst[i] Saver= scale * result.
template <typename Saver, typename Reducer, typename DType, typename Dst, typename Acc>
struct ReduceSink {
  Dst dst;
  DType scale;
  Acc* scratch;

  /// Results i.. are acc[0..n).
  MSHADOW_FORCE_INLINE void Put(const Acc* acc, std::ptrdiff_t n, std::ptrdiff_t i) const {
    if (scratch != nullptr) {
      for (std::ptrdiff_t l = 0; l < n; ++l) scratch[i + l] = acc[l];
      return;
    }
    auto row = expr::RowOf(dst, 0);
    const DType factor = scale;
    MSHADOW_IVDEP
    for (std::ptrdiff_t l = 0; l < n; ++l) {
      Saver::template Save<DType>(row.REval(i + l), Finished<Reducer, DType>(acc[l], factor));
    }
  }
};

/// How lanes become results.
enum class FinishKind {
  kColumns,  // results i + l, l < n: lanes l, l + n, l + 2 n, ..., `count` of them
  kRuns,     // results i + r, r < count: n neighbouring lanes each, n = 16, 64, 256, ...
  kShort     // as kRuns, for any n
};

template <typename Reducer, typename Acc, typename Sink>
struct FinishKernel {
  Sink sink;
  FinishKind kind;
  Acc* acc;
  std::ptrdiff_t n, count, i;

  using L = Lanes<Reducer, Acc>;

  /// Lanes across the results: for runs too short to be vectors of their own.
  MSHADOW_FORCE_INLINE static void FoldShort(Acc* acc, std::ptrdiff_t n, std::ptrdiff_t count) {
    constexpr std::ptrdiff_t kResults = 64;
    for (std::ptrdiff_t first = 0; first < count; first += kResults) {
      const std::ptrdiff_t results = count - first < kResults ? count - first : kResults;
      const Acc* const values = acc + first * n;
      Acc folded[kResults];
      for (std::ptrdiff_t r = 0; r < results; ++r) folded[r] = values[r * n];
      for (std::ptrdiff_t x = 1; x < n; ++x) {
        MSHADOW_IVDEP
        for (std::ptrdiff_t r = 0; r < results; ++r) {
          folded[r] = Reducer::Combine(folded[r], values[r * n + x]);
        }
      }
      // What is overwritten was read: first + r <= first * n + r.
      for (std::ptrdiff_t r = 0; r < results; ++r) acc[first + r] = folded[r];
    }
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    std::ptrdiff_t results = count;
    if (kind == FinishKind::kColumns) {
      results = n;
      L::Fold(acc, n, count);
    } else if (kind == FinishKind::kRuns) {
      for (std::ptrdiff_t r = 0; r < count; ++r) acc[r] = L::FoldAll(acc + r * n, n);
    } else {
      FoldShort(acc, n, count);
    }
    sink.Put(acc, results, i);
  }
};

}  // namespace detail
}  // namespace mshadow
#endif  // MSHADOW_BACKEND_CPU_REDUCE_FINISH_H_
