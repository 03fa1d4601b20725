// SPDX-License-Identifier: Apache-2.0
// Reductions over any axes: how the work is cut into blocks. The cuts depend on the shape alone, so
// that results do not depend on the number of threads.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_H_
#define MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_H_

#include <cstddef>

#include "../../../expr/axis_groups.h"
#include "../../../expr/long_sum.h"
#include "../../../expr/plan.h"
#include "statistic_groups.h"
#include "statistic_lines.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// A reduction of groups of axes; rows: the last axes are reduced, not kept. Otherwise result r is
/// that of the columns [r * width, (r + 1) * width).
template <typename Kind, bool rows>
class StatisticReduction : StatisticLines<Kind> {
  using Base = StatisticLines<Kind>;
  using typename Base::Acc, typename Base::Aux, typename Base::Scout, typename Base::Total;
  using typename Base::Out, typename Base::Room;
  using Base::source_, Base::results_, Base::reduced_, Base::kMaxTotals, Base::kApart;
  using Base::groups_, Base::width_, Base::join_, Base::line_, Base::lines_, Base::RegionOf;

 public:
  StatisticReduction(const StatisticSource<Kind>& source, const expr::AxisGroups& groups,
                     const StatisticSink<Out>& sink, std::ptrdiff_t width = 1)
      : Base(source, groups, sink, width) {}
  MSHADOW_NOINLINE void Run() const {
    if (results_ == 0) return;
    if (reduced_ == 0) return this->OfNothing();
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
      this->template BlockResults<Kind>(acc, aux, scouts, count, to);
      if constexpr (statistic::kGivesMean<Kind>) {
        if (means == nullptr) continue;
        this->template BlockResults<typename Kind::MeanKind>(acc, aux, scouts, count, means);
        means += count;
      }
    }
  }

 private:
  /// Results of whole lines at a time, of so many elements that handing them on costs little.
  static constexpr std::ptrdiff_t kBatch = 256, kElements = 65536;
  /// The most rows, and elements, of a small tensor.
  static constexpr std::ptrdiff_t kSmallRows = 32, kSmall = 1024;
  /// Elements of a block of groups.
  static constexpr std::ptrdiff_t kBlock = 4096;
  /// Lanes of lines that are joined; and the most elements that lanes are joined of, so that one
  /// of 32 bits holds the sum of 16-bit integers.
  static constexpr std::ptrdiff_t kJoined = 512, kMaxJoined = 32768;
  /// The most elements of lines that are gathered.
  static constexpr std::ptrdiff_t kMaxApart = 7;
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
          this->Load(RegionOf(line + begin * lines_ + run - q * lines_, count, x, n), &room);
          this->Put(count, n, n, run * line_ + x, &room);
        }
      }
      this->template FinishFew<Kind>(&room, to);
      if constexpr (statistic::kGivesMean<Kind>) {
        if (means == nullptr) continue;
        this->template FinishFew<typename Kind::MeanKind>(&room, means);
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
    this->Load(RegionOf(0, groups_.middle, 0, line_), &room);
    this->HandOn(&room);
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
    this->Split(outer * batches, chunks, columns * batch, 1,
          [&](std::ptrdiff_t task, std::ptrdiff_t first, std::ptrdiff_t last, Room* room) {
            const std::ptrdiff_t o = task / batches, begin = (task - o * batches) * batch;
            const std::ptrdiff_t line = groups_.OuterKept(o, lines_) + begin * lines_;
            room->count = Smaller(batch, middle - begin);
            room->result = o * middle + begin;
            for (std::ptrdiff_t chunk = first; chunk < last; ++chunk) {
              const std::ptrdiff_t run = chunk / across, x = (chunk - run * across) * columns;
              const std::ptrdiff_t q = run / lines_, n = Smaller(columns, line_ - x);
              const std::ptrdiff_t at = line + groups_.OuterReducedAt(q, lines_) + run - q * lines_;
              this->Load(RegionOf(at, room->count, x, n), room);
              this->Put(room->count, n, n, run * line_ + x, room);
            }
          });
  }

  /// True if what is reduced to a line is so little that several make a block. Cheap elements that
  /// are not in memory are added as they are computed, unless they are few.
  bool AreSmallGroups(std::ptrdiff_t outer) const {
    using Kernel = StatisticGroupsKernel<Kind>;
    constexpr std::ptrdiff_t kMaxColumns = 64;
    const bool is_narrow = line_ < Kernel::kMinColumns;
    const std::ptrdiff_t longer = (source_.join == 0 ? 128 : 384) / Larger(1, line_);
    const std::ptrdiff_t most = Larger(Kernel::kMaxShort, source_.gathers ? longer : 0);
    return line_ <= kMaxColumns && groups_.middle * line_ <= source_.groups &&
           groups_.middle <= (is_narrow ? most : red::kSumBlock) &&
           (source_.in_memory ? outer > 1 || !is_narrow
                              : outer > 1 && (groups_.middle * line_ < kSmall ||
                                              source_.cost > kExpensiveCost));
  }
  /// Groups of few lines each are reduced to one line, many groups at a time.
  void ManyGroups(std::ptrdiff_t outer) const {
    const std::ptrdiff_t middle = groups_.middle, size = middle * line_;
    const std::ptrdiff_t most =
        Smaller(Smaller(kMaxTotals / line_, source_.groups / size), 1 + kBlock / size);
    this->Split(DivideUp(outer, most), 1, size * most, 1,
          [&](std::ptrdiff_t task, std::ptrdiff_t, std::ptrdiff_t, Room* room) {
            const std::ptrdiff_t o = task * most, count = Smaller(most, outer - o);
            StatisticRegion region = RegionOf(o * middle, count * middle, 0, line_);
            region.group = middle;
            room->count = count * line_;
            room->result = o * line_;
            room->holder = Room::kLanes;
            this->Load(region, room);
          });
  }

  /// Lines are added to each other.
  void Columns() const {
    const std::ptrdiff_t middle = groups_.middle, outer = results_ * width_ / groups_.inner;
    if (this->AreBesideEachOther()) return this->SideBySide(outer);
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
    const bool apart = source_.join != 0 && lines_ == 1 && width_ == 1 && line_ <= kMaxApart &&
                       !Kind::kNumbers && source_.gathers;
    // To merge what two passes give takes as long as to add tens of elements.
    this->Split(outer * lines_ * across, groups_.OuterReduced() * middle, columns,
                Kind::kTwoPasses ? 256 : 1,
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
              if (held == 0 && (apart ? n >= 4 * kApart : joined > 1 && n >= joined)) {
                n = apart ? Apart(at, n, row, room) : Joined(at, joined, n, row, room);
                row += n;
                continue;
              }
              n = Smaller(n, most - held);
              StatisticRegion region = RegionOf(at, n, x, all);
              region.first = held;
              region.width = width_;
              this->Load(region, room);
              held += n;
              row += n;
              if (!source_.continues || held == most || row == last) {
                if (width_ > 1) {
                  simd::Call<StatisticJoinKernel<Kind>>(static_cast<Acc*>(room->acc),
                                                        static_cast<Aux*>(room->aux),
                                                        static_cast<Scout*>(room->scouts),
                                                        room->count, width_);
                }
                this->Put(room->count, held * width_, held * width_, row - held, room);
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
    this->Load({0, 0, high, at * line_, joined * line_, at * line_, 0}, room);
    if (source_.continues) {
      const std::ptrdiff_t rest = Smaller(joined, n - done);
      if (rest > 0) {
        const std::ptrdiff_t x = (at + done) * line_;
        this->Load({0, 0, 1, x, rest * line_, x, high}, room);
        done += rest;
      }
      simd::Call<StatisticFoldKernel<Kind>>(static_cast<Acc*>(room->acc), line_, joined);
      this->Put(line_, done, done, first, room);
    } else {
      this->Put(joined * line_, high, done, first, room);
    }
    return done;
  }

  /// The same of narrow lines that lie apart: kApart neighbours have lanes of their own. A line of
  /// one padded float takes a quarter of the time that it takes by itself.
  std::ptrdiff_t Apart(std::ptrdiff_t at, std::ptrdiff_t n, std::ptrdiff_t first,
                       Room* room) const {
    n = Smaller(n, Smaller(kBlock, source_.groups) / line_) / kApart * kApart;
    StatisticRegion region = RegionOf(at, n, 0, line_);
    region.group = -kApart;
    region.next = kApart * region.step;
    this->Load(region, room);
    simd::Call<StatisticFoldKernel<Kind>>(static_cast<Acc*>(room->acc), line_, kApart);
    this->Put(line_, n, n, first, room);
    return n;
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_STATISTIC_H_
