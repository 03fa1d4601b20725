// SPDX-License-Identifier: Apache-2.0
// Reductions by reducers that do not offer Combine, and indices by those that are no maximum or
// minimum: element by element, in row-major order. Several results are reduced side by side.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_IN_ORDER_H_
#define MSHADOW_BACKEND_CPU_REDUCE_IN_ORDER_H_

#include <cstddef>

#include "../../../core/axis_groups.h"
#include "../../../expr/plan/blocks.h"
#include "../../../expr/plan/plan.h"
#include "../../../op/one_pass.h"
#include "../../../simd/transpose_block.h"
#include "fold_reduction.h"
#include "tasks.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Reductions side by side: each sees its elements in their order.
template <typename Kind, int lanes>
struct OrderedLanes {
  using Acc = typename Kind::Acc;
  Acc value[lanes];
  std::ptrdiff_t index[Kind::kNumbers ? lanes : 1];

  MSHADOW_FORCE_INLINE void Start(std::ptrdiff_t count) {
    const Acc init = red::InitValue<typename Kind::ReducerType, Acc>();
    for (std::ptrdiff_t l = 0; l < count; ++l) {
      value[l] = init;
      if constexpr (Kind::kNumbers) index[l] = 0;
    }
  }
  /// Adds element(l), which has this number, to each lane l < count.
  template <typename F>
  MSHADOW_FORCE_INLINE void Add(std::ptrdiff_t count, const F& element,
                                [[maybe_unused]] std::ptrdiff_t number) {
    MSHADOW_IVDEP
    for (std::ptrdiff_t l = 0; l < count; ++l) {
      const Acc next = Kind::Next(value[l], element(l));
      if constexpr (Kind::kNumbers) index[l] = red::Changes(value[l], next) ? number : index[l];
      value[l] = next;
    }
  }
  MSHADOW_FORCE_INLINE void Results(std::ptrdiff_t count, typename Kind::Out* to) const {
    MSHADOW_IVDEP
    for (std::ptrdiff_t l = 0; l < count; ++l) {
      to[l] = Kind::ResultOf(value[l], index[Kind::kNumbers ? l : 0]);
    }
  }
};

/// Rows of a plan, one a lane: that of lane l begins at element (y + l * step_y, x + l * step_x).
/// Lanes from `count` on repeat the last one.
struct LaneRows {
  std::ptrdiff_t y, step_y, x, step_x, count;
};

/// out[i] = result begin + i of `groups`, i < count, by Kind, an InOrder. rows: the last axes are
/// reduced, and all kept ones are one group. Otherwise these results are columns of one line.
template <typename Kind, bool rows, typename Src>
struct InOrderKernel {
  using Acc = typename Kind::Acc;
  using Reducer = typename Kind::ReducerType;
  Src src;
  const expr::AxisGroups& groups;
  bool flat;  // src is one row
  std::ptrdiff_t begin, count;
  typename Kind::Out* out;

