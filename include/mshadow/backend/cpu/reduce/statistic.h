// SPDX-License-Identifier: Apache-2.0
// Reductions over any axes: how the work is cut into blocks, and merged again. The cuts depend on
// the shape alone, so that results do not depend on the number of threads.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_H_

#include <cstddef>

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

/// A reduction of groups of axes; rows: the last axes are reduced, not kept. Otherwise result r is
/// that of the columns [r * width, (r + 1) * width).
template <typename Kind, bool rows>
class StatisticReduction {
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  using Scout = typename Kind::Scout;
  using Total = typename Kind::Total;
  using Out = typename Kind::Out;

 public:
  StatisticReduction(const StatisticSource<Kind>& source, const expr::AxisGroups& groups,
                     const StatisticSink<Out>& sink, std::ptrdiff_t width = 1)
      : source_(source),
        groups_(groups),
        sink_(sink),
        width_(width),
        results_(groups.Results() / width),
        reduced_(groups.Reduced() * width) {
    // A line is as much of the inner group as lies in one row of the joined plan.
    const std::ptrdiff_t cols = groups.cols;
    const std::ptrdiff_t count = groups.inner == cols ? 1 : groups.inner / cols;
    join_ = count > 1 ? expr::Gcd(source.join, count) : 1;
    line_ = cols * join_;
    lines_ = count / join_;
  }
  MSHADOW_NOINLINE void Run() const {
    if (results_ == 0) return;
    if (reduced_ == 0) return OfNothing();
    if (IsSmall()) return OneBlock();
    if constexpr (rows) {
      Rows();
    } else {
      Columns();
    }
  }

  /// to[i] = result begin + i, for i < end - begin, where kept axes are neighbours; by the thread
  /// that calls. means[i], if it is not null: the mean, which Kind gives as well.
  void RunRows(std::ptrdiff_t begin, std::ptrdiff_t end, Out* to, Out* means) const {
    if (lines_ != 1 || line_ > source_.reduced || line_ == 0 || groups_.count != 0) {
      return RunLongRows(begin, end, to, means);
    }
    // A row is one block, whose results need no totals: few instructions for a row.
    Acc acc[kRows];
    Aux aux[kRows];
    Scout scouts[kRows];
    for (std::ptrdiff_t count; begin < end; begin += count, to += count) {
      count = Smaller(kRows, end - begin);
      source_.add(&source_, RegionOf(begin, count, 0, line_), acc, aux, scouts);
      BlockResults<Kind>(acc, aux, scouts, count, to);
      if constexpr (statistic::kGivesMean<Kind>) {
        if (means == nullptr) continue;
        BlockResults<typename Kind::MeanKind>(acc, aux, scouts, count, means);
        means += count;
      }
    }
  }

 private:
  /// Elements of a part of a result, and how many parts feed all threads that one memory does.
  static constexpr std::ptrdiff_t kPart = 65536, kParts = 64, kPartRows = 256;
  /// Results of whole lines at a time, of so many elements that handing them on costs little.
  static constexpr std::ptrdiff_t kBatch = 256, kElements = 65536;
  /// The most rows, and elements, of a small tensor.
  static constexpr std::ptrdiff_t kSmallRows = 32, kSmall = 1024;
  /// Elements of a block of groups.
  static constexpr std::ptrdiff_t kBlock = 4096;
  /// Lanes of lines that are joined; and the most elements that lanes are joined of, so that one
  /// of 32 bits holds the sum of 16-bit integers.
  static constexpr std::ptrdiff_t kJoined = 512, kMaxJoined = 32768;
  /// What a task reduces to. No constructor runs on the arrays.
  static constexpr std::ptrdiff_t kMaxTotals = kMaxStatisticLanes<Kind>;
  struct Room {
    std::ptrdiff_t count = 0, result = 0;  // of results, and the first one
    enum { kNothing, kLanes, kTotals } holder = kNothing;  // what holds the elements so far
    Acc acc[kMaxTotals];
    Aux aux[Kind::kHasAux ? kMaxTotals : 1];
    Scout scouts[Kind::kTwoPasses ? kMaxTotals : 1];
    alignas(Total) unsigned char total_bytes[kMaxTotals * sizeof(Total)];
    alignas(Out) unsigned char result_bytes[kMaxTotals * sizeof(Out)];
    Total* totals = nullptr;  // of all results, or null: those of the room
    Total* total() { return totals ? totals + result : reinterpret_cast<Total*>(total_bytes); }
    Out* results() { return reinterpret_cast<Out*>(result_bytes); }
  };

