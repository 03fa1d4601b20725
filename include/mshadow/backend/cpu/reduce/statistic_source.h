// SPDX-License-Identifier: Apache-2.0
// What a reduction by name is of: a plan without its type, and the functions that add its blocks.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_SOURCE_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_SOURCE_H_

#include <cstddef>
#include <type_traits>

#include "../../../expr/long_sum.h"
#include "../half_rows.h"
#include "source.h"
#include "statistic_kernel.h"
#include "tasks.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// A block of a plan: element (r, i) is (y + r * step, x + i), r < rows, i < cols. `flat` >= 0: all
/// of them follow each other, from element `flat` of row 0 on; step 0: only this says where.
struct StatisticRegion {
  std::ptrdiff_t y, step, rows, x, cols, flat;
};

/// The most rows or columns that a block is reduced to.
constexpr std::ptrdiff_t kMaxStatisticLanes = 1024;

template <typename Kind>
struct StatisticSource {
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  using Scout = typename Kind::Scout;
  const void* plan;
  simd::Isa isa;
  std::ptrdiff_t join;  // expr::FlatRows
  int cost;
  /// The most elements of a block along what is reduced, and along what is kept: so few that a lane
  /// of floats keeps its digits, and that what is read twice stays in a cache.
  std::ptrdiff_t reduced, kept;
  /// Reduces a block: lanes acc[k], aux[k] and scouts[k] get row, or column, k.
  void (*add)(const StatisticSource* source, const StatisticRegion& region, Acc* acc, Aux* aux,
              Scout* scouts);
};

/// Computes a block: to[r * cols + i] = element (y + r * step, x + i).
template <typename In, typename Src>
struct StatisticFillKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const Src* src, In* to, std::ptrdiff_t y,
                                       std::ptrdiff_t step, std::ptrdiff_t rows, std::ptrdiff_t x,
                                       std::ptrdiff_t cols) {
    for (std::ptrdiff_t r = 0; r < rows; ++r, to += cols, y += step) {
      const auto row = expr::RowOf(*src, y);
      if constexpr (kAddsLanes<In, std::decay_t<decltype(row)>> &&
                    Isa::kIsa != simd::Isa::kBaseline) {
        std::ptrdiff_t i = 0;
        for (; i + simd::kHalfLanes <= cols; i += simd::kHalfLanes) {
          RoundedLanes(row, x + i, to + i);
        }
        for (; i < cols; ++i) to[i] = static_cast<In>(row.Eval(x + i));
      } else {
        expr::detail::WriteShortRow(row, x, x + cols, to);
      }
    }
  }
};

/// Makes sources of plans of type Src; rows: rows of a block are reduced, otherwise its columns.
template <typename Kind, bool rows, typename Src>
class StatisticSourceOf {
  using Source = StatisticSource<Kind>;
  using Region = StatisticRegion;
  using In = typename Kind::In;
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  using Scout = typename Kind::Scout;
  using RowCursor = expr::RowCursor<Src>;
  static constexpr bool kInMemory = std::is_same_v<expr::ElementOfPlan<Src>, In> &&
                                    expr::detail::HasRowStride<Src>::value &&
                                    expr::detail::HasPointer<RowCursor>::value;
  /// True if elements are computed in the loop that adds them.
  static constexpr bool kFused = !kInMemory && !Kind::kReadsTwice && expr::kPlainOf<RowCursor> &&
                                 !expr::kTransposedOf<Src> && !kAddsLanes<In, RowCursor>;
  static constexpr std::ptrdiff_t kSize = sizeof(In);
  /// Elements of a buffer; and of a block of columns that is read twice, from a second-level cache.
  static constexpr std::ptrdiff_t kBuffer = (Kind::kReadsTwice && !rows ? 65536 : 16384) / kSize;
  static constexpr std::ptrdiff_t kTwice = 262144 / kSize;

 public:
  static Source Make(const Src& src, std::ptrdiff_t elements, std::ptrdiff_t cols) {
    Source source{&src, simd::ActiveIsa(), expr::FlatRows(src, cols), 1 + expr::kCostOf<Src>,
                  8192, kMaxStatisticLanes, Add};
    if constexpr (expr::kCostOf<Src> < kExpensiveCost && !expr::kTransposedOf<Src> &&
                  !Kind::kReadsTwice) {
      source.isa = IsaForReduction(elements, elements * expr::ReadsOf(src) * kSize);
    }
    constexpr bool kFilled = !kInMemory && !kFused;
    if constexpr (rows) {
      if constexpr (kFilled) source.reduced = kBuffer;
    } else {
      source.reduced = red::kSumBlock;
      if constexpr (Kind::kReadsTwice) {
        source.kept = 128;
        source.reduced = Smaller(source.reduced, (kFilled ? kBuffer : kTwice) / source.kept);
      } else if constexpr (kFilled) {
        source.kept = 256;
      }
    }
    // In a plan that transposes, neighbours in memory are in different rows: blocks are squares.
    if constexpr (expr::kTransposedOf<Src>) (rows ? source.reduced : source.kept) = 64;
    return source;
  }

