// SPDX-License-Identifier: Apache-2.0
// Reductions on the host: to one axis, and by name over any.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_H_
#define MSHADOW_BACKEND_CPU_REDUCE_H_

#include "../../core/device.h"
#include "../../core/shape.h"
#include "reduce/in_order.h"
#include "reduce/reduce_groups.h"

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
      detail::ReduceGroups<statistic::ByReducer<Reducer, DType, Acc>>(src, groups, target.Sink());
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
      detail::ReduceGroups<Kind>(src, groups, target.Sink());
    }
  }
  /// The reduction by Kind of `src` over last axes, some results at a time.
  template <typename Kind, typename Src>
  class RowResults {
   public:
    RowResults(const Src& src, const expr::AxisGroups& groups)
        : held_(src, groups, false, Kind::kNumbers),
          source_(InCache(held_.source())),
          elements_(detail::ElementsOf<typename Kind::In>(source_)) {}
    RowResults(const RowResults&) = delete;
    /// to[i] = result begin + i; means[i], unless it is null, the mean of the same elements.
    void Compute(std::ptrdiff_t begin, std::ptrdiff_t end, typename Kind::Out* to,
                 typename Kind::Out* means) const {
      using Out = typename Kind::Out;
      detail::RunFoldRows(detail::FoldTableOf<Kind>::kTable, source_, begin, end,
                          reinterpret_cast<char*>(to), MeanFinish(),
                          reinterpret_cast<char*>(means), static_cast<int>(sizeof(Out)));
      if constexpr (statistic::kHasAgain<Kind>) {
        if (source_.groups.Reduced() == 0) return;
        for (std::ptrdiff_t r = begin; r < end; ++r) {
          to[r - begin] = detail::Checked<Kind>(to[r - begin], r, elements_);
        }
      }
      if constexpr (statistic::kGivesMean<Kind>) {
        if (means == nullptr) return;
        for (std::ptrdiff_t r = begin; r < end; ++r) {
          means[r - begin] = detail::Checked<typename Kind::MeanKind>(means[r - begin], r,
                                                                          elements_);
        }
      }
    }

   private:
    static detail::FoldReduction::Finish MeanFinish() {
      if constexpr (statistic::kGivesMean<Kind>) {
        return detail::FoldTableOf<typename Kind::MeanKind>::kFinish;
      }
      return nullptr;
    }
    static detail::FoldSource InCache(detail::FoldSource source) {
      source.isa = simd::ActiveIsa();  // what is read stays in a cache
      return source;
    }
    const detail::FoldSourceOf<typename Kind::In, Src> held_;
    const detail::FoldSource source_;
    const detail::ElementsOfResults elements_;
  };

  /// The reduction by Kind of all elements; one_axis: of an operand of one axis.
  template <typename Kind, bool one_axis, typename Src>
  static typename Kind::Out Value(const Src& src, const expr::AxisGroups& groups, Stream<cpu>*) {
    using Out = typename Kind::Out;
    Out value = Out();
    const auto put = [](void* target, const void* result, std::ptrdiff_t, std::ptrdiff_t) {
      *static_cast<Out*>(target) = *static_cast<const Out*>(result);
    };
    detail::ReduceGroups<Kind>(src, groups, {&value, put});
    return value;
  }
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_H_
