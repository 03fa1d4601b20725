// SPDX-License-Identifier: Apache-2.0
// Where the results of reductions are written.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_TARGET_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_TARGET_H_

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "statistic_blocks.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// dst Saver= results, as a sink: row y, column x of dst takes result y * cols + x.
template <typename Saver, typename Out, typename Dst>
struct StatisticTarget {
  const Dst& dst;
  std::ptrdiff_t cols;

  StatisticSink<Out> Sink() {
    return {this, [](void* target, const Out* results, std::ptrdiff_t i, std::ptrdiff_t n) {
              const StatisticTarget& self = *static_cast<const StatisticTarget*>(target);
              while (n > 0) {
                const std::ptrdiff_t y = i < self.cols ? 0 : i / self.cols, x = i - y * self.cols;
                const std::ptrdiff_t count = Smaller(n, self.cols - x);
                if constexpr (std::is_same_v<Saver, sv::saveto> &&
                              expr::detail::HasPointer<expr::RowCursor<Dst>>::value) {
                  auto row = expr::RowOf(self.dst, y);
                  std::memcpy(static_cast<void*>(&row.REval(x)), results,
                              std::size_t(count) * sizeof(Out));
                } else {
                  simd::Call<StatisticTarget>(&self, results, y, x, count);
                }
                results += count;
                i += count;
                n -= count;
              }
            }};
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const StatisticTarget* self, const Out* results,
                                       std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t n) {
    auto row = expr::RowOf(self->dst, y);
    MSHADOW_IVDEP
    for (std::ptrdiff_t k = 0; k < n; ++k) Saver::template Save<Out>(row.REval(x + k), results[k]);
  }
};

/// dst[i] Saver= scale * result i, as a sink of results in the type that DType accumulates in.
template <typename Saver, typename DType, typename Dst>
struct ScaledTarget {
  using Acc = Accumulator<DType>;
  const Dst& dst;
  DType scale;

  StatisticSink<Acc> Sink() {
    return {this, [](void* target, const Acc* results, std::ptrdiff_t i, std::ptrdiff_t n) {
              simd::Call<ScaledTarget>(static_cast<const ScaledTarget*>(target), results, i, n);
            }};
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const ScaledTarget* self, const Acc* results,
                                       std::ptrdiff_t i, std::ptrdiff_t n) {
    auto row = expr::RowOf(self->dst, 0);
    const Acc scale = static_cast<Acc>(self->scale);
    MSHADOW_IVDEP
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      Saver::template Save<DType>(row.REval(i + k),
                                  static_cast<DType>(op::math::Mul(results[k], scale)));
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_TARGET_H_
