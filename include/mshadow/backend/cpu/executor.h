// SPDX-License-Identifier: Apache-2.0
// Evaluates plans on the host: rows joined where memory allows, tiles for transposing plans,
// threads above a grain.
#ifndef MSHADOW_BACKEND_CPU_EXECUTOR_H_
#define MSHADOW_BACKEND_CPU_EXECUTOR_H_

#include <type_traits>

#include "../../core/device.h"
#include "../../core/fast_divmod.h"
#include "../../core/shape.h"
#include "../../expr/engine.h"
#include "../../expr/plan.h"
#include "../../simd/isa.h"
#include "fused_kernel.h"
#include "map_kernel.h"
#include "narrow_rows.h"
#include "streaming.h"
#include "threads.h"
#include "tile.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Side of the square of elements that a transposing plan is evaluated in: 64 rows of 4-byte
/// elements, read and written, fill half of a 32 KiB first-level cache.
constexpr std::ptrdiff_t kTileSide = 64;
/// Columns of such a tile whose neighbours lie `bytes` apart. Lines that are a multiple of a large
/// power of two apart share few places in the first-level cache, which holds eight at each.
constexpr std::ptrdiff_t TileWidth(std::ptrdiff_t bytes) {
  constexpr std::ptrdiff_t kCacheWay = 4096, kWays = 8;
  const std::ptrdiff_t power = bytes & -bytes;
  if (power * kTileSide <= kCacheWay * kWays) return kTileSide;
  return power < kCacheWay ? kCacheWay * kWays / power : kWays;
}

/// Least work of a thread, in units of kCost, and the least that an element counts: 25,000
/// elements are worth a thread, fewer only where each is far dearer than a function. So statements
/// in turn on tensors of one size agree whether to use threads: if one does and the next does not,
/// a core waits for what lies in the cache of another, which takes longer than either. (Of 25,000
/// floats a statement takes 2 us from the first-level cache; to enter and leave a parallel region
/// takes 1 us.)
constexpr std::ptrdiff_t kGrainCost = 800000, kMinCost = 32;
constexpr std::ptrdiff_t CostOf(std::ptrdiff_t cost) { return cost < kMinCost ? kMinCost : cost; }

/// The fewest elements worth a thread where each takes so many: what is read counts as an element
/// that is written does.
MSHADOW_XINLINE std::ptrdiff_t GrainOf(const MapLoops& loops, std::ptrdiff_t reads) {
  if (reads == 1) return loops.grain;
  const std::ptrdiff_t grain = FloorDiv(kGrainCost / kMinCost, reads);
  return grain < 1 ? 1 : grain < loops.grain ? grain : loops.grain;
}

inline namespace MSHADOW_THREADS_NAMESPACE {
/// A statement on threads, which share the elements in row-major order, whatever the proportions of
/// the shape; a part starts at a multiple of 64 elements, so that no two threads write to one cache
/// line, unless so few are a thread's work. It is part of a row, whole rows, part of a row. One
/// function for all statements: none of it is worth compiling for each. `streaming`, of a
/// CachedTask, if there is one, takes the place of the loops where no cache holds the result.
MSHADOW_NOINLINE inline void ShareMap(const MapLoops& loops, const MapTask& task,
                                      std::ptrdiff_t rows, std::ptrdiff_t cols,
                                      std::ptrdiff_t grain, BlockFunction streaming) {
  const std::ptrdiff_t size = rows * cols, unit = grain < 64 ? 1 : 64;
  const std::ptrdiff_t bytes = size * loops.element_bytes, threads = ThreadsFor(size, grain);
  // What is read and what is written, of which the cache would have to hold both.
  if (streaming != nullptr && simd::ExceedsCache(2 * bytes, threads)) {
    const CachedTask cached{&loops, &task};
    const BlockFunction forms[] = {streaming, streaming, streaming};
    return ShareMap({forms, nullptr, grain, 0, false}, {task.dst, &cached, task.join}, rows, cols,
                    grain, nullptr);
  }
  if (loops.light) {
    // What is read is as much as what is written, or more.
    const simd::Isa isa = simd::IsaForMemory(2 * bytes, threads);
    if (isa != simd::ActiveIsa()) {
      const BlockFunction form = loops.forms[static_cast<int>(isa)];
      const BlockFunction forms[] = {form, form, form};
      return ShareMap({forms, loops.narrow, grain, 0, false, 0, loops.narrow_columns},
                      {task.dst, task.src, task.join, isa}, rows, cols, grain, nullptr);
    }
  }
  ParallelRanges((size + unit - 1) / unit, unit == 1 ? grain : grain / unit + 1,
                 [&](std::ptrdiff_t first, std::ptrdiff_t last) {
                   const std::ptrdiff_t begin = first * unit;
                   const std::ptrdiff_t end = last * unit < size ? last * unit : size;
                   std::ptrdiff_t y = begin / cols;
                   const std::ptrdiff_t x = begin % cols;
                   const std::ptrdiff_t end_y = end / cols;
                   if (x != 0) {
                     const std::ptrdiff_t stop = y == end_y ? end % cols : cols;
                     loops.Block(task, y, y + 1, x, stop);
                     if (y == end_y) return;
                     ++y;
                   }
                   if (y < end_y) loops.Block(task, y, end_y, 0, cols);
                   if (end % cols != 0) loops.Block(task, end_y, end_y + 1, 0, end % cols);
                 });
}
}  // namespace MSHADOW_THREADS_NAMESPACE

