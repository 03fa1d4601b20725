// SPDX-License-Identifier: Apache-2.0
// Evaluates plans on the host: rows joined where memory allows, tiles for transposing plans,
// threads above a grain.
#ifndef MSHADOW_BACKEND_CPU_EXECUTOR_H_
#define MSHADOW_BACKEND_CPU_EXECUTOR_H_

#include <type_traits>

#include "../../core/device.h"
#include "../../core/shape.h"
#include "../../expr/engine.h"
#include "../../expr/plan.h"
#include "../../simd/isa.h"
#include "blocks_aside.h"
#include "fused_kernel.h"
#include "map_kernel.h"
#include "map_parts.h"
#include "narrow_rows.h"
#include "share_map.h"
#include "streaming.h"
#include "threads.h"
#include "tile.h"

MSHADOW_NAMESPACE_BEGIN

template <>
struct Executor<cpu> {
  /// dst(y, x) Saver= plan(y, x) over `shape`.
  template <typename Saver, typename DType, typename Dst, typename Src>
  static void Map(const Dst& dst, const Src& src, const Shape<2>& shape,
                  [[maybe_unused]] Stream<cpu>* stream) {
    std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[0]);
    std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[1]);
    if (rows == 0 || cols == 0) return;
    if constexpr (expr::detail::HasRunningSum<Src>::value && !std::is_same_v<Saver, sv::saveto>) {
      // Only what is written is there to be added to; one by one, each sum would be taken anew.
      mshadow::detail::Temporary<cpu, 2, DType> sums(shape, stream);
      const auto plan = expr::MakePlan(sums.tensor());
      Map<sv::saveto, DType>(plan, src, shape, stream);
      Map<Saver, DType>(dst, plan, shape, stream);
    } else {
      const expr::PlanLayout layout = expr::LayoutOf(cols, src, dst);
      const std::ptrdiff_t join = expr::JoinRows(&rows, &cols, layout.join);
      constexpr const detail::MapLoops& loops = kLoops<Saver, DType, Dst, Src>;
      const std::ptrdiff_t grain = detail::GrainOf(loops, layout.reads);
      std::conditional_t<expr::kColumnsOf<Src>, detail::TileTask, detail::MapTask> task;
      task.dst = &dst;
      task.src = &src;
      task.join = join;
      if constexpr (expr::kColumnsOf<Src>) {
        // Lines that are written in parts, far from each other, leave a cache that is full with
        // what was read before they are whole: it has to hold both.
        const std::ptrdiff_t size = rows * cols;
        const std::size_t bytes = 2 * sizeof(DType) * std::size_t(size);
        task.stream = size >= 2 * grain && simd::ExceedsCache(bytes, ThreadsFor(size, grain));
      }
      if (rows * cols >= 2 * grain) {
        return detail::ShareMap(loops, task, rows, cols, grain,
                                detail::StreamingBlock<Saver, DType>(dst, src, rows, cols, join));
      }
      loops.Block(task, 0, rows, 0, cols);
    }
  }

  using Parts = detail::MapParts;
  /// Map over some parts of its elements at a time.
  template <typename Saver, typename DType, typename Dst, typename Src>
  static Parts PartsOf(const Dst& dst, const Src& src, const Shape<2>& shape,
                       const expr::detail::RowParts& parts) {
    std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[0]);
    std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[1]);
    const std::ptrdiff_t join =
        expr::JoinRows(&rows, &cols, expr::LayoutOf(cols, src, dst).join);
    return Parts(kLoops<Saver, DType, Dst, Src>, {{&dst, &src, join}, false}, rows, cols, parts);
  }
  /// dst(y, x) Saver= src(y, x) where src reads the stages in `memory`: these and the statement
  /// over a few parts at a time. False: not done, no part is of whole rows.
  template <typename Saver, typename DType, typename Dst, typename Src>
  static bool MapInStages(const Dst& dst, const Src& src, const Shape<2>& shape,
                          const expr::detail::OperandMemory<cpu>& memory) {
    const std::ptrdiff_t count = memory.parts().count;
    const Parts parts = PartsOf<Saver, DType>(dst, src, shape, memory.parts());
    if (!parts.ok()) return false;
    const std::ptrdiff_t size =
        static_cast<std::ptrdiff_t>(shape[0]) * static_cast<std::ptrdiff_t>(shape[1]);
    const std::ptrdiff_t part = size / count;
    const detail::MapLoops& loops = kLoops<Saver, DType, Dst, Src>;
    const std::ptrdiff_t grain = detail::GrainOf(loops, expr::ReadsOf(src));
    // As much as a first-level cache holds: a stage costs a hundred instructions each time. One
    // row of a page where the rows of one tensor come from memory: with four, layer norm takes 1.5
    // times as long, and log-softmax 1.3 times (Zen 4).
    const std::size_t moved = 4 * sizeof(DType) * std::size_t(size);
    const bool is_large =
        memory.stage_reads() <= 1 && simd::ExceedsCache(moved, ThreadsFor(size, grain));
    // Parts of many pieces: as much as a second-level cache holds.
    const std::ptrdiff_t bytes = memory.parts().outer > 1 ? 262144 : is_large ? 4096 : 16384;
    const std::ptrdiff_t most = bytes / static_cast<std::ptrdiff_t>(sizeof(DType));
    const std::ptrdiff_t block = part < most ? most / part : 1;
    ParallelRanges(count, grain / part + 1, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t stop; begin < end; begin = stop) {
        stop = begin + block < end ? begin + block : end;
        memory.ComputeStages(begin, stop);
        parts.Run(begin, stop);
      }
    });
    return true;
  }

  /// dst(y, x) = src(y, x) for y in [y0, y1), x in [x0, x1), where `join` rows of the plans make
  /// one row of this grid.
  template <typename DType, typename Dst, typename Src>
  static void FillBlock(const Dst& dst, const Src& src, std::ptrdiff_t y0, std::ptrdiff_t y1,
                        std::ptrdiff_t x0, std::ptrdiff_t x1, std::ptrdiff_t join = 1) {
    if constexpr (expr::detail::HasAside<Src>()) {
      detail::InBlocks<Loops, sv::saveto, DType>(dst, src, y0, y1, x0, x1, join);
    } else {
      Loops::template Run<sv::saveto, DType>(dst, src, y0, y1, x0, x1, join);
    }
  }

  /// Several such statements over `shape` in one loop, each an expr::LazyAssignment::Planned.
  /// False if nothing is done: narrow rows that do not join take 1.5 to 14 times as long here as in
  /// the loops of each statement. What is computed first, they would compute again.
  template <typename... Maps>
  static bool MapFused(const Shape<2>& shape, Stream<cpu>*, const Maps&... maps) {
    std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[0]);
    std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[1]);
    if (rows == 0 || cols == 0) return true;
    const expr::PlanLayout layout = expr::LayoutOf(cols, maps.src..., maps.dst...);
    const std::ptrdiff_t join = expr::JoinRows(&rows, &cols, layout.join);
    constexpr std::ptrdiff_t kNarrow = 16;
    if (!(... || Maps::kComputesFirst) && rows > 1 && cols <= kNarrow) return false;
    using Kernel = detail::FusedKernel<Maps...>;
    constexpr std::ptrdiff_t kGrainOfAll =
        detail::kGrainCost / detail::GrainCostOf(Kernel::kCost);
    static constexpr detail::MapLoops kFused{simd::kForms<Kernel, detail::BlockFunction>, nullptr,
                                             kGrainOfAll, 0, false};
    const detail::FusedMaps<Maps...> fused(maps...);
    const detail::MapTask task{nullptr, &fused, join};
    const std::ptrdiff_t grain = detail::GrainOf(kFused, layout.reads);
    if (rows * cols >= 2 * grain) {
      detail::ShareMap(kFused, task, rows, cols, grain, nullptr);
    } else {
      kFused.Block(task, 0, rows, 0, cols);
    }
    return true;
  }

  /// The threads that share a statement of `size` elements, of plans that read one for each.
  template <typename Dst, typename Src>
  static int ThreadsOf(std::ptrdiff_t size) {
    return ThreadsFor(size, kGrain<Dst, Src>);
  }

 private:
  template <typename Dst, typename Src>
  static constexpr std::ptrdiff_t kGrain =
      detail::kGrainCost / detail::GrainCostOf(1 + expr::kCostOf<Dst> + expr::kCostOf<Src>);

  template <typename Saver, typename DType, typename Dst, typename Src>
  static constexpr const detail::BlockFunction* FormsOf() {
    using Rows = detail::RowsKernel<Saver, DType, Dst, Src>;
    if constexpr (Rows::kUsed) {
      return simd::kForms<Rows, detail::BlockFunction>;
    } else {
      return kBlock<Saver, DType, Dst, Src>;
    }
  }
  template <typename Saver, typename DType, typename Dst, typename Src>
  static constexpr detail::MapLoops LoopsOf() {
    using Rows = detail::RowsKernel<Saver, DType, Dst, Src>;
    constexpr const detail::BlockFunction* kForms = FormsOf<Saver, DType, Dst, Src>();
    constexpr bool kLight = Rows::kUsed && expr::kCostOf<Src> < detail::kExpensiveCost;
    detail::MapLoops loops{kForms, nullptr, kGrain<Dst, Src>, sizeof(DType), kLight,
                           expr::kFactsOf<Src>.operands};
    if constexpr (!Rows::kOneRow) {
      if constexpr (detail::kGathers<DType, Dst, Src>) {
        loops.narrow = detail::NarrowRows<Saver, DType, Dst, Src, Loops>;
        loops.narrow_columns = detail::kMaxNarrowColumns;
      } else if constexpr (Rows::kUsed) {
        loops.narrow = detail::FewColumns<Saver, DType, Dst, Src>;
        loops.narrow_columns = detail::kNarrowColumns;
      }
    }
    return loops;
  }
  template <typename Saver, typename DType, typename Dst, typename Src>
  static constexpr detail::MapLoops kLoops = LoopsOf<Saver, DType, Dst, Src>();

  /// The loops of any statement.
  struct Loops {
    template <typename Saver, typename DType, typename Dst, typename Src>
    static constexpr const detail::BlockFunction* kForms = FormsOf<Saver, DType, Dst, Src>();
    /// dst(y, x) Saver= src(y, x) for every step-th y in [y0, y1), x in [x0, x1); in_tiles: these
    /// rows are those of a tile.
    template <typename Saver, typename DType, bool in_tiles = false, typename Dst, typename Src>
    static void Run(const Dst& dst, const Src& src, std::ptrdiff_t y0, std::ptrdiff_t y1,
                    std::ptrdiff_t x0, std::ptrdiff_t x1, std::ptrdiff_t join,
                    [[maybe_unused]] std::ptrdiff_t step = 1) {
      if constexpr (in_tiles) {
        using Kernel = detail::MapKernel<Saver, DType, Dst, Src>;
        simd::Dispatch(Kernel{dst, src, y0, y1, x0, x1, join, step});
      } else {
        const detail::TileTask task{{&dst, &src, join}, false};
        kLoops<Saver, DType, Dst, Src>.Block(task, y0, y1, x0, x1);
      }
    }
  };

  /// Is the statement one of operands that are computed aside, or of a source that is?
  template <typename Saver, typename DType, typename Dst, typename Src>
  static constexpr bool kInBlocks =
      expr::detail::HasAside<Src>() ||
      (expr::kFillsOf<Src> == expr::Fills::kBlocks &&
       !detail::MapKernel<Saver, DType, Dst, Src>::kFills) ||
      (expr::detail::AsideOf<Src>::kVariants > 0 && !expr::kPlainOf<expr::RowCursor<Dst>>);

  /// What is more than rows of elements: in tiles where the plan transposes.
  template <typename Saver, typename DType, typename Dst, typename Src>
  static void Block(const detail::MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1,
                    std::ptrdiff_t x0, std::ptrdiff_t x1) {
    using Kernel = detail::MapKernel<Saver, DType, Dst, Src>;
    const Dst& dst = *static_cast<const Dst*>(task.dst);
    const Src& src = *static_cast<const Src*>(task.src);
    const std::ptrdiff_t join = task.join;
    if constexpr (detail::kThroughBlocks<Saver, DType, Dst, Src>) {
      return detail::ThroughBlocks<Loops, Saver, DType, Dst, Src>(task, y0, y1, x0, x1);
    }
    const expr::PlanLayout layout = expr::LayoutOf(std::ptrdiff_t{1}, src, dst);
    const std::ptrdiff_t tile_step = layout.tile_step;
    if constexpr (detail::kMayGoColumnByColumn<Saver, DType, Dst, Src>) {
      if (x1 - x0 <= detail::kNarrowColumns && (tile_step == 0 || tile_step == join)) {
        return detail::FewColumns<Saver, DType, Dst, Src>(task, y0, y1, x0, x1);
      }
    }
    if constexpr (kInBlocks<Saver, DType, Dst, Src>) {
      return detail::InBlocks<Loops, Saver, DType>(dst, src, y0, y1, x0, x1, join);
    }
    if (tile_step == 0) {
      simd::Dispatch(Kernel{dst, src, y0, y1, x0, x1, join, 1});
      return;
    }
    // What comes in blocks is not asked for every step-th row.
    const std::ptrdiff_t step =
        expr::kFillsOf<Src> != expr::Fills::kBlocks && tile_step > join ? tile_step / join : 1;
    // Of high * step rows, every step-th belongs to the same tiles.
    constexpr std::ptrdiff_t kSide = detail::kTileSide;
    [[maybe_unused]] const bool is_large =
        (y1 - y0) * (x1 - x0) * static_cast<std::ptrdiff_t>(sizeof(DType)) > detail::kNearBytes;
    for (std::ptrdiff_t block = y0, end = y0; block < y1; block = end) {
      std::ptrdiff_t high = kSide;
      if constexpr (expr::kColumnsOf<Src>) {
        high = detail::kTileRows;
        if (step > 1) src.Columns(block * join, &high);
      }
      end = high * step < y1 - block ? block + high * step : y1;
      for (std::ptrdiff_t y = block; y < block + step && y < end; ++y) {
        if constexpr (expr::kColumnsOf<Src>) {
          using Tile = detail::TileKernel<Saver, DType, Dst, Src, Kernel>;
          const bool stream = static_cast<const detail::TileTask&>(task).stream;
          simd::Dispatch(Tile{dst, src, y, end, x0, x1, join, step, is_large, stream});
        } else {
          const std::ptrdiff_t wide = detail::TileWidth(layout.column_bytes);
          for (std::ptrdiff_t x = x0; x < x1; x += wide) {
            simd::Dispatch(Kernel{dst, src, y, end, x, x + wide < x1 ? x + wide : x1, join, step});
          }
        }
      }
    }
  }
  template <typename Saver, typename DType, typename Dst, typename Src>
  static constexpr detail::BlockFunction kBlock[] = {
      Block<Saver, DType, Dst, Src>, Block<Saver, DType, Dst, Src>, Block<Saver, DType, Dst, Src>};
};

namespace expr {
namespace detail {
template <typename P>
void EvaluateRows(const void* plan, void* block, const RowBlock& rows) {
  using DType = ElementOfPlan<P>;
  Executor<cpu>::FillBlock<DType>(rows.At<DType>(block), *static_cast<const P*>(plan), rows.y,
                                  rows.y + rows.n, rows.x, rows.x + rows.cols, rows.join);
}
template <typename Map, typename DType>
void FillFromMap(const Map& map, DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) {
  Executor<cpu>::FillBlock<DType>(BlockPlan<DType>{to, stride, y, x, FastDivmod(1)}, map, y, end_y,
                                  x, end);
}
}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_EXECUTOR_H_
