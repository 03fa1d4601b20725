// SPDX-License-Identifier: Apache-2.0
// How the work of a reduction is cut, and merged again. What is cut where depends on the shape
// alone, so that results do not depend on the number of threads.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_REDUCTION_H_
#define MSHADOW_BACKEND_CPU_REDUCE_REDUCTION_H_

#include "../../../op/saver.h"
#include "../../../tensor/memory.h"
#include "../device.h"
#include "finish.h"
#include "source.h"
#include "tasks.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Result c: the reduction by Reducer::Combine of what belongs to c.
template <typename Reducer, typename Acc>
class Reduction {
  using L = Lanes<Reducer, Acc>;
  using Sink = ReduceSink<Acc>;
  using Source = ReduceSource<Acc>;
  using Tile = ReduceTile<Acc>;
  /// Partial results, row-major.
  using Partial = Temporary<cpu, 2, Acc>;
  using PartialPlan = expr::Plan<Tensor<cpu, 2, Acc>, Acc>;

 public:
  explicit Reduction(const Sink& sink) : sink_(sink) {}

  /// Reduces `rows` rows of `cols` columns to one row; cols > 0.
  void Columns(const Source& src, std::ptrdiff_t rows, std::ptrdiff_t cols) const {
    const bool flat = src.flat_rows == 0;
    // Several narrow rows make a wide one; what is left at the end goes to the last part.
    std::ptrdiff_t joined = 1;
    if (flat && rows > 1 && cols <= kJoined / 2) joined = Smaller(kJoined / cols, rows);
    const std::ptrdiff_t wide = cols * joined;
    const std::ptrdiff_t wide_rows = joined > 1 ? rows / joined : rows;
    const std::ptrdiff_t rest = rows * cols - wide_rows * wide;
    // A transposing plan reads neighbouring columns far apart: of a narrow block, the cache lines
    // are still there for the next row.
    const std::ptrdiff_t block_cols = Smaller(wide, src.add_transposed ? kTileSide : kWide);
    const std::ptrdiff_t blocks = block_cols < wide ? DivideUp(wide, block_cols) : 1;
    std::ptrdiff_t parts = 1;
    if (wide_rows >= 2 * kMinRows && wide_rows * wide >= 2 * kPart) {
      parts = Smaller(DivideUp(kParts, blocks),
                      Smaller(wide_rows * wide / kPart, wide_rows / kMinRows));
    }
    if (wide_rows > kMaxRows) parts = Larger(parts, DivideUp(wide_rows, kMaxRows));
    const std::ptrdiff_t part_rows = parts > 1 ? DivideUp(wide_rows, parts) : wide_rows;
    if (parts > 1) parts = DivideUp(wide_rows, part_rows);

    const auto reduce = [=, &src](const Sink& sink, std::ptrdiff_t task) {
      Acc acc[kWide];
      const std::ptrdiff_t part = blocks > 1 ? task / blocks : task;
      const std::ptrdiff_t x = (task - part * blocks) * block_cols;
      const std::ptrdiff_t n = Smaller(block_cols, wide - x);
      const std::ptrdiff_t row = part * part_rows;
      const std::ptrdiff_t steps = Smaller(part_rows, wide_rows - row);
      src.Add(Tile{acc, n, n, flat ? 0 : row, flat ? row * wide + x : x,
                   steps, flat ? 0 : 1, flat ? wide : 0, 1, 0, 0, 0});
      if (part == parts - 1 && rest > 0) {
        src.Add(Tile{acc, 0, rest, 0, wide_rows * wide, 1, 0, 0, 1, 0, 0, 0});
      }
      if (joined > 1) {
        Finish<Reducer>(sink, FinishKind::kColumns, acc, cols, joined, part * cols);
      } else {
        Finish<Reducer>(sink, FinishKind::kColumns, acc, n, 1, part * cols + x);
      }
    };
    const auto run = [&](const Sink& sink) {
      RunTasks(parts * blocks, part_rows * block_cols, src.cost,
               [&](std::ptrdiff_t task) { reduce(sink, task); });
    };
    if (parts == 1) return run(sink_);
    Partial partial(PartialShape(parts, cols), nullptr);
    run(PartialSink(partial.tensor().dptr_));
    const PartialPlan plan(partial.tensor());
    Columns(PartialSource(plan, parts, cols), parts, cols);
  }