/// Bytes of each of so many operands computed aside: few enough that all stay in a first-level
/// cache of 32 KiB with what they are computed from; tiles are better larger.
constexpr std::ptrdiff_t BytesAside(int operands, bool tiles) {
  if (tiles) return operands <= 2 ? 16384 : 8192;
  return operands == 1 ? 12288 : operands <= 8 ? 4096 : 2048;
}

}  // namespace detail

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
      const std::ptrdiff_t join = expr::JoinRows(&rows, &cols, src, dst);
      constexpr const detail::MapLoops& loops = kLoops<Saver, DType, Dst, Src>;
      const std::ptrdiff_t grain = detail::GrainOf(loops, expr::ReadsOf(src));
      std::conditional_t<expr::kColumnsOf<Src>, detail::TileTask, detail::MapTask> task;
      task.dst = &dst;
      task.src = &src;
      task.join = join;
      if constexpr (expr::kColumnsOf<Src>) {
        // Lines that are written in parts, far from each other, leave a cache that is full with
        // what was read before they are whole: it has to hold both.
        const std::ptrdiff_t size = rows * cols;
        task.stream = size >= 2 * grain &&
                      simd::ExceedsCache(2 * size * sizeof(DType), ThreadsFor(size, grain));
      }
      if (rows * cols >= 2 * grain) {
        return detail::ShareMap(loops, task, rows, cols, grain,
                                StreamingBlock<Saver, DType>(dst, src, rows, cols, join));
      }
      loops.Block(task, 0, rows, 0, cols);
    }
  }

  /// Map over some of `parts` equal parts of its elements at a time, in their order: whole rows, or
  /// neighbours where all rows are one. By the thread that calls.
  class Parts {
   public:
    template <typename Saver, typename DType, typename Dst, typename Src>
    static Parts Of(const Dst& dst, const Src& src, const Shape<2>& shape, std::ptrdiff_t parts) {
      std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[0]);
      std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[1]);
      const std::ptrdiff_t all = rows, join = expr::JoinRows(&rows, &cols, src, dst);
      Parts self;
      self.loops_ = &kLoops<Saver, DType, Dst, Src>;
      self.task_.dst = &dst;
      self.task_.src = &src;
      self.task_.stream = false;
      self.flat_ = rows == 1;
      self.task_.join = self.flat_ ? join : 1;
      const std::ptrdiff_t units = self.flat_ ? cols : all;
      self.cols_ = static_cast<std::ptrdiff_t>(shape[1]);
      self.units_ = parts > 0 && units % parts == 0 ? units / parts : 0;
      return self;
    }
    /// False if no part is of whole rows.
    bool ok() const { return units_ > 0; }
    void Run(std::ptrdiff_t begin, std::ptrdiff_t end) const {
      if (flat_) {
        loops_->Block(task_, 0, 1, begin * units_, end * units_);
      } else {
        loops_->Block(task_, begin * units_, end * units_, 0, cols_);
      }
    }

   private:
    Parts() : task_{{nullptr, nullptr, 1}, false} {}
    const detail::MapLoops* loops_;
    detail::TileTask task_;
    bool flat_;
    std::ptrdiff_t units_, cols_;
  };
  /// dst(y, x) Saver= src(y, x) where src reads the stages in `memory`: these and the statement over
  /// a few parts at a time. False: not done, no part is of whole rows.
  template <typename Saver, typename DType, typename Dst, typename Src>
  static bool MapInStages(const Dst& dst, const Src& src, const Shape<2>& shape,
                          const expr::detail::OperandMemory<cpu>& memory) {
    // As much as a first-level cache holds: a stage costs a hundred instructions each time.
    constexpr std::ptrdiff_t kBlock = 16384 / sizeof(DType);
    const std::ptrdiff_t count = memory.parts();
    const Parts parts = Parts::template Of<Saver, DType>(dst, src, shape, count);
    if (!parts.ok()) return false;
    const std::ptrdiff_t part =
        static_cast<std::ptrdiff_t>(shape[0]) * static_cast<std::ptrdiff_t>(shape[1]) / count;
    const std::ptrdiff_t block = part < kBlock ? kBlock / part : 1;
    const detail::MapLoops& loops = kLoops<Saver, DType, Dst, Src>;
    const std::ptrdiff_t grain = detail::GrainOf(loops, expr::ReadsOf(src));
    ParallelRanges(count, grain / part + 1, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t stop; begin < end; begin = stop) {
        stop = begin + block < end ? begin + block : end;
        memory.ComputeStages(begin, stop);
        parts.Run(begin, stop);
      }
    });
    return true;
  }

  /// dst(y, x) = src(y, x) for y in [y0, y1), x in [x0, x1), of a plan with Fills::kBlocks.
  template <typename DType, typename Dst, typename Src>
  static void FillBlock(const Dst& dst, const Src& src, std::ptrdiff_t y0, std::ptrdiff_t y1,
                        std::ptrdiff_t x0, std::ptrdiff_t x1) {
    if constexpr (expr::detail::HasAside<Src>()) {
      InBlocks<sv::saveto, DType>(dst, src, y0, y1, x0, x1, 1);
    } else {
      RunLoops<sv::saveto, DType, false>(dst, src, y0, y1, x0, x1, 1, 1);
    }
  }

  /// Several such statements over `shape` in one loop, each an expr::LazyAssignment::Planned.
  template <typename... Maps>
  static void MapFused(const Shape<2>& shape, Stream<cpu>*, const Maps&... maps) {
    std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(shape[0]);
    std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(shape[1]);
    if (rows == 0 || cols == 0) return;
    const std::ptrdiff_t join = expr::JoinRows(&rows, &cols, maps.src..., maps.dst...);
    using Kernel = detail::FusedKernel<Maps...>;
    static constexpr detail::MapLoops kFused{simd::kForms<Kernel, detail::BlockFunction>, nullptr,
                                             detail::kGrainCost / detail::CostOf(Kernel::kCost), 0,
                                             false};
    const detail::FusedMaps<Maps...> fused(maps...);
    const detail::MapTask task{nullptr, &fused, join};
    const std::ptrdiff_t grain = detail::GrainOf(kFused, expr::ReadsOf(maps.src...));
    if (rows * cols >= 2 * grain) return detail::ShareMap(kFused, task, rows, cols, grain, nullptr);
    kFused.Block(task, 0, rows, 0, cols);
  }

  /// The threads that share a statement of `size` elements, of plans that read one for each.
  template <typename Dst, typename Src>
  static int ThreadsOf(std::ptrdiff_t size) {
    return ThreadsFor(size, kGrain<Dst, Src>);
  }

 private:
  template <typename Dst, typename Src>
  static constexpr std::ptrdiff_t kGrain =
      detail::kGrainCost / detail::CostOf(1 + expr::kCostOf<Dst> + expr::kCostOf<Src>);

  /// What takes the place of the loops where no cache holds the result; null: nothing.
  template <typename Saver, typename DType, typename Dst, typename Src>
  static detail::BlockFunction StreamingBlock([[maybe_unused]] const Dst& dst,
                                              [[maybe_unused]] const Src& src,
                                              [[maybe_unused]] std::ptrdiff_t rows,
                                              [[maybe_unused]] std::ptrdiff_t cols,
                                              [[maybe_unused]] std::ptrdiff_t join) {
    if constexpr (detail::kStreams<Saver, DType, Dst, Src>) {
      auto row = expr::RowOf(dst, 0);
      const DType* const first = &row.REval(0);
      const bool streams = rows == 1 || (expr::kFactsOf<Src>.operands <= detail::kPlaces &&
                                         detail::RowsStream(first, join * dst.RowStride(), cols));
      if (streams && !detail::BeginsAt(first, src) && expr::TileStep(src, dst) == 0) {
        return detail::StreamBlock<DType, Dst>;
      }
    }
    return nullptr;
  }

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
    template <typename Saver, typename DType, typename Dst, typename Src>
    static void Run(const Dst& dst, const Src& src, std::ptrdiff_t y0, std::ptrdiff_t y1,
                    std::ptrdiff_t x0, std::ptrdiff_t x1, std::ptrdiff_t join) {
      RunLoops<Saver, DType, false>(dst, src, y0, y1, x0, x1, join, 1);
    }
  };

  /// Is the statement one of operands that are computed aside, or of a source that is?
  template <typename Saver, typename DType, typename Dst, typename Src>
  static constexpr bool kInBlocks =
      expr::detail::HasAside<Src>() ||
      (expr::kFillsOf<Src> == expr::Fills::kBlocks &&
       !detail::MapKernel<Saver, DType, Dst, Src>::kFills) ||
      (expr::detail::AsideOf<Src>::kVariants > 0 && !expr::kPlainOf<expr::RowCursor<Dst>>);

  /// dst(y, x) Saver= src(y, x) for every step-th y in [y0, y1), x in [x0, x1), by the loops of the
  /// statement; in_tiles: these rows are those of a tile.
  template <typename Saver, typename DType, bool in_tiles, typename Dst, typename Src>
  static void RunLoops(const Dst& dst, const Src& src, std::ptrdiff_t y0, std::ptrdiff_t y1,
                       std::ptrdiff_t x0, std::ptrdiff_t x1, std::ptrdiff_t join,
                       [[maybe_unused]] std::ptrdiff_t step) {
    if constexpr (in_tiles) {
      using Kernel = detail::MapKernel<Saver, DType, Dst, Src>;
      simd::Dispatch(Kernel{dst, src, y0, y1, x0, x1, join, step});
    } else {
      const detail::TileTask task{{&dst, &src, join}, false};
      kLoops<Saver, DType, Dst, Src>.Block(task, y0, y1, x0, x1);
    }
  }

  /// A statement with operands that are computed aside, block by block. Not inlined: kernels call
  /// it where such a map is an operand of something else.
  template <typename Saver, typename DType, typename Dst, typename Src>
  MSHADOW_NOINLINE static void InBlocks(const Dst& dst, const Src& src, std::ptrdiff_t y0,
                                        std::ptrdiff_t y1, std::ptrdiff_t x0, std::ptrdiff_t x1,
                                        std::ptrdiff_t join) {
    using Aside = expr::detail::AsideOf<Src>;
    constexpr bool kTiles = expr::kTransposedOf<Src> || expr::kTransposedOf<Dst>;
    constexpr int kParts = Aside::kParts;
    constexpr std::ptrdiff_t kBytes = detail::BytesAside(kParts, kTiles);
    constexpr std::ptrdiff_t kPart = kBytes / Aside::kBytes;
    if (x0 >= x1) return;  // an operand may be asked for nothing
    alignas(64) unsigned char memory[kParts * kBytes];
    std::ptrdiff_t width = x1 - x0 < kPart ? x1 - x0 : kPart, height = FloorDiv(kPart, width);
    if constexpr (kTiles) {
      constexpr std::ptrdiff_t kSide = kPart < 1024 ? 16 : kPart < 4096 ? 32 : 64;
      const expr::PlanLayout layout = expr::LayoutOf(std::ptrdiff_t{1}, src, dst);
      if (layout.tile_step != 0) {
        const std::ptrdiff_t wide = detail::TileWidth(layout.column_bytes);
        width = wide < kSide ? wide : kSide;
        if (width > x1 - x0) width = x1 - x0;
        height = kPart < 16 * width ? 1 : FloorDiv(kPart, width) & -16;
      }
    }
    InBlocksAt<Saver, DType, kTiles>(memory, kBytes, dst, src, y0, y1, x0, x1, join, width, height);
  }
  /// The same with blocks of height x width elements, where each operand has `bytes` at `memory`.
  template <typename Saver, typename DType, bool tiles, typename Dst, typename Src>
  static void InBlocksAt(unsigned char* memory, std::ptrdiff_t bytes, const Dst& dst,
                         const Src& src, std::ptrdiff_t y0, std::ptrdiff_t y1, std::ptrdiff_t x0,
                         std::ptrdiff_t x1, std::ptrdiff_t join, std::ptrdiff_t width,
                         std::ptrdiff_t height) {
    std::ptrdiff_t step = 1;
    if constexpr (tiles && expr::detail::AsideOf<Src>::kFills == 0) {
      const std::ptrdiff_t tile_step = expr::TileStep(src, dst);
      if (tile_step > join) step = tile_step / join;
    }
    // Whole rows that follow each other in all else, too, make one with those of the block.
    const auto flat_block = [x1](const auto&) {
      return expr::detail::BlockPlan<float>{nullptr, x1, 0, 0, FastDivmod(1)};
    };
    const bool flat = join == 1 && step == 1 && x0 == 0 && width == x1 && expr::IsFlat(dst, x1) &&
                      expr::IsFlat(expr::detail::WithAside(src, flat_block), x1);
    const FastDivmod rows(join * step);
    for (std::ptrdiff_t block = y0, end = y0; block < y1; block = end) {
      end = height * step < y1 - block ? block + height * step : y1;
      for (std::ptrdiff_t y = block; y < block + step && y < end; ++y) {
        for (std::ptrdiff_t x = x0, stop = x0; x < x1; x = stop) {
          stop = x1 - x < width ? x1 : x + width;
          unsigned char* part = memory;
          const auto map = expr::detail::WithAside(src, [&](const auto& operand) {
            using Element = expr::ElementOfPlan<std::decay_t<decltype(operand)>>;
            expr::detail::BlockPlan<Element> aside{reinterpret_cast<Element*>(part), stop - x,
                                                   y * join, x, rows};
            part += bytes;
            RunLoops<sv::saveto, Element, tiles>(aside, operand, y, end, x, stop, join, step);
            if (flat) {
              aside.y_ = 0;
              aside.x_ = y * x1;
            }
            return aside;
          });
          if (flat) {
            RunLoops<Saver, DType, tiles>(dst, map, 0, 1, y * x1, end * x1, 1, 1);
          } else {
            RunLoops<Saver, DType, tiles>(dst, map, y, end, x, stop, join, step);
          }
        }
      }
    }
  }

  /// What is more than rows of elements: in tiles where the plan transposes.
  template <typename Saver, typename DType, typename Dst, typename Src>
  static void Block(const detail::MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1,
                    std::ptrdiff_t x0, std::ptrdiff_t x1) {
    using Kernel = detail::MapKernel<Saver, DType, Dst, Src>;
    const Dst& dst = *static_cast<const Dst*>(task.dst);
    const Src& src = *static_cast<const Src*>(task.src);
    const std::ptrdiff_t join = task.join;
    const expr::PlanLayout layout = expr::LayoutOf(std::ptrdiff_t{1}, src, dst);
    const std::ptrdiff_t tile_step = layout.tile_step;
    if constexpr (detail::kMayGoColumnByColumn<Saver, DType, Dst, Src>) {
      if (x1 - x0 <= detail::kNarrowColumns && (tile_step == 0 || tile_step == join)) {
        return detail::FewColumns<Saver, DType, Dst, Src>(task, y0, y1, x0, x1);
      }
    }
    if constexpr (kInBlocks<Saver, DType, Dst, Src>) {
      return InBlocks<Saver, DType>(dst, src, y0, y1, x0, x1, join);
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
