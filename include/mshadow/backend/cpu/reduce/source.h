// SPDX-License-Identifier: Apache-2.0
// The only loops of a reduction that know the expression: they add elements to lanes.
//
// All that is not these loops is compiled once for all expressions of an element type.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_SOURCE_H_
#define MSHADOW_BACKEND_CPU_REDUCE_SOURCE_H_

#include "../../../expr/plan.h"
#include "../../../expr/row_lanes.h"
#include "../../../simd/cache.h"
#include "../executor.h"
#include "../half_rows.h"
#include "../threads.h"
#include "lanes.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Elements of an expression, and the lanes that they are added to. Lane l of run i takes
///   element (y + i * run_y + j * step_y, x + i * run_x + j * step_x + l), j < steps, l < n
template <typename Acc>
struct ReduceTile {
  Acc* acc;                     // run i has the lanes acc[i * pitch ...]
  std::ptrdiff_t init;          // so many lanes are initialised first
  std::ptrdiff_t n, y, x;
  std::ptrdiff_t steps, step_y, step_x;
  std::ptrdiff_t runs, pitch, run_y, run_x;
};

/// Adds a tile to its lanes.
template <typename Reducer, typename Acc, typename Src>
struct AddKernel {
  Src src;
  ReduceTile<Acc> t;

  using L = Lanes<Reducer, Acc>;

  template <typename Isa, typename Cursor>
  MSHADOW_FORCE_INLINE static void AddRow(Acc* acc, const Cursor& row, std::ptrdiff_t x,
                                          std::ptrdiff_t end) {
    if constexpr (kAddsLanes<Acc, Cursor> && Isa::kIsa != simd::Isa::kBaseline) {
      for (; x + simd::kHalfLanes <= end; x += simd::kHalfLanes, acc += simd::kHalfLanes) {
        float number[simd::kHalfLanes];
        RoundedLanes(row, x, number);
        MSHADOW_SIMD_LOOP
        for (int k = 0; k < simd::kHalfLanes; ++k) acc[k] = Reducer::Combine(acc[k], number[k]);
      }
      for (; x < end; ++x, ++acc) *acc = Reducer::Combine(*acc, static_cast<Acc>(row.Eval(x)));
    } else if constexpr (expr::kRunsOf<Cursor>) {
      for (std::ptrdiff_t first = x; first < end;) {
        std::ptrdiff_t stop = end;
        const auto run = expr::RunOf(row, first, &stop);
        Acc* const to = acc + (first - x);
        expr::Specialize(
            run, [=](const auto& c) MSHADOW_INLINE_LAMBDA { L::Add(to, stop - first, c, first); });
        first = stop;
      }
    } else if constexpr (expr::kSpecializesOf<Cursor>) {
      expr::Specialize(row,
                       [=](const auto& c) MSHADOW_INLINE_LAMBDA { L::Add(acc, end - x, c, x); });
    } else {
      L::Add(acc, end - x, row, x);
    }
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    L::Init(t.acc, t.init);
    for (std::ptrdiff_t i = 0; i < t.runs; ++i) {
      for (std::ptrdiff_t j = 0; j < t.steps; ++j) {
        const std::ptrdiff_t x = t.x + i * t.run_x + j * t.step_x;
        AddRow<Isa>(t.acc + i * t.pitch, expr::RowOf(src, t.y + i * t.run_y + j * t.step_y), x,
                    x + t.n);
      }
    }
  }
};

/// Adds as many steps of a tile as are multiples of four, four at a time.
template <typename Reducer, typename Acc, typename Src>
struct AddFoursKernel {
  Src src;
  ReduceTile<Acc> t;

  using L = Lanes<Reducer, Acc>;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    L::Init(t.acc, t.init);
    for (std::ptrdiff_t i = 0; i < t.runs; ++i) {
      for (std::ptrdiff_t j = 0; j + 4 <= t.steps; j += 4) {
        const std::ptrdiff_t y = t.y + i * t.run_y + j * t.step_y;
        L::Add(t.acc + i * t.pitch, t.n, expr::RowOf(src, y), expr::RowOf(src, y + t.step_y),
               expr::RowOf(src, y + 2 * t.step_y), expr::RowOf(src, y + 3 * t.step_y),
               t.x + i * t.run_x + j * t.step_x, t.step_x);
      }
    }
  }
};

/// Lane 0 of each run becomes the reduction of all n elements of the run: the memory is read from
/// one end to the other, what it is added to stays in registers.
template <typename Reducer, typename Acc, typename Src>
struct ReduceRowsKernel {
  Src src;
  ReduceTile<Acc> t;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t i = 0; i < t.runs; ++i) {
      const std::ptrdiff_t x = t.x + i * t.run_x;
      t.acc[i * t.pitch] = expr::detail::ReduceRow<Reducer, Acc>(
          expr::RowOf(src, t.y + i * t.run_y), x, x + t.n);
    }
  }
};