  /// So many results at a time, of rows that are blocks.
  static constexpr std::ptrdiff_t kRows = 16;
  MSHADOW_NOINLINE void RunLongRows(std::ptrdiff_t begin, std::ptrdiff_t end, Out* to,
                                    Out* means) const {
    const std::ptrdiff_t width = Smaller(line_, source_.reduced);
    for (std::ptrdiff_t count; begin < end; begin += count, to += count) {
      count = Smaller(kRows, end - begin);
      Room room;
      room.count = count;
      if (reduced_ == 0) {
        room.holder = Room::kTotals;
        for (std::ptrdiff_t k = 0; k < count; ++k) room.total()[k] = Total();
      }
      const std::ptrdiff_t runs = reduced_ == 0 ? 0 : groups_.OuterReduced() * lines_;
      for (std::ptrdiff_t run = 0; run < runs; ++run) {
        const std::ptrdiff_t q = run / lines_, line = groups_.OuterReducedAt(q, lines_);
        for (std::ptrdiff_t x = 0; x < line_; x += width) {
          const std::ptrdiff_t n = Smaller(width, line_ - x);
          Load(RegionOf(line + begin * lines_ + run - q * lines_, count, x, n), &room);
          Put(count, n, n, run * line_ + x, &room);
        }
      }
      FinishFew<Kind>(&room, to);
      if constexpr (statistic::kGivesMean<Kind>) {
        if (means == nullptr) continue;
        FinishFew<typename Kind::MeanKind>(&room, means);
        means += count;
      }
    }
  }

  /// True if the whole is a block, of so few elements that to cut them into tasks takes longer than
  /// to add them.
  bool IsSmall() const {
    const std::ptrdiff_t middle = groups_.middle;
    return width_ == 1 && groups_.count == 0 && lines_ == 1 && middle <= kSmallRows &&
           middle * line_ <= kSmall && (rows ? line_ : middle) <= source_.reduced &&
           (rows || line_ <= source_.kept);
  }
  void OneBlock() const {
    Room room;
    room.count = results_;
    room.holder = Room::kLanes;
    Load(RegionOf(0, groups_.middle, 0, line_), &room);
    HandOn(&room);
  }