  /// The most results at a time, and how many threads get at least: whole stretches of memory are
  /// read.
  static constexpr std::ptrdiff_t kBlock = rows ? 128 : 512, kMinBlock = 128;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    if constexpr (rows) {
      Rows<Isa>();
    } else {
      Columns();
    }
  }

 private:
  /// So many results side by side: several vectors, one of which is computed while others wait for
  /// their operands.
  static constexpr int kLanes = 64;
  /// Elements of a lane that are loaded at a time, as many as make squares.
  static constexpr std::ptrdiff_t kPart = 32;
  /// From this length on, a row is worth the merging of its parts.
  static constexpr std::ptrdiff_t kMinMerged = 1024;
  static constexpr bool kMerges = red::HasMerge<Reducer, Acc>::value && !Kind::kNumbers;

  MSHADOW_FORCE_INLINE void Columns() const {
    const std::ptrdiff_t inner = groups.inner, cols = flat ? inner : groups.cols;
    const std::ptrdiff_t o = begin / inner, rest = begin - o * inner;
    const std::ptrdiff_t line = rest / cols, x = rest - line * cols, lines = inner / cols;
    OrderedLanes<Kind, kBlock> state;
    state.Start(count);
    for (std::ptrdiff_t i = 0; i < groups.middle; ++i) {
      const std::ptrdiff_t y = (o * groups.middle + i) * lines + line;
      const auto row = expr::RowOf(src, flat ? 0 : y);
      const std::ptrdiff_t first = flat ? y * inner + x : x;
      if constexpr (!expr::kFillsOf<Src>) {
        const auto element = [&](std::ptrdiff_t c) MSHADOW_INLINE_LAMBDA {
          return static_cast<Acc>(row.Eval(first + c));
        };
        state.Add(count, element, i);
      } else {
        Acc element[kBlock];
        expr::FillBlock(src, element, 0, flat ? 0 : y, (flat ? 0 : y) + 1, first, first + count);
        state.Add(count, [&](std::ptrdiff_t c) MSHADOW_INLINE_LAMBDA { return element[c]; }, i);
      }
    }
    state.Results(count, out);
  }

  template <typename Isa>
  MSHADOW_FORCE_INLINE void Rows() const {
    const std::ptrdiff_t cols = flat ? groups.inner : groups.cols;
    const bool merges = kMerges && cols >= kMinMerged;
    std::ptrdiff_t r = 0;
    if (count > 1 && !(merges && count < kLanes / 2)) {
      for (; r < count; r += kLanes) {
        // The last group overlaps the one before.
        if (count >= kLanes && r > count - kLanes) r = count - kLanes;
        OrderedLanes<Kind, kLanes> state;
        state.Start(kLanes);
        const std::ptrdiff_t n = count - r < kLanes ? count - r : kLanes;
        ForEachLine(r, [&](LaneRows from, std::ptrdiff_t number) MSHADOW_INLINE_LAMBDA {
          from.count = n;
          AddLanes<Isa>(from, cols, number, &state);
        });
        state.Results(n, out + r);
      }
    }
    for (; r < count; ++r) {
      OrderedLanes<Kind, 1> state;
      state.Start(1);
      ForEachLine(r, [&](const LaneRows& from, std::ptrdiff_t number) MSHADOW_INLINE_LAMBDA {
        if constexpr (kMerges) {
          if (merges) return AddInParts<Isa>(from.y, from.x, cols, &state);
        }
        AddRow(from.y, from.x, cols, number, &state);
      });
      state.Results(1, out + r);
    }
  }
  /// Calls f(rows, number) for the lines of results begin + r and on: where they are, and how many
  /// elements of a result come before them.
  template <typename F>
  MSHADOW_FORCE_INLINE void ForEachLine(std::ptrdiff_t r, const F& f) const {
    const std::ptrdiff_t cols = flat ? groups.inner : groups.cols, lines = groups.inner / cols;
    std::ptrdiff_t number = 0;
    for (std::ptrdiff_t q = 0; q < groups.OuterReduced(); ++q) {
      for (std::ptrdiff_t j = 0; j < lines; ++j, number += cols) {
        const std::ptrdiff_t y = (q * groups.middle + begin + r) * lines + j;
        f(flat ? LaneRows{0, 0, y * cols, cols, 1} : LaneRows{y, lines, 0, 0, 1}, number);
      }
    }
  }

  /// Adds n elements of the row of each lane.
  template <typename Isa>
  MSHADOW_FORCE_INLINE void AddLanes(const LaneRows& from, std::ptrdiff_t n, std::ptrdiff_t number,
                                     OrderedLanes<Kind, kLanes>* state) const {
    Acc row[kLanes * kPart], element[kPart * kLanes];
    for (std::ptrdiff_t i = 0; i < n; i += kPart) {
      const std::ptrdiff_t size = n - i < kPart ? n - i : kPart;
      for (std::ptrdiff_t l = 0; l < kLanes; ++l) {
        const std::ptrdiff_t lane = l < from.count ? l : from.count - 1;
        const std::ptrdiff_t x = from.x + lane * from.step_x + i;
        const std::ptrdiff_t y = from.y + lane * from.step_y;
        expr::FillBlock(src, row + l * kPart, 0, y, y + 1, x, x + size);
        for (std::ptrdiff_t k = size; k < kPart; ++k) row[l * kPart + k] = Acc();
      }
      Transpose<Isa>(row, element);
      for (std::ptrdiff_t k = 0; k < size; ++k) {
        const Acc* const here = element + k * kLanes;
        state->Add(kLanes, [here](std::ptrdiff_t l) MSHADOW_INLINE_LAMBDA { return here[l]; },
                   number + i + k);
      }
    }
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Transpose(const Acc* row, Acc* element) {
    if constexpr (simd::kShuffles<Isa, Acc>) {
      constexpr int kSide = simd::kCopySide<Isa, Acc>;
      for (std::ptrdiff_t l = 0; l < kLanes; l += kSide) {
        for (std::ptrdiff_t k = 0; k < kPart; k += kSide) {
          simd::CopyTransposedBlock<Isa>(row + l * kPart + k, kPart, element + k * kLanes + l,
                                         kLanes);
        }
      }
    } else {
      for (std::ptrdiff_t k = 0; k < kPart; ++k) {
        for (std::ptrdiff_t l = 0; l < kLanes; ++l) element[k * kLanes + l] = row[l * kPart + k];
      }
    }
  }
  /// Adds elements [x, x + n) of row y.
  MSHADOW_FORCE_INLINE void AddRow(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t n,
                                   std::ptrdiff_t number, OrderedLanes<Kind, 1>* state) const {
    constexpr std::ptrdiff_t kSize = 256;
    Acc element[kSize];
    for (std::ptrdiff_t i = 0; i < n; i += kSize) {
      const std::ptrdiff_t size = n - i < kSize ? n - i : kSize;
      expr::FillBlock(src, element, 0, y, y + 1, x + i, x + i + size);
      for (std::ptrdiff_t k = 0; k < size; ++k) {
        state->Add(1, [&](std::ptrdiff_t) MSHADOW_INLINE_LAMBDA { return element[k]; },
                   number + i + k);
      }
    }
  }
  /// The same, where Reducer::Merge joins parts of the row in their order.
  template <typename Isa>
  MSHADOW_FORCE_INLINE void AddInParts(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t n,
                                       OrderedLanes<Kind, 1>* state) const {
    const std::ptrdiff_t part = n / kLanes;
    OrderedLanes<Kind, kLanes> parts;
    parts.Start(kLanes);
    AddLanes<Isa>(LaneRows{y, 0, x, part, kLanes}, part, 0, &parts);
    for (int l = 0; l < kLanes; ++l) Reducer::Merge(state->value[0], parts.value[l]);
    AddRow(y, x + part * kLanes, n - part * kLanes, 0, state);
  }
};

