// SPDX-License-Identifier: Apache-2.0
// Reductions by name over any axes: how the work is cut into blocks, and merged again. The cuts
// depend on the shape alone, so that results do not depend on the number of threads.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_H_

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "../../../expr/axis_groups.h"
#include "../../../tensor/memory.h"
#include "../device.h"
#include "statistic_source.h"
#include "tasks.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Where results go: put(target, results, i, n) takes results i, .., i + n - 1.
template <typename Out>
struct StatisticSink {
  void* target;
  void (*put)(void* target, const Out* results, std::ptrdiff_t i, std::ptrdiff_t n);
};

/// A reduction of groups of axes; rows: the last axes are reduced, not kept.
template <typename Kind, bool rows>
class StatisticReduction {
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  using Scout = typename Kind::Scout;
  using Total = typename Kind::Total;
  using Out = typename Kind::Out;

 public:
  StatisticReduction(const StatisticSource<Kind>& source, const expr::AxisGroups& groups,
                     const StatisticSink<Out>& sink)
      : source_(source), groups_(groups), sink_(sink) {
    // A line is as much of the inner group as lies in one row of the joined plan.
    const std::ptrdiff_t cols = groups.cols, count = groups.inner / (cols > 0 ? cols : 1);
    join_ = count > 1 ? expr::Gcd(source.join, count) : 1;
    line_ = cols * join_;
    lines_ = count / join_;
  }
  MSHADOW_NOINLINE void Run() const {
    if (groups_.Results() == 0) return;
    if (groups_.Reduced() == 0) return OfNothing();
    if constexpr (rows) {
      Rows();
    } else {
      Columns();
    }
  }

  /// to[i] = result begin + i, for i < end - begin, of a reduction over the last axes alone; by the
  /// thread that calls.
  void RunRows(std::ptrdiff_t begin, std::ptrdiff_t end, Out* to) const {
    constexpr std::ptrdiff_t kMost = 16;
    const std::ptrdiff_t width = Smaller(line_, source_.reduced);
    for (std::ptrdiff_t count; begin < end; begin += count, to += count) {
      count = Smaller(kMost, end - begin);
      Room room;
      room.count = count;
      if (groups_.Reduced() == 0) {
        for (std::ptrdiff_t k = 0; k < count; ++k) to[k] = Kind::Finish(Total(), 0);
        continue;
      }
      for (std::ptrdiff_t run = 0; run < lines_; ++run) {
        for (std::ptrdiff_t x = 0; x < line_; x += width) {
          const std::ptrdiff_t n = Smaller(width, line_ - x);
          Add(RegionOf(begin * lines_ + run, count, x, n), n, run * line_ + x, &room);
        }
      }
      Finish(room.total(), count, &room, to);
    }
  }

 private:
  /// Elements of a part of a result, and how many parts feed all threads that one memory does.
  static constexpr std::ptrdiff_t kPart = 65536, kParts = 64;
  /// Results of whole lines at a time, of so many elements side by side: handing them on then costs
  /// little, and images are read in order where all but the channels is reduced.
  static constexpr std::ptrdiff_t kBatch = 256, kElements = 65536;
  /// What a task reduces to. No constructor runs on the arrays.
  static constexpr std::ptrdiff_t kMaxTotals = kMaxStatisticLanes;
  struct Room {
    std::ptrdiff_t count = 0, result = 0;  // of results, and the first one
    bool is_one_block = true;              // no totals: the lanes hold all elements
    Acc acc[kMaxTotals];
    Aux aux[Kind::kHasAux ? kMaxTotals : 1];
    Scout scouts[Kind::kTwoPasses ? kMaxTotals : 1];
    alignas(Total) unsigned char total_bytes[kMaxTotals * sizeof(Total)];
    alignas(Out) unsigned char result_bytes[kMaxTotals * sizeof(Out)];
    Total* total() { return reinterpret_cast<Total*>(total_bytes); }
    Out* results() { return reinterpret_cast<Out*>(result_bytes); }
  };

