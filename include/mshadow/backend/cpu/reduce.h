// SPDX-License-Identifier: Apache-2.0
// Reductions on the host: to one axis, and by name over any.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_H_
#define MSHADOW_BACKEND_CPU_REDUCE_H_

#include "../../core/device.h"
#include "../../core/shape.h"
#include "reduce/in_order.h"
#include "reduce/statistic_images.h"
#include "reduce/statistic_target.h"

MSHADOW_NAMESPACE_BEGIN

template <>
struct ReduceExecutor<cpu> {
  /// dst[x] Saver= scale * reduction of plan(y, x) over y; shape (y, x).
  template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
  static void KeepLowest(const Dst& dst, const Src& src, const Shape<2>& shape, DType scale,
                         Stream<cpu>*) {
    InGroups<Saver, Reducer, false>(dst, src, expr::AxisGroupsOf(shape, 1u), scale);
  }

  /// dst[c] Saver= scale * reduction of plan((n keep + c) height + y, x) over n, y, x;
  /// shape (n, keep, height, width).
  template <typename Saver, typename Reducer, typename DType, typename Dst, typename Src>
  static void KeepHighDim(const Dst& dst, const Src& src, const Shape<4>& shape, DType scale,
                          Stream<cpu>*) {
    InGroups<Saver, Reducer, true>(dst, src, expr::AxisGroupsOf(shape, 0xdu), scale);
  }

 private:
  template <typename Saver, typename Reducer, bool rows, typename DType, typename Dst, typename Src>
  static void InGroups(const Dst& dst, const Src& src, const expr::AxisGroups& groups,
                       DType scale) {
    using Acc = Accumulator<DType>;
    detail::ScaledTarget<Saver, DType, Dst> target{dst, scale};
    if constexpr (red::HasCombine<Reducer, Acc>::value) {
      detail::ReduceGroups<statistic::ByReducer<Reducer, DType, Acc>, rows>(src, groups,
                                                                            target.Sink());
    } else {
      detail::ReduceInOrder<statistic::InOrder<Reducer, Acc, Acc, false>, rows>(src, groups,
                                                                                target.Sink());
    }
  }
};

/// Reductions by name on the host.
template <>
struct StatisticExecutor<cpu> {
  /// dst(y, x) Saver= reduction by Kind of what belongs to result y * cols + x; rows: the last axes
  /// are reduced; one_axis: the last one alone.
  template <typename Saver, typename Kind, bool rows, bool one_axis, typename Dst, typename Src>
  static void Axes(const Dst& dst, std::ptrdiff_t cols, const Src& src,
                   const expr::AxisGroups& groups, Stream<cpu>*) {
    // Rows of dst that follow each other are one.
    if (expr::FlatRows(dst, cols) == 0) cols = detail::Larger(1, groups.Results());
    detail::StatisticTarget<Saver, typename Kind::Out, Dst> target{dst, cols};
    if constexpr (statistic::kIsInOrder<Kind>) {
      detail::ReduceInOrder<Kind, rows>(src, groups, target.Sink());
    } else {
      using Engine = std::conditional_t<rows, Kind, statistic::ColumnsKind<Kind>>;
      detail::ReduceGroups<Engine, rows, one_axis>(src, groups, target.Sink());
    }
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

  /// The reduction by Kind of all elements; one_axis: of an operand of one axis.
  template <typename Kind, bool one_axis, typename Src>
  static typename Kind::Out Value(const Src& src, const expr::AxisGroups& groups, Stream<cpu>*) {
    using Out = typename Kind::Out;
    Out value = Out();
    const auto put = [](void* target, const Out* result, std::ptrdiff_t, std::ptrdiff_t) {
      *static_cast<Out*>(target) = *result;
    };
    const detail::StatisticSink<Out> sink{&value, put};
    detail::ReduceGroups<Kind, true, one_axis>(src, groups, sink);
    return value;
  }
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_H_