/// Hands the reductions of `src` by Kind, an InOrder, on to the sink.
template <typename Kind, bool rows, typename Src>
inline void ReduceInOrder(const Src& src, const expr::AxisGroups& groups,
                          const FoldSink& sink) {
  using Kernel = InOrderKernel<Kind, rows, Src>;
  const std::ptrdiff_t results = groups.Results(), reduced = groups.Reduced();
  if (results == 0) return;
  const bool flat = expr::FlatRows(src, groups.cols) == 0;
  // Results of a task are of one line, where they are columns.
  const std::ptrdiff_t line = rows ? results : flat ? groups.inner : groups.cols;
  const std::ptrdiff_t block =
      Smaller(Kernel::kBlock, Larger(Kernel::kMinBlock, DivideUp(line, MaxThreads())));
  const std::ptrdiff_t blocks = DivideUp(line, block);
  RunTasks(kThreadTeam, results / line * blocks, reduced * DivideUp(line, blocks),
           1 + expr::kCostOf<Src>,
           [&](std::ptrdiff_t task) {
             const std::ptrdiff_t o = task / blocks, x = (task - o * blocks) * block;
             const std::ptrdiff_t begin = o * line + x, count = Smaller(block, line - x);
             typename Kind::Out out[Kernel::kBlock];
             if (reduced == 0) {
               OrderedLanes<Kind, Kernel::kBlock> nothing;
               nothing.Start(count);
               nothing.Results(count, out);
             } else {
               simd::Dispatch(Kernel{src, groups, flat, begin, count, out});
             }
             sink.put(sink.target, out, begin, count);
           });
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_IN_ORDER_H_