/// Adds a tile of a transposing plan, whose neighbours in y, not in x, are neighbours in memory:
/// the loops over runs and lanes change places. Lane 0 of each run takes all n elements.
template <typename Reducer, typename Acc, typename Src>
struct AddTransposedKernel {
  Src src;
  ReduceTile<Acc> t;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    Lanes<Reducer, Acc>::Init(t.acc, t.init);
    for (std::ptrdiff_t x = t.x; x < t.x + t.n; ++x) {
      Acc* const acc = t.acc;
      const Src from = src;
      const std::ptrdiff_t y = t.y;
      MSHADOW_IVDEP
      for (std::ptrdiff_t i = 0; i < t.runs; ++i) {
        acc[i] = Reducer::Combine(acc[i], static_cast<Acc>(expr::RowOf(from, y + i).Eval(x)));
      }
    }
  }
};

/// Adds a tile; fours: by AddFoursKernel where it has so many steps.
template <typename Reducer, typename Acc, bool fours, typename Src>
inline void AddTile(const Src& src, simd::Isa isa, const ReduceTile<Acc>& tile) {
  using Cursor = expr::RowCursor<Src>;
  if constexpr (fours && expr::kPlainOf<Cursor> && !kAddsLanes<Acc, Cursor>) {
    // Few lanes are in registers sooner than four rows are set up.
    if (tile.n >= 64 && tile.steps >= 4) {
      simd::RunOn(isa, AddFoursKernel<Reducer, Acc, Src>{src, tile});
      const std::ptrdiff_t done = tile.steps / 4 * 4;
      if (done == tile.steps) return;
      ReduceTile<Acc> rest = tile;
      rest.init = 0;
      rest.y += done * tile.step_y;
      rest.x += done * tile.step_x;
      rest.steps -= done;
      return simd::RunOn(isa, AddKernel<Reducer, Acc, Src>{src, rest});
    }
  }
  simd::RunOn(isa, AddKernel<Reducer, Acc, Src>{src, tile});
}

/// Adds a tile of a plan that computes many elements at a time: blocks of it are filled, a few
/// kilobytes each, and added like other memory.
template <typename Reducer, typename Acc, typename Src>
class FilledTile {
  using Element = expr::ElementOfPlan<Src>;
  using Block = expr::detail::BlockPlan<Element>;
  static constexpr std::ptrdiff_t kMax = 8192 / static_cast<std::ptrdiff_t>(sizeof(Element));

 public:
  static void Add(const Src& src, simd::Isa isa, const ReduceTile<Acc>& t) {
    Lanes<Reducer, Acc>::Init(t.acc, t.init);
    const bool along = t.step_y == 0 && t.step_x == t.n && t.n <= kMax;
    if (t.steps > 1 && !along && (t.step_y != 1 || t.step_x != 0)) return OneByOne(src, isa, t);
    // Run i takes `high` rows of `wide` elements, which are all its steps or a step each.
    const std::ptrdiff_t high = along ? 1 : t.steps, wide = along ? t.steps * t.n : t.n;
    const std::ptrdiff_t width = wide <= kMax ? wide : kMax / t.n > 0 ? kMax / t.n * t.n : kMax;
    const std::ptrdiff_t most = width > 0 ? kMax / width : 1;
    const bool follow = t.run_x == 0 && t.run_y == high && high <= most && width == wide;
    const std::ptrdiff_t batch = follow && high > 0 ? most / high : 1;
    for (std::ptrdiff_t i = 0; i < t.runs; i += batch) {
      const std::ptrdiff_t runs = batch < t.runs - i ? batch : t.runs - i;
      for (std::ptrdiff_t y = 0; y < high; y += most) {
        const std::ptrdiff_t rows = runs > 1 ? runs * high : most < high - y ? most : high - y;
        for (std::ptrdiff_t x = 0; x < wide; x += width) {
          const std::ptrdiff_t cols = width < wide - x ? width : wide - x;
          AddBlock(src, isa, t, i, runs, y, rows, x, cols, along);
        }
      }
    }
  }