  /// A result is made of whole lines.
  void Rows() const {
    const std::ptrdiff_t middle = groups_.middle, outer = results_ / middle;
    const std::ptrdiff_t columns = Smaller(line_, source_.reduced);
    const std::ptrdiff_t across = DivideUp(line_, columns), reduced = reduced_;
    const std::ptrdiff_t chunks = groups_.OuterReduced() * lines_ * across;
    // Short lines of a result lie between those of others, which are read in turn.
    const std::ptrdiff_t work = reduced > line_ ? columns : reduced;
    std::ptrdiff_t batch = Smaller(kBatch, kElements / work);
    batch = Smaller(middle, Larger(Larger(1, batch), source_.side_by_side));
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
              Load(RegionOf(at, room->count, x, n), room);
              Put(room->count, n, n, run * line_ + x, room);
            }
          });
  }

  /// True if what is reduced to a line is so little that several make a block.
  bool AreSmallGroups(std::ptrdiff_t outer) const {
    using Kernel = StatisticGroupsKernel<Kind>;
    constexpr std::ptrdiff_t kMaxColumns = 64;
    const bool is_narrow = line_ < Kernel::kMinColumns;
    return line_ <= kMaxColumns && groups_.middle * line_ <= source_.groups &&
           groups_.middle <= (is_narrow ? Kernel::kMaxShort : red::kSumBlock) &&
           (outer > 1 || (!is_narrow && source_.in_memory));
  }
  /// Groups of few lines each are reduced to one line, many groups at a time.
  void ManyGroups(std::ptrdiff_t outer) const {
    const std::ptrdiff_t middle = groups_.middle, size = middle * line_;
    const std::ptrdiff_t most =
        Smaller(Smaller(kMaxTotals / line_, source_.groups / size), 1 + kBlock / size);
    Split(DivideUp(outer, most), 1, size * most,
          [&](std::ptrdiff_t task, std::ptrdiff_t, std::ptrdiff_t, Room* room) {
            const std::ptrdiff_t o = task * most, count = Smaller(most, outer - o);
            StatisticRegion region = RegionOf(o * middle, count * middle, 0, line_);
            region.group = middle;
            room->count = count * line_;
            room->result = o * line_;
            room->holder = Room::kLanes;
            Load(region, room);
          });
  }

  /// Lines are added to each other.
  void Columns() const {
    const std::ptrdiff_t middle = groups_.middle, outer = results_ * width_ / groups_.inner;
    if (width_ == 1 && lines_ == 1 && groups_.count <= 1 && AreSmallGroups(outer)) {
      return ManyGroups(outer);
    }
    std::ptrdiff_t columns, most = source_.reduced;  // at a time, and rows of them
    if (width_ == 1) {
      columns = DivideUp(line_, DivideUp(line_, source_.kept));
      columns = Smaller(DivideUp(columns, 64) * 64, line_);
    } else {
      columns = Larger(1, source_.kept / width_) * width_;
      most = Smaller(most, Larger(1, most * source_.kept / columns));
      most = Smaller(most, kMaxJoined / width_);
    }
    const std::ptrdiff_t across = DivideUp(line_, columns);
    // Several narrow lines that follow each other are a wide one.
    const bool joins = source_.join == 0 && lines_ == 1 && width_ == 1 && !Kind::kNumbers;
    const std::ptrdiff_t lanes = Smaller(source_.kept / 2, kJoined);
    const std::ptrdiff_t joined = joins ? Smaller(lanes / line_, middle / 4) : 1;
    Split(outer * lines_ * across, groups_.OuterReduced() * middle, columns,
          [&](std::ptrdiff_t task, std::ptrdiff_t first, std::ptrdiff_t last, Room* room) {
            const std::ptrdiff_t run = task / across, x = (task - run * across) * columns;
            const std::ptrdiff_t o = run / lines_;
            const std::ptrdiff_t line = groups_.OuterKept(o, lines_) + run - o * lines_;
            const std::ptrdiff_t all = Smaller(columns, line_ - x);
            room->count = all / width_;
            room->result = (run * line_ + x) / width_;
            std::ptrdiff_t held = 0;  // rows in the lanes
            for (std::ptrdiff_t row = first; row < last;) {
              const std::ptrdiff_t q = row / middle, r = row - q * middle;
              std::ptrdiff_t n = Smaller(middle - r, last - row);
              const std::ptrdiff_t at = line + groups_.OuterReducedAt(q, lines_) + r * lines_;
              if (joined > 1 && n >= joined && held == 0) {
                n = Joined(at, joined, n, row, room);
                row += n;
                continue;
              }
              n = Smaller(n, most - held);
              StatisticRegion region = RegionOf(at, n, x, all);
              region.first = held;
              region.width = width_;
              Load(region, room);
              held += n;
              row += n;
              if (!source_.continues || held == most || row == last) {
                if (width_ > 1) {
                  simd::Call<StatisticJoinKernel<Kind>>(static_cast<Acc*>(room->acc),
                                                        static_cast<Aux*>(room->aux),
                                                        static_cast<Scout*>(room->scouts),
                                                        room->count, width_);
                }
                Put(room->count, held * width_, held * width_, row - held, room);
                held = 0;
              }
            }
          });
  }
  /// Adds up to n lines of all columns, from line `at` on, `joined` at a time; returns how many.
  /// They have the numbers `first` and on.
  std::ptrdiff_t Joined(std::ptrdiff_t at, std::ptrdiff_t joined, std::ptrdiff_t n,
                        std::ptrdiff_t first, Room* room) const {
    const std::ptrdiff_t high =
        Smaller(Smaller(n, kMaxJoined) / joined, source_.reduced);
    std::ptrdiff_t done = high * joined;
    Load({0, 0, high, at * line_, joined * line_, at * line_, 0}, room);
    if (source_.continues) {
      const std::ptrdiff_t rest = Smaller(joined, n - done);
      if (rest > 0) {
        const std::ptrdiff_t x = (at + done) * line_;
        Load({0, 0, 1, x, rest * line_, x, high}, room);
        done += rest;
      }
      simd::Call<StatisticFoldKernel<Kind>>(static_cast<Acc*>(room->acc), line_, joined);
      Put(line_, done, done, first, room);
    } else {
      Put(joined * line_, high, done, first, room);
    }
    return done;
  }

  MSHADOW_COLD void OfNothing() const {
    const Out result = Kind::Finish(Total(), 0);
    for (std::ptrdiff_t i = 0; i < results_; ++i) sink_.put(sink_.target, &result, i, 1);
  }

  /// A block of `count` lines, n elements each from column x on.
  StatisticRegion RegionOf(std::ptrdiff_t line, std::ptrdiff_t count, std::ptrdiff_t x,
                           std::ptrdiff_t n) const {
    const bool flat = source_.join == 0 && lines_ == 1 && n == line_;
    return {line * join_, lines_ * join_, count, x, n, flat ? line * line_ : -1, 0};
  }
  void Load(const StatisticRegion& region, Room* room) const {
    source_.add(&source_, region, room->acc, room->aux, room->scouts);
  }
  /// Adds what the lanes hold to the totals: n elements each, `elements` of each result, the first
  /// of which have the number `first`. Lanes beyond the results are more elements of these.
  void Put(std::ptrdiff_t lanes, std::ptrdiff_t n, std::ptrdiff_t elements, std::ptrdiff_t first,
           Room* room) const {
    if (lanes == room->count && elements == reduced_) {
      room->holder = Room::kLanes;
      return;
    }
    Total* const total = room->total();
    for (std::ptrdiff_t i = 0; i < lanes; i += room->count) {
      simd::Call<StatisticMergeKernel<Kind>>(
          static_cast<const Acc*>(room->acc + i),
          static_cast<const Aux*>(room->aux + (Kind::kHasAux ? i : 0)),
          static_cast<const Scout*>(room->scouts + (Kind::kTwoPasses ? i : 0)), room->count, n,
          first, room->holder == Room::kNothing, total);
      room->holder = Room::kTotals;
    }
  }
  void Finish(Room* room, Out* out) const {
    if (room->holder == Room::kLanes) {
      BlockResults<Kind>(room->acc, room->aux, room->scouts, room->count, out);
    } else {
      simd::Call<StatisticFinishKernel<Kind>>(room->total(), std::ptrdiff_t{0}, std::ptrdiff_t{1},
                                              room->count, reduced_, out);
    }
  }
  /// The results of K, which has the totals of Kind: few, one after the other.
  template <typename K>
  void FinishFew(Room* room, Out* out) const {
    if (room->holder == Room::kLanes) {
      BlockResults<K>(room->acc, room->aux, room->scouts, room->count, out);
    } else {
      for (std::ptrdiff_t k = 0; k < room->count; ++k) {
        out[k] = K::Finish(room->total()[k], reduced_);
      }
    }
  }
  template <typename K>
  void BlockResults(const Acc* acc, const Aux* aux, const Scout* scouts, std::ptrdiff_t count,
                    Out* out) const {
    simd::Call<StatisticResultsKernel<K>>(acc, aux, scouts, count, reduced_, out);
  }

  /// Calls reduce(task, first, last, room) for `tasks` groups of results, each of which takes
  /// `chunks` chunks of `elements`: all of them, or parts that are merged afterwards.
  template <typename F>
  void Split(std::ptrdiff_t tasks, std::ptrdiff_t chunks, std::ptrdiff_t elements,
             const F& reduce) const {
    std::ptrdiff_t parts = 1;
    if (tasks < kParts) {
      parts = Smaller(DivideUp(kParts, tasks), chunks * elements / kPart);
      // To merge what two passes give takes as long as to add tens of elements.
      if constexpr (Kind::kTwoPasses && !rows) parts = Smaller(parts, chunks / kPartRows);
      parts = Larger(1, Smaller(parts, chunks));
    }
    if (parts > 1) return InParts(tasks, chunks, elements, parts, reduce);
    RunTasks(tasks, chunks * elements, source_.cost, [&](std::ptrdiff_t task) {
      Room room;
      reduce(task, 0, chunks, &room);
      if (room.count > 0) HandOn(&room);
    });
  }
  void HandOn(Room* room) const {
    if constexpr (Kind::kLanesAreResults) {
      if (room->holder == Room::kLanes) {
        return sink_.put(sink_.target, room->acc, room->result, room->count);
      }
    }
    Finish(room, room->results());
    sink_.put(sink_.target, room->results(), room->result, room->count);
  }
  template <typename F>
  MSHADOW_NOINLINE void InParts(std::ptrdiff_t tasks, std::ptrdiff_t chunks,
                                std::ptrdiff_t elements, std::ptrdiff_t parts,
                                const F& reduce) const {
    const std::ptrdiff_t size = DivideUp(chunks, parts), results = results_;
    constexpr std::ptrdiff_t kWords = (sizeof(Total) + 7) / 8;
    parts = DivideUp(chunks, size);
    Temporary<cpu, 1, double> memory(Shape1(static_cast<index_t>(parts * results * kWords)),
                                     nullptr);
    Total* const partial = reinterpret_cast<Total*>(memory.tensor().dptr_);
    RunTasks(tasks * parts, size * elements, source_.cost, [&](std::ptrdiff_t i) {
      Room room;
      const std::ptrdiff_t task = i / parts, part = i - task * parts;
      room.totals = partial + part * results;
      reduce(task, part * size, Smaller((part + 1) * size, chunks), &room);
    });
    Room room;
    for (std::ptrdiff_t i = 0; i < results; i += kMaxTotals) {
      const std::ptrdiff_t count = Smaller(kMaxTotals, results - i);
      simd::Call<StatisticFinishKernel<Kind>>(partial + i, results, parts, count, reduced_,
                                              room.results());
      sink_.put(sink_.target, room.results(), i, count);
    }
  }

  const StatisticSource<Kind>& source_;
  const expr::AxisGroups& groups_;
  StatisticSink<Out> sink_;
  std::ptrdiff_t width_, results_, reduced_, join_, line_, lines_;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_H_