  /// A result is made of whole lines.
  void Rows() const {
    const std::ptrdiff_t middle = groups_.middle, outer = groups_.Results() / middle;
    const std::ptrdiff_t columns = Smaller(line_, source_.reduced);
    const std::ptrdiff_t across = DivideUp(line_, columns);
    const std::ptrdiff_t chunks = groups_.OuterReduced() * lines_ * across;
    const std::ptrdiff_t batch = Larger(1, Smaller(kBatch, kElements / groups_.inner));
    const std::ptrdiff_t batches = DivideUp(middle, batch);
    Split(outer * batches, chunks, columns * batch,
          [&](std::ptrdiff_t task, std::ptrdiff_t first, std::ptrdiff_t last, Room* room) {
            const std::ptrdiff_t o = task / batches, begin = (task - o * batches) * batch;
            const std::ptrdiff_t line = groups_.OuterKept(o, lines_) + begin * lines_;
            room->count = Smaller(batch, middle - begin);
            room->result = o * middle + begin;
            for (std::ptrdiff_t chunk = first; chunk < last; ++chunk) {
              const std::ptrdiff_t run = chunk / across, x = (chunk - run * across) * columns;
              const std::ptrdiff_t q = run / lines_, n = Smaller(columns, line_ - x);
              const std::ptrdiff_t at = line + groups_.OuterReducedAt(q, lines_) + run - q * lines_;
              Add(RegionOf(at, room->count, x, n), n, run * line_ + x, room);
            }
          });
  }

  /// Lines are added to each other.
  void Columns() const {
    const std::ptrdiff_t middle = groups_.middle, outer = groups_.Results() / groups_.inner;
    const std::ptrdiff_t across = DivideUp(line_, source_.kept);
    const std::ptrdiff_t columns = Smaller(DivideUp(DivideUp(line_, across), 64) * 64, line_);
    // Several narrow lines that follow each other are a wide one.
    const bool joins = source_.join == 0 && lines_ == 1 && !Kind::kNumbers;
    const std::ptrdiff_t joined = joins ? source_.kept / 2 / line_ : 1;
    Split(outer * lines_ * across, groups_.OuterReduced() * middle, columns,
          [&](std::ptrdiff_t task, std::ptrdiff_t first, std::ptrdiff_t last, Room* room) {
            const std::ptrdiff_t run = task / across, x = (task - run * across) * columns;
            const std::ptrdiff_t o = run / lines_;
            const std::ptrdiff_t line = groups_.OuterKept(o, lines_) + run - o * lines_;
            room->count = Smaller(columns, line_ - x);
            room->result = run * line_ + x;
            for (std::ptrdiff_t row = first; row < last;) {
              const std::ptrdiff_t q = row / middle, r = row - q * middle;
              std::ptrdiff_t n = Smaller(middle - r, last - row);
              const std::ptrdiff_t at = line + groups_.OuterReducedAt(q, lines_) + r * lines_;
              if (joined > 1 && n >= 2 * joined) {
                n = Smaller(n / joined, source_.reduced);
                Add({0, 0, n, at * line_, joined * line_, at * line_}, n, row, room);
                n *= joined;
              } else {
                n = Smaller(n, source_.reduced);
                Add(RegionOf(at, n, x, room->count), n, row, room);
              }
              row += n;
            }
          });
  }

  MSHADOW_COLD void OfNothing() const {
    const Out result = Kind::Finish(Total(), 0);
    for (std::ptrdiff_t i = 0; i < groups_.Results(); ++i) sink_.put(sink_.target, &result, i, 1);
  }

  /// A block of `count` lines, n elements each from column x on.
  StatisticRegion RegionOf(std::ptrdiff_t line, std::ptrdiff_t count, std::ptrdiff_t x,
                           std::ptrdiff_t n) const {
    const bool flat = source_.join == 0 && lines_ == 1 && n == line_;
    return {line * join_, lines_ * join_, count, x, n, flat ? line * line_ : -1};
  }
  /// Adds a block, n elements of each result, the first of which have the number `first`. Columns
  /// beyond those of the results are more elements of these.
  void Add(const StatisticRegion& region, std::ptrdiff_t n, std::ptrdiff_t first,
           Room* room) const {
    source_.add(&source_, region, room->acc, room->aux, room->scouts);
    const std::ptrdiff_t lanes = rows ? room->count : region.cols;
    if (room->is_one_block) {
      if (lanes == room->count && n == groups_.Reduced()) return;
      room->is_one_block = false;
      for (std::ptrdiff_t k = 0; k < room->count; ++k) room->total()[k] = Total();
    }
    for (std::ptrdiff_t i = 0; i < lanes; i += room->count) {
      Total* const total = room->total();
      for (std::ptrdiff_t k = 0; k < room->count; ++k) {
        total[k].Put(room->acc[i + k], room->aux[Kind::kHasAux ? i + k : 0],
                     room->scouts[Kind::kTwoPasses ? i + k : 0], n, first);
      }
    }
  }
  /// Hands `count` results from number i on to the sink.
  void Deliver(const Total* total, std::ptrdiff_t count, std::ptrdiff_t i, Room* room) const {
    Finish(total, count, room, room->results());
    sink_.put(sink_.target, room->results(), i, count);
  }
  void Finish(const Total* total, std::ptrdiff_t count, Room* room, Out* out) const {
    const std::ptrdiff_t n = groups_.Reduced();
    if (room->is_one_block) {
      simd::Call<StatisticResultsKernel<Kind>>(
          static_cast<const Acc*>(room->acc), static_cast<const Aux*>(room->aux),
          static_cast<const Scout*>(room->scouts), count, n, out);
    } else {
      for (std::ptrdiff_t k = 0; k < count; ++k) out[k] = Kind::Finish(total[k], n);
    }
  }