 private:
  /// Adds the columns [x, x + cols) of the rows [y, y + rows) of the runs [i, i + runs).
  static void AddBlock(const Src& src, simd::Isa isa, const ReduceTile<Acc>& t, std::ptrdiff_t i,
                       std::ptrdiff_t runs, std::ptrdiff_t y, std::ptrdiff_t rows,
                       std::ptrdiff_t x, std::ptrdiff_t cols, bool along) {
    alignas(64) Element memory[kMax];
    const std::ptrdiff_t row = t.y + i * t.run_y + y, column = t.x + i * t.run_x + x;
    Executor<cpu>::FillBlock<Element>(Block{memory, cols, row, column, FastDivmod(1)}, src, row,
                                      row + rows, column, column + cols);
    const Block block{memory, cols, 0, 0, FastDivmod(1)};
    const std::ptrdiff_t n = along ? t.n : cols, high = rows / runs;
    AddTile<Reducer, Acc, true>(
        block, isa,
        {t.acc + i * t.pitch + (along ? 0 : x), 0, n, 0, 0, along ? cols / n : high,
         along ? 0 : 1, along ? n : 0, runs, t.pitch, high, 0});
  }
  /// The same step by step.
  static void OneByOne(const Src& src, simd::Isa isa, const ReduceTile<Acc>& t) {
    ReduceTile<Acc> step = t;
    step.steps = step.runs = 1;
    step.init = 0;
    for (std::ptrdiff_t i = 0; i < t.runs; ++i) {
      for (std::ptrdiff_t j = 0; j < t.steps; ++j) {
        step.acc = t.acc + i * t.pitch;
        step.y = t.y + i * t.run_y + j * t.step_y;
        step.x = t.x + i * t.run_x + j * t.step_x;
        Add(src, isa, step);
      }
    }
  }
};

/// The instruction set that reads so many elements fastest, of which little is computed.
inline simd::Isa IsaForReduction(std::ptrdiff_t elements, std::size_t bytes) {
  return simd::IsaForMemory(bytes, ThreadsFor(elements, kGrainCost / kMinCost));
}

/// A plan without its type, and the instruction set for its loops.
template <typename Acc>
struct ReduceSource {
  using Function = void (*)(const void* plan, simd::Isa isa, const ReduceTile<Acc>& tile);
  const void* plan;
  simd::Isa isa;
  std::ptrdiff_t flat_rows;  // expr::FlatRows
  int cost;                  // of an element
  Function add;
  Function reduce_rows;     // or nullptr
  Function add_transposed;  // or nullptr

  void Add(const ReduceTile<Acc>& tile) const { add(plan, isa, tile); }
  void ReduceRows(const ReduceTile<Acc>& tile) const { reduce_rows(plan, isa, tile); }
  void AddTransposed(const ReduceTile<Acc>& tile) const { add_transposed(plan, isa, tile); }
};

/// A source of `rows` rows of `cols` columns. fours, each_row: compile the kernel that adds four
/// rows at a time, and ReduceRowsKernel, too.
template <typename Reducer, typename Acc, bool fours = true, bool each_row = true, typename Src>
inline ReduceSource<Acc> MakeReduceSource(const Src& src, std::ptrdiff_t rows,
                                          std::ptrdiff_t cols) {
  ReduceSource<Acc> source{&src, simd::ActiveIsa(), expr::FlatRows(src, cols),
                           1 + expr::kCostOf<Src>, nullptr, nullptr, nullptr};
  if constexpr (expr::kCostOf<Src> < kExpensiveCost && !expr::kTransposedOf<Src>) {
    const std::ptrdiff_t elements = rows * cols;
    source.isa = IsaForReduction(elements, elements * expr::ReadsOf(src) * sizeof(Acc));
  }
  constexpr bool kLanes = kAddsLanes<Acc, expr::RowCursor<Src>>;
  constexpr bool kFills = expr::kFillsOf<Src> == expr::Fills::kBlocks;
  source.add = [](const void* plan, simd::Isa isa, const ReduceTile<Acc>& tile) {
    const Src& from = *static_cast<const Src*>(plan);
    if constexpr (kFills) {
      FilledTile<Reducer, Acc, Src>::Add(from, isa, tile);
    } else {
      AddTile<Reducer, Acc, fours>(from, isa, tile);
    }
  };
  // Runs may be short: their elements would be added to few of the lanes.
  if constexpr (each_row && !expr::kRunsOf<expr::RowCursor<Src>> && !kLanes) {
    source.reduce_rows = [](const void* plan, simd::Isa isa, const ReduceTile<Acc>& tile) {
      simd::RunOn(
          isa, ReduceRowsKernel<Reducer, Acc, Src>{*static_cast<const Src*>(plan), tile});
    };
  }
  if constexpr (expr::kTransposedOf<Src> && !kFills) {
    if (expr::TileStep(src) != 0) {
      source.add_transposed = [](const void* plan, simd::Isa isa, const ReduceTile<Acc>& tile) {
        simd::RunOn(
            isa, AddTransposedKernel<Reducer, Acc, Src>{*static_cast<const Src*>(plan), tile});
      };
    }
  }
  return source;
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_SOURCE_H_