 private:
  static const Src& PlanOf(const Source* source) { return *static_cast<const Src*>(source->plan); }
  static auto BlockAt(const Source* source, const Region& region) {
    if constexpr (kInMemory) {
      const std::ptrdiff_t stride = PlanOf(source).RowStride();
      return BlockInMemory<In>{expr::RowOf(PlanOf(source), region.y).Pointer(region.x),
                               region.step == 0 ? region.cols : region.step * stride};
    } else {
      return BlockOfPlan<In, Src>{&PlanOf(source), region.y, region.step, region.x,
                                  region.step == 0 ? region.cols : 0};
    }
  }
  static void Fill(const Source* source, const Region& region, In* to) {
    const std::ptrdiff_t n = region.rows * region.cols;
    if (region.flat >= 0) {
      simd::Call<StatisticFillKernel<In, Src>>(&PlanOf(source), to, std::ptrdiff_t{0},
                                               std::ptrdiff_t{0}, std::ptrdiff_t{1}, region.flat, n);
    } else {
      simd::Call<StatisticFillKernel<In, Src>>(&PlanOf(source), to, region.y, region.step,
                                               region.rows, region.x, region.cols);
    }
  }
  template <typename Kernel, typename... Args>
  static void Call(const Source* source, Args... args) {
    simd::kForms<Kernel, void (*)(Args...)>[static_cast<int>(source->isa)](args...);
  }

  static void Add(const Source* source, const Region& region, Acc* acc, Aux* aux,
                  Scout* scouts) {
    if constexpr (rows) {
      AddRows(source, region, acc, aux, scouts);
    } else {
      AddColumns(source, region, acc, aux, scouts);
    }
  }
  template <typename Block>
  static void CallRows(const Source* source, const Block& block, const Region& region, Acc* acc,
                       Aux* aux, Scout* scouts) {
    simd::RunOn(source->isa, StatisticRowsKernel<Kind, Block>{block, region.rows, region.cols, acc,
                                                              aux, scouts});
  }
  static void AddRows(const Source* source, const Region& region, Acc* acc, Aux* aux,
                      Scout* scouts) {
    if constexpr (kInMemory || kFused) {
      CallRows(source, BlockAt(source, region), region, acc, aux, scouts);
    } else {
      In buffer[kBuffer];
      Region part = region;
      for (std::ptrdiff_t r = 0; r < region.rows; r += part.rows) {
        part.y = region.y + r * region.step;
        part.rows = Smaller(kBuffer / region.cols, region.rows - r);
        Fill(source, part, buffer);
        if (part.flat >= 0) part.flat += part.rows * part.cols;
        CallRows(source, BlockInMemory<In>{buffer, region.cols}, part, acc + r,
                 aux + (Kind::kHasAux ? r : 0), scouts + (Kind::kTwoPasses ? r : 0));
      }
    }
  }

  template <typename P, typename Block>
  static void CallColumns(const Source* source, const Block& block, std::ptrdiff_t n,
                          std::ptrdiff_t cols, std::ptrdiff_t first, bool start,
                          typename P::Acc* acc, typename P::Aux* aux,
                          const typename P::Scout* scouts) {
    Call<StatisticColumnsKernel<P, Block>>(source, &block, n, cols, first, start, acc, aux, scouts);
  }
  /// Adds rows [first, first + n) of a region; the lanes hold the rows before them.
  template <typename Block>
  static void CallPasses(const Source* source, const Block& block, std::ptrdiff_t n,
                         std::ptrdiff_t cols, std::ptrdiff_t first, Acc* acc, Aux* aux,
                         Scout* scouts) {
    if constexpr (Kind::kTwoPasses) {
      using Pre = typename Kind::Pre;
      if (first == 0) {
        const std::ptrdiff_t m = Kind::SampleOf(n);
        typename Pre::Acc sum[kMaxStatisticLanes];
        CallColumns<Pre>(source, block, m, cols, 0, true, sum, nullptr, nullptr);
        for (std::ptrdiff_t k = 0; k < cols; ++k) scouts[k] = Kind::ScoutOf(sum[k], m);
      }
    }
    CallColumns<Kind>(source, block, n, cols, first, first == 0, acc, aux, scouts);
  }
  static void AddColumns(const Source* source, const Region& region, Acc* acc, Aux* aux,
                         Scout* scouts) {
    if constexpr (kInMemory || kFused) {
      CallPasses(source, BlockAt(source, region), region.rows, region.cols, 0, acc, aux, scouts);
    } else {
      In buffer[kBuffer];
      Region part = region;
      for (std::ptrdiff_t r = 0; r < region.rows; r += part.rows) {
        part.y = region.y + r * region.step;
        part.rows = Smaller(kBuffer / region.cols, region.rows - r);
        Fill(source, part, buffer);
        if (part.flat >= 0) part.flat += part.rows * part.cols;
        CallPasses(source, BlockInMemory<In>{buffer, region.cols}, part.rows, region.cols, r, acc,
                   aux, scouts);
      }
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_SOURCE_H_