  /// Calls reduce(task, first, last, room) for `tasks` groups of results, each of which takes
  /// `chunks` chunks of `elements`: all of them, or parts that are merged afterwards.
  template <typename F>
  void Split(std::ptrdiff_t tasks, std::ptrdiff_t chunks, std::ptrdiff_t elements,
             const F& reduce) const {
    std::ptrdiff_t parts = 1;
    if (tasks < kParts) {
      parts = Smaller(DivideUp(kParts, tasks), chunks * elements / kPart);
      parts = Larger(1, Smaller(parts, chunks));
    }
    if (parts > 1) return InParts(tasks, chunks, elements, parts, reduce);
    RunTasks(tasks, chunks * elements, source_.cost, [&](std::ptrdiff_t task) {
      Room room;
      reduce(task, 0, chunks, &room);
      if (room.count > 0) Deliver(room.total(), room.count, room.result, &room);
    });
  }
  template <typename F>
  MSHADOW_NOINLINE void InParts(std::ptrdiff_t tasks, std::ptrdiff_t chunks,
                                std::ptrdiff_t elements, std::ptrdiff_t parts,
                                const F& reduce) const {
    const std::ptrdiff_t size = DivideUp(chunks, parts), results = groups_.Results();
    constexpr std::ptrdiff_t kWords = (sizeof(Total) + 7) / 8;
    parts = DivideUp(chunks, size);
    Temporary<cpu, 1, double> memory(Shape1(static_cast<index_t>(parts * results * kWords)),
                                     nullptr);
    Total* const partial = reinterpret_cast<Total*>(memory.tensor().dptr_);
    RunTasks(tasks * parts, size * elements, source_.cost, [&](std::ptrdiff_t i) {
      Room room;
      room.is_one_block = false;
      for (std::ptrdiff_t k = 0; k < kMaxTotals; ++k) room.total()[k] = Total();
      const std::ptrdiff_t task = i / parts, part = i - task * parts;
      reduce(task, part * size, Smaller((part + 1) * size, chunks), &room);
      Total* const to = partial + part * results + room.result;
      for (std::ptrdiff_t k = 0; k < room.count; ++k) to[k] = room.total()[k];
    });
    Room room;
    room.is_one_block = false;
    for (std::ptrdiff_t i = 0; i < results; i += kMaxTotals) {
      const std::ptrdiff_t count = Smaller(kMaxTotals, results - i);
      for (std::ptrdiff_t part = 1; part < parts; ++part) {
        const Total* const from = partial + part * results + i;
        for (std::ptrdiff_t k = 0; k < count; ++k) partial[i + k].Merge(from[k]);
      }
      Deliver(partial + i, count, i, &room);
    }
  }

  const StatisticSource<Kind>& source_;
  const expr::AxisGroups& groups_;
  StatisticSink<Out> sink_;
  std::ptrdiff_t join_, line_, lines_;
};

/// dst Saver= results, as a sink: row y, column x of dst takes result y * cols + x.
template <typename Saver, typename Out, typename Dst>
struct StatisticTarget {
  const Dst& dst;
  std::ptrdiff_t cols;

  StatisticSink<Out> Sink() {
    return {this, [](void* target, const Out* results, std::ptrdiff_t i, std::ptrdiff_t n) {
              const StatisticTarget& self = *static_cast<const StatisticTarget*>(target);
              while (n > 0) {
                const std::ptrdiff_t y = i / self.cols, x = i - y * self.cols;
                const std::ptrdiff_t count = Smaller(n, self.cols - x);
                if constexpr (std::is_same_v<Saver, sv::saveto> &&
                              expr::detail::HasPointer<expr::RowCursor<Dst>>::value) {
                  auto row = expr::RowOf(self.dst, y);
                  std::memcpy(static_cast<void*>(&row.REval(x)), results, count * sizeof(Out));
                } else {
                  simd::Call<StatisticTarget>(&self, results, y, x, count);
                }
                results += count;
                i += count;
                n -= count;
              }
            }};
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const StatisticTarget* self, const Out* results,
                                       std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t n) {
    auto row = expr::RowOf(self->dst, y);
    MSHADOW_IVDEP
    for (std::ptrdiff_t k = 0; k < n; ++k) Saver::template Save<Out>(row.REval(x + k), results[k]);
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_H_
