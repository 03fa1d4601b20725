// SPDX-License-Identifier: Apache-2.0
// Reductions on the host: to one axis, and by name over any.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_H_
#define MSHADOW_BACKEND_CPU_REDUCE_H_

#include "../../core/device.h"
#include "../../core/shape.h"
#include "reduce/in_order.h"
#include "reduce/reduction.h"
#include "reduce/statistic.h"

MSHADOW_NAMESPACE_BEGIN

template <>
struct ReduceExecutor<cpu> {
  /// dst[x] Saver= scale * reduction of plan(y, x) over y; shape (y, x).
  template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
  static void KeepLowest(const Dst& dst, const Src& src, const Shape<2>& shape, DType scale,
                         Stream<cpu>*) {
    const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[0]);
    const std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[1]);
    if (cols == 0) return;
    using Acc = Accumulator<DType>;
    if constexpr (detail::HasCombine<Reducer, Acc>::value) {
      detail::ReduceTarget<Saver, Reducer, DType, Dst> target{dst, scale};
      const auto source = detail::MakeReduceSource<Reducer, Acc, true, false>(src, rows, cols);
      detail::Reduction<Reducer, Acc>(target.Sink()).Columns(source, rows, cols);
    } else {
      InOrder<Saver, Reducer>(dst, src, true, rows, cols, 1, 1, scale);
    }
  }

  /// dst[c] Saver= scale * reduction of plan((n keep + c) height + y, x) over n, y, x;
  /// shape (n, keep, height, width).
  template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
  static void KeepHighDim(const Dst& dst, const Src& src, const Shape<4>& shape, DType scale,
                          Stream<cpu>*) {
    const std::ptrdiff_t outer = static_cast<std::ptrdiff_t>(shape[0]);
    const std::ptrdiff_t keep = static_cast<std::ptrdiff_t>(shape[1]);
    const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[2]);
    const std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[3]);
    if (keep == 0) return;
    using Acc = Accumulator<DType>;
    if constexpr (detail::HasCombine<Reducer, Acc>::value) {
      detail::ReduceTarget<Saver, Reducer, DType, Dst> target{dst, scale};
      const detail::Reduction<Reducer, Acc> reduction(target.Sink());
      const auto source = detail::MakeReduceSource<Reducer, Acc>(src, outer * keep * rows, cols);
      if (outer == 0 || rows == 0 || cols == 0) {
        reduction.Columns(source, 0, keep);
      } else {
        reduction.Runs(source, outer, keep, rows, cols);
      }
    } else {
      InOrder<Saver, Reducer>(dst, src, false, outer, keep, rows, cols, scale);
    }
  }

 private:
  template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
  static void InOrder(const Dst& dst, const Src& src, bool keep_lowest, std::ptrdiff_t outer,
                      std::ptrdiff_t keep, std::ptrdiff_t rows, std::ptrdiff_t cols, DType scale) {
    using Kernel =
        detail::InOrderKernel<Saver, Reducer, Accumulator<DType>, DType, Dst, Src>;
    // The rows of a result become one where they lie in one.
    const bool flat = !keep_lowest && expr::FlatRows(src, cols) == 0;
    if (flat && keep == 1) {
      rows *= outer;
      outer = 1;
    }
    if (flat) {
      cols *= rows;
      rows = rows > 0 ? 1 : 0;
    }
    const std::ptrdiff_t tasks = (keep + Kernel::kBlock - 1) / Kernel::kBlock;
    detail::RunTasks(tasks, outer * rows * cols * (keep / tasks), 1 + expr::kCostOf<Src>,
                     [&](std::ptrdiff_t task) {
                       const std::ptrdiff_t begin = task * Kernel::kBlock;
                       const std::ptrdiff_t end = begin + Kernel::kBlock;
                       simd::Dispatch(Kernel{dst, src, scale, keep_lowest, flat, outer, keep, rows,
                                             cols, begin, end < keep ? end : keep});
                     });
  }
};

/// Reductions by name on the host.
template <>
struct StatisticExecutor<cpu> {
  /// dst(y, x) Saver= reduction by Kind of what belongs to result y * cols + x; rows: the last axes
  /// are reduced.
  template <typename Saver, typename Kind, bool rows, typename Dst, typename Src>
  static void Axes(const Dst& dst, std::ptrdiff_t cols, const Src& src,
                   const expr::AxisGroups& groups, Stream<cpu>*) {
    detail::StatisticTarget<Saver, typename Kind::Out, Dst> target{dst, cols};
    const auto source = detail::StatisticSourceOf<Kind, rows, Src>::Make(
        src, groups.Results() * groups.Reduced(), groups.cols);
    detail::StatisticReduction<Kind, rows>(source, groups, target.Sink()).Run();
  }
  /// The reduction by Kind of `src` over last axes, some results at a time.
  template <typename Kind, typename Src>
  class RowResults {
   public:
    RowResults(const Src& src, const expr::AxisGroups& groups)
        : groups_(groups),
          source_(detail::StatisticSourceOf<Kind, true, Src>::Make(
              src, groups.Results() * groups.Reduced(), groups.cols)),
          reduction_(source_, groups_, {nullptr, nullptr}) {
      source_.isa = simd::ActiveIsa();  // what is read stays in a cache
    }
    RowResults(const RowResults&) = delete;
    /// to[i] = result begin + i; means[i], unless it is null, the mean of the same elements.
    void Compute(std::ptrdiff_t begin, std::ptrdiff_t end, typename Kind::Out* to,
                 typename Kind::Out* means) const {
      reduction_.RunRows(begin, end, to, means);
    }

   private:
    const expr::AxisGroups groups_;
    detail::StatisticSource<Kind> source_;
    const detail::StatisticReduction<Kind, true> reduction_;
  };

  /// The reduction by Kind of all elements.
  template <typename Kind, typename Src>
  static typename Kind::Out Value(const Src& src, const expr::AxisGroups& groups, Stream<cpu>*) {
    using Out = typename Kind::Out;
    const auto source =
        detail::StatisticSourceOf<Kind, true, Src>::Make(src, groups.Reduced(), groups.cols);
    Out value = Out();
    const auto put = [](void* target, const Out* result, std::ptrdiff_t, std::ptrdiff_t) {
      *static_cast<Out*>(target) = *result;
    };
    detail::StatisticReduction<Kind, true>(source, groups, {&value, put}).Run();
    return value;
  }
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_H_
