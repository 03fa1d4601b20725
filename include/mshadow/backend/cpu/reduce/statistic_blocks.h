// SPDX-License-Identifier: Apache-2.0
// Reductions of blocks, and how they are merged: by tasks, which threads share.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_BLOCKS_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_BLOCKS_H_

#include <cstddef>

#include "../../../tensor/memory.h"
#include "../device.h"
#include "statistic_columns.h"
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

/// Blocks of a source, merged to so many results of so many elements each.
template <typename Kind>
class StatisticBlocks {
 protected:
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  using Scout = typename Kind::Scout;
  using Total = typename Kind::Total;
  using Out = typename Kind::Out;

  StatisticBlocks(const StatisticSource<Kind>& source, const StatisticSink<Out>& sink,
                  std::ptrdiff_t results, std::ptrdiff_t reduced)
      : source_(source), sink_(sink), results_(results), reduced_(reduced) {}

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

  MSHADOW_COLD void OfNothing() const {
    const Out result = Kind::Finish(Total(), 0);
    for (std::ptrdiff_t i = 0; i < results_; ++i) sink_.put(sink_.target, &result, i, 1);
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
  /// `chunks` chunks of `elements`: all of them, or parts, merged afterwards, of at least `least`.
  template <typename F>
  void Split(std::ptrdiff_t tasks, std::ptrdiff_t chunks, std::ptrdiff_t elements,
             std::ptrdiff_t least, const F& reduce) const {
    std::ptrdiff_t parts = 1;
    if (tasks < kParts) {
      parts = Smaller(DivideUp(kParts, tasks), chunks * elements / kPart);
      parts = Larger(1, Smaller(parts, chunks / least));
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
  StatisticSink<Out> sink_;
  std::ptrdiff_t results_, reduced_;

 private:
  /// Elements of a part of a result, and how many parts feed all threads that one memory does.
  static constexpr std::ptrdiff_t kPart = 65536, kParts = 64;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_BLOCKS_H_