  /// Reduces src((n * keep + c) * rows + y, x) over n, y and x; all extents > 0.
  void Runs(const Source& src, std::ptrdiff_t outer, std::ptrdiff_t keep, std::ptrdiff_t rows,
            std::ptrdiff_t cols) const {
    if (src.add_transposed) return TransposedRows(src, outer, keep, rows, cols);
    const bool flat = src.flat_rows == 0;
    std::ptrdiff_t join = expr::Gcd(src.flat_rows, rows);
    if (flat && keep == 1) {
      join *= outer;
      outer = 1;
    }
    if (join > 1) {
      cols *= join;
      rows = flat ? 1 : rows / join;
    }
    if (flat && outer > 1 && cols <= kShortImage) {
      Partial partial(PartialShape(keep, cols), nullptr);
      Acc* const sums = partial.tensor().dptr_;
      Reduction(PartialSink(sums)).Columns(src, outer, keep * cols);
      ShortRuns(sink_, sums, keep, cols);
    } else if (cols <= kShort && rows < kFewRows && outer * keep * rows > kFew) {
      ShortRows(src, join, outer, keep, rows, cols);
    } else if (rows > 1 && cols <= kLong) {
      Images(src, join, outer, keep, rows, cols);
    } else {
      LongRows(src, join, outer, keep, rows, cols);
    }
  }

 private:
  /// Elements of a part of a result: far more than what merging the part costs.
  static constexpr std::ptrdiff_t kPart = 65536;
  /// Columns of a part: rows of 16 KiB are read from one end to the other.
  static constexpr std::ptrdiff_t kWide = 2 * L::kMax;
  /// Rows of a part: at least so many that merging costs little; at most so many that rounding
  /// errors stay small, which grow with the number of elements that meet one lane.
  static constexpr std::ptrdiff_t kMinRows = 32, kMaxRows = 512;
  /// Parts of a row of results: enough for the threads that one memory feeds.
  static constexpr std::ptrdiff_t kParts = 64;
  /// Lanes that narrow rows are joined to.
  static constexpr std::ptrdiff_t kJoined = 512;
  /// Rows up to kShort are too short for lanes along the row, if there are more than kFew and not
  /// kFewRows of them in a run, which are added up first.
  static constexpr std::ptrdiff_t kShort = 64, kFew = 8, kFewRows = 4;
  /// Up to this length of a run, whole images of runs are added up first.
  static constexpr std::ptrdiff_t kShortImage = 512;
  /// Up to this length of a row its columns can be lanes.
  static constexpr std::ptrdiff_t kLong = 1024;

  /// Each run is some whole rows; the columns of a row are the lanes.
  void Images(const Source& src, std::ptrdiff_t join, std::ptrdiff_t outer, std::ptrdiff_t keep,
              std::ptrdiff_t rows, std::ptrdiff_t cols) const {
    const std::ptrdiff_t part_rows = Smaller(rows, Smaller(kPart / cols, kMaxRows));
    const std::ptrdiff_t parts = DivideUp(rows, part_rows);
    std::ptrdiff_t pitch = 16;
    while (pitch < cols) pitch *= 4;
    const std::ptrdiff_t batch = parts == 1 ? L::kMax / pitch : 1;
    Parts(src.cost, outer, keep, parts, batch, part_rows * cols,
          [=, &src](const Sink& sink, std::ptrdiff_t task, std::ptrdiff_t count) {
            Acc acc[L::kMax];
            const std::ptrdiff_t run = task / parts;
            const std::ptrdiff_t y = (task - run * parts) * part_rows;
            src.Add(Tile{acc, count * pitch, cols, (run * rows + y) * join, 0,
                         Smaller(part_rows, rows - y), join, 0,
                         count, pitch, rows * join, 0});
            Finish<Reducer>(sink, FinishKind::kRuns, acc, pitch, count, task);
          });
  }

