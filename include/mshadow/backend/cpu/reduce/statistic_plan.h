// SPDX-License-Identifier: Apache-2.0
// Sources of reductions: blocks of a plan are reduced where they lie, as they are computed, or from
// a buffer.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_PLAN_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_PLAN_H_

#include <cstddef>
#include <type_traits>

#include "../../../expr/long_sum.h"
#include "../../../simd/cache.h"
#include "../executor.h"
#include "../half_rows.h"
#include "../threads.h"
#include "statistic_block.h"
#include "statistic_columns.h"
#include "statistic_groups.h"
#include "statistic_rows.h"
#include "statistic_source.h"
#include "tasks.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// The fastest instruction set for a reduction that reads this much and computes little.
inline simd::Isa IsaForReduction(std::ptrdiff_t elements, std::size_t bytes) {
  return simd::IsaForMemory(bytes, ThreadsFor(elements, kGrainCost / kMinCost));
}

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
  using Element = expr::ElementOfPlan<Src>;
  static constexpr bool kInMemory = std::is_same_v<Element, In> &&
                                    expr::detail::HasRowStride<Src>::value &&
                                    expr::detail::HasPointer<RowCursor>::value;
  /// True if blocks are computed faster than their elements.
  static constexpr bool kBlocks = expr::kFillsOf<Src> == expr::Fills::kBlocks;
  /// True if the loops of statements compute blocks, which gather narrow rows: a row of 3 takes half
  /// as long as by itself.
  static constexpr bool kFillsByLoops =
      expr::kCostOf<Src> >= kExpensiveCost && !expr::kTransposedOf<Src>;
  /// True if neighbours in memory may be in different rows, which are then read side by side.
  static constexpr bool kTransposes = expr::kTransposedOf<Src> && !kBlocks;
  /// True if elements are computed in the loop that adds them.
  static constexpr bool kFused = !kInMemory && !kBlocks && !Kind::kReadsTwice &&
                                 (kAddsLanes<In, RowCursor>
                                      ? !rows
                                      : expr::kPlainOf<RowCursor>);
  static constexpr std::ptrdiff_t kSize = sizeof(In);
  /// Elements of a buffer; and of a block of columns that is read twice, from a second-level cache.
  static constexpr std::ptrdiff_t kBuffer = (Kind::kReadsTwice && !rows ? 65536 : 16384) / kSize;
  static constexpr std::ptrdiff_t kTwice = 262144 / kSize;
  /// Shorter rows have a lane each, unless all of them together have fewer elements than kFew.
  static constexpr std::ptrdiff_t kMinRow = 20, kFew = 64;

 public:
  static Source Make(const Src& src, std::ptrdiff_t elements, std::ptrdiff_t cols) {
    Source source{&src, simd::ActiveIsa(), expr::FlatRows(src, cols), 1 + expr::kCostOf<Src>,
                  8192, kMaxStatisticLanes<Kind>, 1, !Kind::kTwoPasses,
                  kInMemory ? kTwice : kBuffer, kInMemory,
                  !Kind::kTwoPasses && (kInMemory || kFillsByLoops),
                  elements < kFew ? 0 : kMinRow, Add};
    if constexpr (expr::kCostOf<Src> < kExpensiveCost && !expr::kTransposedOf<Src> &&
                  !Kind::kReadsTwice && !Kind::kNumbers) {
      source.isa = IsaForReduction(elements, std::size_t(elements * expr::ReadsOf(src)) * kSize);
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
    if constexpr (!rows && Kind::kNumbers) source.kept = Smaller(source.kept, 256);
    // Squares of a plan that transposes are computed in tiles.
    if constexpr (expr::kTransposedOf<Src>) (rows ? source.reduced : source.kept) = 64;
    if constexpr (kTransposes) {
      if (expr::TileStep(src) != 0) {
        source.add = AddTransposed;
        source.groups = 0;
        source.gathers = false;
        if constexpr (rows) {
          source.reduced = Kind::kReadsTwice ? 128 : red::kSumBlock;
          source.side_by_side = 256;
        } else {
          source.reduced = 8192;
        }
      }
    }
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
  template <typename P>
  static void FillFrom(const P& plan, const Region& region, In* to) {
    simd::Call<StatisticFillKernel<In, P>>(&plan, to, region.y, region.step, region.rows, region.x,
                                           region.cols);
  }
  /// Computes a block into memory.
  static void Fill(const Source* source, Region region, In* to) {
    if (region.flat >= 0) {
      region = {0, 0, 1, region.flat, region.rows * region.cols, 0, 0};
    }
    if constexpr (!kBlocks && !kFillsByLoops) {
      FillFrom(PlanOf(source), region, to);
    } else if constexpr (std::is_same_v<In, Element>) {
      FillBlocks(PlanOf(source), region, to);
    } else {
      Element memory[kBuffer];
      FillBlocks(PlanOf(source), region, memory);
      FillFrom(expr::detail::BlockPlan<Element>{memory, region.cols, 0, 0, FastDivmod(1)},
               Region{0, 1, region.rows, 0, region.cols, 0, 0}, to);
    }
  }
  static void FillBlocks(const Src& src, const Region& region, Element* to) {
    const std::ptrdiff_t n = region.step == 1 ? region.rows : 1, end = region.x + region.cols;
    for (std::ptrdiff_t r = 0; r < region.rows; r += n, to += n * region.cols) {
      const std::ptrdiff_t y = region.y + r * region.step;
      Executor<cpu>::FillBlock<Element>(
          expr::detail::BlockPlan<Element>{to, region.cols, y, region.x, FastDivmod(1)}, src, y,
          y + n, region.x, end);
    }
  }
  /// Calls f(block, part, r) for parts of a region that are in memory, or that a buffer holds, from
  /// row r on.
  template <typename F>
  static void ForEachBlock(const Source* source, const Region& region, const F& f) {
    if constexpr (kInMemory || kFused) {
      f(BlockAt(source, region), region, std::ptrdiff_t{0});
    } else {
      In buffer[kBuffer];
      Region part = region;
      for (std::ptrdiff_t r = 0; r < region.rows; r += part.rows) {
        part.y = region.y + r * region.step;
        part.rows = Smaller(kBuffer / region.cols, region.rows - r);
        Fill(source, part, buffer);
        if (part.flat >= 0) part.flat += part.rows * part.cols;
        f(BlockInMemory<In>{buffer, region.cols}, part, r);
      }
    }
  }

  static void Add(const Source* source, const Region& region, Acc* acc, Aux* aux,
                  Scout* scouts) {
    if (rows ? region.cols < source->min_row : region.group != 0) {
      return AddGroups(source, region, acc, aux, scouts);
    }
    ForEachBlock(source, region, [=](const auto& block, const Region& part, std::ptrdiff_t r) {
      if constexpr (rows) {
        AddRows(source, block, part.rows, part.cols, acc + r, aux + (Kind::kHasAux ? r : 0),
                scouts + (Kind::kTwoPasses ? r : 0));
      } else {
        AddColumns(source, block, part.rows, part.cols, region.first + r, region.width, acc, aux,
                   scouts);
      }
    });
  }
  /// Short rows, each a group; or groups of rows whose columns are reduced.
  static void AddGroups(const Source* source, const Region& region, Acc* acc, Aux* aux,
                        Scout* scouts) {
    const auto reduce = [=](const In* from, std::ptrdiff_t stride, std::ptrdiff_t count,
                            std::ptrdiff_t r, std::ptrdiff_t next) {
      GroupsInMemory<In> all{from, stride, 1, count, region.cols, 1};
      if constexpr (!rows) {
        const std::ptrdiff_t n = region.group, groups = n < 0 ? -n : count / n;
        all = {from, n < 0 ? stride : n * stride, n < 0 ? next : stride, groups,
               count / groups, region.cols};
      }
      simd::RunOn(source->isa,
                  StatisticGroupsKernel<Kind>{all, acc + r, aux + (Kind::kHasAux ? r : 0),
                                              scouts + (Kind::kTwoPasses ? r : 0)});
    };
    if constexpr (kInMemory) {
      const auto block = BlockAt(source, region);
      reduce(block.from, block.stride, region.rows, 0, region.next * PlanOf(source).RowStride());
    } else {
      In buffer[kBuffer];
      const std::ptrdiff_t group = rows ? 1 : region.group;
      Region part = region;
      if (region.group < 0) {
        part.rows = -region.group;
        for (std::ptrdiff_t r = 0; r < region.rows; r += part.rows, part.y += region.next) {
          Fill(source, part, buffer + r * region.cols);
        }
        return reduce(buffer, region.cols, region.rows, 0, part.rows * region.cols);
      }
      for (std::ptrdiff_t r = 0; r < region.rows; r += part.rows) {
        part.y = region.y + r * region.step;
        part.rows = Smaller(kBuffer / (group * region.cols) * group, region.rows - r);
        Fill(source, part, buffer);
        if (part.flat >= 0) part.flat += part.rows * part.cols;
        reduce(buffer, region.cols, part.rows, rows ? r : r / group * region.cols, 0);
      }
    }
  }
  /// The same of a plan that transposes: rows are columns.
  static void AddTransposed(const Source* source, const Region& region, Acc* acc, Aux* aux,
                            Scout* scouts) {
    using Block = TransposedBlock<In, Src>;
    const Src& src = PlanOf(source);
    const std::ptrdiff_t step = expr::TileStep(src);
    std::ptrdiff_t n = region.rows;
    bool fits = n == 1 || (step == region.step && (step == 1 || expr::kColumnsOf<Src>));
    if constexpr (Kind::kTwoPasses && !rows) {
      Block(src, region.y, region.x, &n);
      fits = fits && n == region.rows && region.width == 1;
    }
    if (!fits) return Add(source, region, acc, aux, scouts);
    for (std::ptrdiff_t r = 0; r < region.rows; r += n) {
      n = region.rows - r;
      const Block block(src, region.y + r * step, region.x, &n);
      if constexpr (rows) {
        AddColumns(source, block, region.cols, n, 0, 1, acc + r, aux + (Kind::kHasAux ? r : 0),
                   scouts + (Kind::kTwoPasses ? r : 0));
      } else {
        const bool more = region.first + r > 0;
        AddRows(source, block, region.cols, n, acc + (more ? region.cols : 0), aux, scouts);
        if constexpr (!Kind::kTwoPasses) {
          if (more) simd::Call<StatisticFoldKernel<Kind>>(acc, region.cols, std::ptrdiff_t{2});
        }
      }
    }
  }
  template <typename Block>
  static void AddRows(const Source* source, const Block& block, std::ptrdiff_t n,
                      std::ptrdiff_t cols, Acc* acc, Aux* aux, Scout* scouts) {
    simd::RunOn(source->isa, StatisticRowsKernel<Kind, Block>{block, n, cols, acc, aux, scouts});
  }
  /// Adds n rows; the lanes hold the `first` rows before them.
  template <typename Block>
  static void AddColumns(const Source* source, const Block& block, std::ptrdiff_t n,
                         std::ptrdiff_t cols, std::ptrdiff_t first,
                         [[maybe_unused]] std::ptrdiff_t width, Acc* acc, Aux* aux,
                         Scout* scouts) {
    if constexpr (Kind::kTwoPasses) {
      using Pre = typename Kind::Pre;
      if (first == 0) {
        const std::ptrdiff_t m = DivideUp(Kind::SampleOf(n * width), width);
        typename Pre::Acc sum[kMaxStatisticLanes<Kind>];
        CallColumns<Pre>(source, block, m, cols, 0, sum, nullptr, nullptr);
        simd::Call<StatisticScoutsKernel<Kind>>(&sum[0], cols, m, width, scouts);
      }
    }
    CallColumns<Kind>(source, block, n, cols, first, acc, aux, scouts);
  }
  template <typename P, typename Block>
  static void CallColumns(const Source* source, const Block& block, std::ptrdiff_t n,
                          std::ptrdiff_t cols, std::ptrdiff_t first, typename P::Acc* acc,
                          typename P::Aux* aux, const typename P::Scout* scouts) {
    Call<StatisticColumnsKernel<P, Block>>(source, &block, n, cols, first, acc, aux, scouts);
  }
  template <typename Kernel, typename... Args>
  static void Call(const Source* source, Args... args) {
    simd::kForms<Kernel, void (*)(Args...)>[static_cast<int>(source->isa)](args...);
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_PLAN_H_