  /// Each row, or part of a very long row, is a run.
  void LongRows(const Source& src, std::ptrdiff_t join, std::ptrdiff_t outer, std::ptrdiff_t keep,
                std::ptrdiff_t rows, std::ptrdiff_t cols) const {
    std::ptrdiff_t part_cols = cols;
    std::ptrdiff_t parts = 1;
    if (cols >= 2 * kPart) {
      part_cols = DivideUp(DivideUp(cols, cols / kPart), 256) * 256;
      parts = DivideUp(cols, part_cols);
    }
    if (src.reduce_rows == nullptr) {
      return LongRowsInLanes(src, join, outer, keep, rows, cols, part_cols, parts);
    }
    // So many rows at a time that handing on their results costs little.
    constexpr std::ptrdiff_t kBatch = 32, kElements = 16384;
    const std::ptrdiff_t batch = parts == 1 ? Smaller(kBatch, Larger(1, kElements / cols)) : 1;
    Parts(src.cost, outer, keep, rows * parts, batch, part_cols,
          [=, &src](const Sink& sink, std::ptrdiff_t task, std::ptrdiff_t count) {
            Acc acc[kBatch];
            const std::ptrdiff_t row = parts > 1 ? task / parts : task;
            const std::ptrdiff_t x = (task - row * parts) * part_cols;
            src.ReduceRows(Tile{acc, 0, Smaller(part_cols, cols - x), row * join, x,
                                1, 0, 0, count, 1, join, 0});
            sink.put(sink.target, acc, count, task);
          });
  }
  /// The same of rows that consist of runs: 64 or 256 lanes take all columns in turn.
  void LongRowsInLanes(const Source& src, std::ptrdiff_t join, std::ptrdiff_t outer,
                       std::ptrdiff_t keep, std::ptrdiff_t rows, std::ptrdiff_t cols,
                       std::ptrdiff_t part_cols, std::ptrdiff_t parts) const {
    const std::ptrdiff_t n = cols < kLong ? 64 : 256;
    Parts(src.cost, outer, keep, rows * parts, parts == 1 ? L::kMax / n : 1, part_cols,
          [=, &src](const Sink& sink, std::ptrdiff_t task, std::ptrdiff_t count) {
            Acc acc[L::kMax];
            const std::ptrdiff_t row = parts > 1 ? task / parts : task;
            const std::ptrdiff_t x = (task - row * parts) * part_cols;
            const std::ptrdiff_t size = Smaller(part_cols, cols - x);
            const std::ptrdiff_t whole = size / n * n;
            src.Add(Tile{acc, count * n, n, row * join, x, size / n, 0, n,
                         count, n, join, 0});
            if (whole < size) {
              src.Add(Tile{acc, 0, size - whole, row * join, x + whole, 1, 0, 0,
                           count, n, join, 0});
            }
            Finish<Reducer>(sink, FinishKind::kRuns, acc, n, count, task);
          });
  }

  /// Each row is a run; as many as fit are loaded, and reduced with lanes across them.
  void ShortRows(const Source& src, std::ptrdiff_t join, std::ptrdiff_t outer, std::ptrdiff_t keep,
                 std::ptrdiff_t rows, std::ptrdiff_t cols) const {
    const bool flat = src.flat_rows == 0;
    Parts(src.cost, outer, keep, rows, L::kMax / cols, cols,
          [=, &src](const Sink& sink, std::ptrdiff_t task, std::ptrdiff_t count) {
            Acc acc[L::kMax];
            const std::ptrdiff_t size = count * cols;
            if (flat) {
              src.Add(Tile{acc, size, size, 0, task * cols, 1, 0, 0, 1, 0, 0, 0});
            } else {
              src.Add(Tile{acc, size, cols, task * join, 0, 1, 0, 0,
                           count, cols, join, 0});
            }
            Finish<Reducer>(sink, FinishKind::kShort, acc, cols, count, task);
          });
  }

  /// Each row is a run; so many that whole stretches of memory are read take their columns in turn.
  /// Each eighth of the columns has lanes of its own, which keeps rounding errors small.
  void TransposedRows(const Source& src, std::ptrdiff_t outer, std::ptrdiff_t keep,
                      std::ptrdiff_t rows, std::ptrdiff_t cols) const {
    constexpr std::ptrdiff_t kEighths = 8;
    const std::ptrdiff_t part_cols = DivideUp(cols, kEighths);
    Parts(src.cost, outer, keep, rows, L::kMax / kEighths, cols,
          [=, &src](const Sink& sink, std::ptrdiff_t task, std::ptrdiff_t count) {
            Acc acc[L::kMax];
            std::ptrdiff_t parts = 0;
            for (std::ptrdiff_t x = 0; x < cols; x += part_cols, ++parts) {
              src.AddTransposed(Tile{acc + parts * count, count,
                                     Smaller(part_cols, cols - x), task, x, 1, 0, 0,
                                     count, 0, 0, 0});
            }
            Finish<Reducer>(sink, FinishKind::kColumns, acc, count, parts, task);
          });
  }

  /// reduce(sink, task, count) of one of the ways above, without its type.
  struct Step {
    const void* reduce;
    void (*call)(const void* reduce, const Sink& sink, std::ptrdiff_t task, std::ptrdiff_t count);
  };
  /// Calls reduce(sink, task, count) for all outer * keep * parts tasks of `elements` each, up to
  /// `batch` at a time, and merges what they give where that is more than one value a result.
  template <typename F>
  void Parts(int cost, std::ptrdiff_t outer, std::ptrdiff_t keep, std::ptrdiff_t parts,
             std::ptrdiff_t batch, std::ptrdiff_t elements, const F& reduce) const {
    const auto call = [](const void* f, const Sink& sink, std::ptrdiff_t task,
                         std::ptrdiff_t count) { (*static_cast<const F*>(f))(sink, task, count); };
    RunParts(cost, outer, keep, parts, batch, elements, Step{&reduce, call});
  }
  MSHADOW_NOINLINE void RunParts(int cost, std::ptrdiff_t outer, std::ptrdiff_t keep,
                                 std::ptrdiff_t parts, std::ptrdiff_t batch,
                                 std::ptrdiff_t elements, const Step& step) const {
    const std::ptrdiff_t tasks = outer * keep * parts;
    const auto run = [=](const Sink& sink) {
      if (tasks <= batch) return step.call(step.reduce, sink, 0, tasks);
      RunTasks(DivideUp(tasks, batch), batch * elements, cost, [&](std::ptrdiff_t i) {
        step.call(step.reduce, sink, i * batch, Smaller(batch, tasks - i * batch));
      });
    };
    if (tasks == keep) return run(sink_);
    Partial partial(PartialShape(outer * keep, parts), nullptr);
    Acc* const sums = partial.tensor().dptr_;
    run(PartialSink(sums));
    if (outer == 1) return ShortRuns(sink_, sums, keep, parts);
    // In place the tasks of ShortRuns would write what others have yet to read.
    Partial whole(PartialShape(parts > 1 ? outer : 0, keep), nullptr);
    Acc* const results = parts > 1 ? whole.tensor().dptr_ : sums;
    if (parts > 1) ShortRuns(PartialSink(results), sums, outer * keep, parts);
    const PartialPlan plan(Tensor<cpu, 2, Acc>(results, PartialShape(outer, keep)));
    Columns(PartialSource(plan, outer, keep), outer, keep);
  }
  /// Result i is what elements i * n, ..., i * n + n - 1 of `memory` give, which are overwritten.
  static void ShortRuns(const Sink& sink, Acc* memory, std::ptrdiff_t runs, std::ptrdiff_t n) {
    const std::ptrdiff_t batch = Larger(1, L::kMax / n);
    RunTasks(DivideUp(runs, batch), batch * n, 1, [=, &sink](std::ptrdiff_t task) {
      const std::ptrdiff_t i = task * batch;
      Finish<Reducer>(sink, FinishKind::kShort, memory + i * n, n, Smaller(batch, runs - i), i);
    });
  }

  /// Partial results are fewer than elements: one kernel for them is compiled faster than three.
  static Source PartialSource(const PartialPlan& plan, std::ptrdiff_t rows, std::ptrdiff_t cols) {
    return MakeReduceSource<Reducer, Acc, false, false>(plan, rows, cols);
  }
  static Shape<2> PartialShape(std::ptrdiff_t rows, std::ptrdiff_t cols) {
    return Shape2(static_cast<index_t>(rows), static_cast<index_t>(cols));
  }

  Sink sink_;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_REDUCTION_H_
