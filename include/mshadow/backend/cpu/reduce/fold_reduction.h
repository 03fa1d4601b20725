// SPDX-License-Identifier: Apache-2.0
// FoldReduction: how a reduction over any axes is cut into blocks for the loops of fold.h. The cuts
// depend on shapes alone, so that results do not depend on the number of threads. One class for all
// reductions: it knows sizes and strides, but no types.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_FOLD_REDUCTION_H_
#define MSHADOW_BACKEND_CPU_REDUCE_FOLD_REDUCTION_H_

#include <cstddef>
#include <cstring>

#include "../../../core/axis_groups.h"
#include "../../../expr/plan/facts.h"
#include "../../../simd/copy_rows.h"
#include "../../../tensor/memory.h"
#include "../device.h"
#include "fold.h"
#include "fold_source.h"
#include "tasks.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Where results go: put(target, results, i, n) takes results i, .., i + n - 1.
struct FoldSink {
  void* target;
  void (*put)(void* target, const void* results, std::ptrdiff_t i, std::ptrdiff_t n);
};

class FoldReduction {
  using Size = std::ptrdiff_t;

 public:
  using Finish = decltype(FoldTable::finish);

  /// The inner group is reduced, or kept. width > 0: it is kept, and result r is the reduction of
  /// the kept elements [r * width, (r + 1) * width).
  MSHADOW_NOINLINE FoldReduction(const ThreadTeam& team, const FoldTable& kind,
                                 const FoldSource& source, const expr::AxisGroups& groups,
                                 const FoldSink& sink, Size width = 1)
      : team_(team),
        kind_(kind),
        source_(source),
        groups_(groups),
        sink_(sink),
        isa_(static_cast<int>(source.isa)),
        width_(width),
        results_(width == 1 ? groups.Results() : groups.Results() / width),
        reduced_(groups.Reduced() * width),
        middle_(groups.middle) {
    const Size cols = groups.cols, count = groups.inner == cols ? 1 : groups.inner / cols;
    const Size join = count > 1 ? expr::Gcd(source.join, count) : 1;
    join_ = source.join == 0 ? 0 : join;
    line_ = cols * join;
    lines_ = count / join;
    line_stride_ = join_ == 0 ? line_ * kind.in : join_ * source.stride;
  }

  MSHADOW_NOINLINE void Run() const {
    if (results_ == 0) return;
    if (reduced_ == 0) return OfNothing();
    if (IsSmall()) return OneBlock();
    if (groups_.rows) {
      Rows();
    } else {
      Columns();
    }
  }

  /// out[i] = result begin + i for i < end - begin, where kept axes are neighbours and the inner
  /// group is reduced; by the thread that calls. second[i], unless it is null: what finish_second
  /// makes of the same totals.
  MSHADOW_COLD void RunRows(Size begin, Size end, char* out, Finish finish_second, char* second,
                            int second_size) const {
    Room room;
    const Size chunks = reduced_ == 0 ? 0 : groups_.OuterReduced() * lines_ * ChunksOfLine();
    for (Size count; begin < end; begin += count) {
      room.count = count = Smaller(kBatch, end - begin);
      room.totals = room.own_totals;
      room.holder = Room::kEmpty;
      ReduceRows(begin * lines_, 0, chunks, &room);
      Total(&room);
      kind_.finish(room.totals, count, reduced_, out);
      out += count * kind_.out;
      if (second == nullptr) continue;
      finish_second(room.totals, count, reduced_, second);
      second += count * second_size;
    }
  }

  /// The first pass of a block of columns. It gives one scout to all lanes that will be joined: to
  /// those `times`, and to `width` neighbours.
  MSHADOW_COLD void ScoutColumns(void* to, Size at, const FoldBlock& b, Size times) const {
    Room* const room = static_cast<Room*>(to);
    const FoldTable& first = *kind_.first_pass;
    FoldBlock sample = b;
    sample.rows = Smaller(b.rows, DivideUp(kind_.sample(b.rows * width_), width_));
    if (times > 1) sample.rows = Smaller(b.rows, DivideUp(sample.rows, times) * times);
    FoldTo(first, SumsOf(first, room), sample, times);
    Size count = b.groups * b.cols;
    if (width_ > 1) JoinNeighbours(first, SumsOf(first, room), count / width_, room);
    count /= width_;
    char* const scouts = room->scouts + at * kind_.scout;
    kind_.scouts(room->sums, count, sample.rows * width_, scouts);
    if (width_ > 1) Repeat(scouts, kind_.scout, count, 1, width_);
    if (times > 1) Repeat(scouts, kind_.scout, b.groups, b.cols, times);
  }
  /// Some rows at a time, which stay in the cache for the second pass.
  MSHADOW_COLD void FoldRowsTwice(void* to, Size at, const FoldBlock& block) const {
    Room* const room = static_cast<Room*>(to);
    const Size some = Larger(8, 2 * BufferSize() / block.cols), sample = kind_.sample(block.cols);
    for (Size r = 0; r < block.rows; r += some) {
      FoldBlock b = block;
      b.in += r * b.stride;
      b.rows = Smaller(some, b.rows - r);
      b.cols = sample;
      FoldRowsTo(*kind_.first_pass, SumsOf(*kind_.first_pass, room), b, room);
      const FoldLanes lanes = LanesOf(kind_, room, at + r);
      kind_.scouts(room->sums, b.rows, sample, lanes.scouts);
      b.cols = block.cols;
      FoldRowsTo(kind_, lanes, b, room);
    }
  }

 private:
  /// Lanes and results of a task.
  static constexpr Size kLanes = 1024;
  /// Results of rows at a time, of about so many elements.
  static constexpr Size kBatch = 256, kElements = 65536;
  /// Longer rows are folded in pieces, so that a lane of floats keeps its digits.
  static constexpr Size kPiece = 2048, kPieces = 8;
  /// Shorter rows are transposed: each has a lane.
  static constexpr Size kShort = 40;
  /// Fewer columns share a lane only with their own elements: lanes for several rows.
  static constexpr Size kNarrow = 64;
  /// The most elements in a lane, which counts them in 16 bits, or sums 16-bit integers in 32.
  static constexpr Size kMostInLane = 32000;
  /// The most rows, and elements, of a small tensor.
  static constexpr Size kSmallRows = 32, kSmall = 1024;
  /// Elements of a part of a result, and how many parts feed all threads that one memory does.
  static constexpr Size kPart = 65536, kParts = 64;
  static constexpr Size kTurned = 2 * kFoldBuffer;

  struct Room {
    Size count = 0, result = 0;                            // of results, and the first one
    enum { kEmpty, kInLanes, kInTotals } holder = kEmpty;  // what holds the elements so far
    char* totals = own_totals;
    alignas(64) char acc[FoldReduction::kLanes * 16];
    alignas(64) char aux[FoldReduction::kLanes * 8];
    alignas(64) char scouts[FoldReduction::kLanes * 8];
    alignas(64) char sums[FoldReduction::kLanes * 8];
    alignas(64) char wide[FoldReduction::kLanes * 16], wide_turned[FoldReduction::kLanes * 16];
    alignas(64) char wide_aux[FoldReduction::kLanes * 8];
    alignas(64) char wide_aux_turned[FoldReduction::kLanes * 8];
    alignas(64) char own_totals[FoldReduction::kLanes * 32];
    alignas(64) char out[FoldReduction::kLanes * 16];
    alignas(64) char buffer[kFoldBuffer + 1024];
    alignas(64) char turned[kTurned];  // squares of 16 elements reach beyond what is turned
  };
  /// Element (r, i) lies in line `line` + r * step, column x + r * step_x + i.
  struct Block {
    Size line, step, rows, x, cols, step_x;
  };

  // ---- What is read ----
  /// The elements of a block, rows *stride bytes apart: where they are, or computed into `buffer`.
  const char* Fetch(const Block& b, char* buffer, Size* stride) const {
    if (source_.memory != nullptr) {
      *stride = b.step * line_stride_ + b.step_x * kind_.in;
      return source_.memory + b.line * line_stride_ + b.x * kind_.in;
    }
    *stride = b.cols * kind_.in;
    Fill(b, buffer);
    return buffer;
  }
  MSHADOW_COLD void Fill(const Block& b, char* buffer) const {
    SourceBlock block;
    if (join_ == 0) {
      block = {0, 0, b.line * line_ + b.x, b.step * line_ + b.step_x, b.rows, b.cols};
      if (block.step_x == b.cols) {
        block.cols *= b.rows;
        block.rows = 1;
      }
    } else {
      block = {b.line * join_, b.step * join_, b.x, b.step_x, b.rows, b.cols};
    }
    source_.Fill(block, kind_.in, buffer);
  }
  /// The same without gaps between rows.
  const char* FetchWithoutGaps(const Block& b, char* buffer) const {
    Size stride;
    const char* const from = Fetch(b, buffer, &stride);
    if (b.rows == 1 || stride == b.cols * kind_.in) return from;
    simd::CopyRows({buffer, b.cols * kind_.in, from, stride, b.rows, b.cols * kind_.in});
    return buffer;
  }
  /// In functions that are MSHADOW_COLD, GCC makes a slow instruction of memcpy.
  MSHADOW_NOINLINE static void Copy(char* to, const char* from, Size bytes) {
    std::memcpy(to, from, std::size_t(bytes));
  }
  /// The most elements of a block that is computed, or copied.
  Size BufferSize() const { return kFoldBuffer / kind_.in; }

  // ---- Folds ----
  static FoldLanes LanesOf(const FoldTable& kind, Room* room, Size first = 0) {
    return {room->acc + first * kind.acc, room->aux + first * kind.aux,
            room->scouts + first * kind.scout};
  }
  /// The lanes of a first pass.
  static FoldLanes SumsOf(const FoldTable& kind, Room* room) {
    return {room->sums + 0 * kind.acc, room->aux, room->scouts};
  }
  /// Each of `groups` groups of rows x cols elements is reduced to a row of cols lanes. times > 1:
  /// there are no gaps in a group; so many of its rows have lanes of their own first.
  MSHADOW_COLD void FoldTo(const FoldTable& kind, const FoldLanes& lanes, const FoldBlock& b,
                           Size times) const {
    if (times == 1) return kind.columns[isa_](&lanes, &b);
    const Size whole = b.rows / times, rest = b.rows - whole * times;
    const Size cols = times * b.cols, row_bytes = cols * kind.in;
    const FoldBlock wide{b.in, row_bytes, whole, cols, b.groups, b.group_stride, 0};
    kind.columns[isa_](&lanes, &wide);
    for (Size g = 0; rest > 0 && g < b.groups; ++g) {
      const FoldLanes some{lanes.acc + g * cols * kind.acc, lanes.aux + g * cols * kind.aux,
                           lanes.scouts + g * cols * kind.scout};
      const FoldBlock row{b.in + g * b.group_stride + whole * row_bytes, 0, 1, rest * b.cols, 1, 0,
                          whole};
      kind.columns[isa_](&some, &row);
    }
    kind.join[isa_](&lanes, b.groups, b.cols, times, true);
  }
  /// The same with a first pass, to the lanes of the room from `at` on.
  void FoldColumnsOf(Room* room, Size at, const FoldBlock& b, Size times) const {
    if (kind_.first_pass != nullptr && b.first == 0) {
      kind_.scout_columns(*this, room, at, b, times);
    }
    const FoldLanes lanes = LanesOf(kind_, room, at);
    if (times == 1) return kind_.columns[isa_](&lanes, &b);
    FoldTo(kind_, lanes, b, times);
    if (kind_.scout != 0) {
      TakeEvery(room->scouts + at * kind_.scout, b.groups, times, b.cols * kind_.scout);
    }
  }
  /// Keeps the first of every `times` pieces of so many bytes.
  MSHADOW_COLD static void TakeEvery(char* all, Size count, Size times, Size bytes) {
    for (Size k = 1; k < count; ++k) {
      std::memmove(all + k * bytes, all + k * times * bytes, std::size_t(bytes));
    }
  }
  /// Each of `groups` rows of `cols` elements is repeated `times` times, in place.
  MSHADOW_COLD static void Repeat(char* all, Size size, Size groups, Size cols, Size times) {
    const Size bytes = cols * size;
    for (Size g = groups; g-- > 0;) {
      for (Size t = times; t-- > 0;) {
        std::memmove(all + (g * times + t) * bytes, all + g * bytes, std::size_t(bytes));
      }
    }
  }
  /// `rows` rows of n elements are reduced to lanes `at` and on of the room.
  MSHADOW_NOINLINE void FoldRowsOf(Room* room, Size at, const char* in, Size stride, Size rows,
                                   Size n) const {
    if (n < kRowLanes || (n < kShort && rows >= 8)) {
      for (Size r = 0, count; r < rows; r += count) {
        count = Smaller(rows - r, BufferSize() / n);
        kind_.turn_in[isa_](in + r * stride, stride, count, n, room->turned);
        const FoldBlock b{room->turned, count * kind_.in, n, count, 1, 0, 0};
        FoldColumnsOf(room, at + r, b, 1);
      }
      return;
    }
    if (kind_.first_pass == nullptr) {
      return FoldRowsTo(kind_, LanesOf(kind_, room, at), {in, stride, rows, n, 1, 0, 0}, room);
    }
    kind_.rows_twice(*this, room, at, {in, stride, rows, n, 1, 0, 0});
  }
  /// Each row is reduced to a lane: to kRowLanes first, which are transposed and joined.
  MSHADOW_NOINLINE void FoldRowsTo(const FoldTable& kind, const FoldLanes& to, FoldBlock b,
                                   Room* room) const {
    const FoldLanes turned{room->wide_turned, room->wide_aux_turned, nullptr};
    const Size rows = b.rows;
    for (Size y = 0; y < rows; y += b.rows, b.in += b.rows * b.stride) {
      b.rows = Smaller(kLanes / kRowLanes, rows - y);
      FoldLanes lanes{room->wide, room->wide_aux, to.scouts + y * kind.scout};
      kind.rows[isa_](&lanes, &b);
      if (b.rows > 1) {
        Turn(kind, lanes.acc, kind.acc, b.rows, kRowLanes, turned.acc);
        if (kind.aux != 0) Turn(kind, lanes.aux, kind.aux, b.rows, kRowLanes, turned.aux);
        lanes = turned;
      }
      kind.join[isa_](&lanes, 1, b.rows, kRowLanes, false);
      std::memcpy(to.acc + y * kind.acc, lanes.acc, std::size_t(b.rows * kind.acc));
      if (kind.aux == 0) continue;
      std::memcpy(to.aux + y * kind.aux, lanes.aux, std::size_t(b.rows * kind.aux));
    }
  }
  /// Lanes k * width + i of all i < width are joined to lane k.
  MSHADOW_COLD void JoinNeighbours(const FoldTable& kind, const FoldLanes& lanes, Size count,
                                       Room* room) const {
    TurnLanes(kind, lanes.acc, kind.acc, count, width_, room);
    if (kind.aux != 0) TurnLanes(kind, lanes.aux, kind.aux, count, width_, room);
    kind.join[isa_](&lanes, 1, count, width_, false);
  }
  /// Rows of cols lanes are transposed in place.
  void TurnLanes(const FoldTable& kind, char* lanes, int size, Size rows, Size cols,
                 Room* room) const {
    Turn(kind, lanes, size, rows, cols, room->turned);
    Copy(lanes, room->turned, rows * cols * size);
  }
  MSHADOW_NOINLINE void Turn(const FoldTable& kind, const char* from, int size, Size rows,
                             Size cols, char* to) const {
    if (size == kind.acc) return kind.turn_acc[isa_](from, cols * size, rows, cols, to);
    for (Size i = 0; i < rows; ++i) {
      for (Size j = 0; j < cols; ++j) {
        std::memcpy(to + (j * rows + i) * size, from + (i * cols + j) * size, std::size_t(size));
      }
    }
  }

  // ---- Results ----
  MSHADOW_COLD void OfNothing() const {
    Room room;
    room.count = 1;
    Total(&room);
    kind_.finish(room.totals, 1, 0, room.out);
    for (Size i = 0; i < results_; ++i) sink_.put(sink_.target, room.out, i, 1);
  }
  /// Adds what times * count lanes, from `lane` on, hold to the totals from result `at` on: n
  /// elements each, the first of which has the number `first`.
  void Merge(Size at, Size count, Size times, Size n, Size first, Room* room,
             Size lane = 0) const {
    const FoldLanes lanes = LanesOf(kind_, room, lane);
    kind_.merge(&lanes, count, times, n, first, room->totals + at * kind_.total);
  }
  /// The same of all results; if these are all elements, they stay in the lanes.
  void Put(Size n, Size first, Room* room) const {
    if (n == reduced_) {
      room->holder = Room::kInLanes;
    } else {
      BeginTotals(room);
      Merge(0, room->count, 1, n, first, room);
    }
  }
  /// Makes totals of nothing, unless they hold elements.
  void BeginTotals(Room* room) const {
    if (room->holder != Room::kInTotals) kind_.nothing(room->totals, room->count);
    room->holder = Room::kInTotals;
  }
  /// Makes totals of what the lanes hold, if they hold it; or of nothing.
  void Total(Room* room) const {
    const bool in_lanes = room->holder == Room::kInLanes;
    BeginTotals(room);
    if (in_lanes) Merge(0, room->count, 1, reduced_, 0, room);
  }
  MSHADOW_NOINLINE void HandOn(Room* room) const {
    if (kind_.is_result && room->holder == Room::kInLanes) {
      return sink_.put(sink_.target, room->acc, room->result, room->count);
    }
    Total(room);
    kind_.finish(room->totals, room->count, reduced_, room->out);
    sink_.put(sink_.target, room->out, room->result, room->count);
  }
  /// True if more elements would change no result.
  bool AreFinal(const Room& room) const {
    if (kind_.is_final == nullptr || room.holder != Room::kInTotals) return false;
    Size k = 0;
    while (k < room.count && kind_.is_final(room.totals + k * kind_.total)) ++k;
    return k == room.count;
  }

  /// True if the whole is a block, of so few elements that to cut it takes longer than to add them.
  bool IsSmall() const {
    return width_ == 1 && groups_.count == 0 && lines_ == 1 && middle_ <= kSmallRows &&
           middle_ * line_ <= kSmall;
  }
  void OneBlock() const {
    Room room;
    room.count = results_;
    room.holder = Room::kInLanes;
    const Block all{0, 1, middle_, 0, line_, 0};
    FoldBlock b{nullptr, 0, middle_, line_, 1, 0, 0};
    b.in = Fetch(all, room.buffer, &b.stride);
    if (groups_.rows) {
      FoldRowsOf(&room, 0, b.in, b.stride, middle_, line_);
    } else {
      FoldColumnsOf(&room, 0, b, 1);
    }
    HandOn(&room);
  }

  // ---- Tasks ----
  /// How lines are cut. Columns: `together` short ones, or `columns` of one, are reduced at a time;
  /// so many rows of them have lanes of their own; so many rows are read at a time, and lanes hold
  /// `most`. Rows: so many results are a task. Many groups: `most` of them are one.
  struct Cut {
    Size together, columns, times, rows, most;
  };
  /// Reduces chunks [first, last) of the results of a task.
  using Reduce = void (FoldReduction::*)(const Cut& cut, Size task, Size first, Size last,
                                         Room* room) const;
  /// Runs tasks, each of which takes `chunks` chunks of `elements`: all of them, or parts that are
  /// merged afterwards.
  MSHADOW_NOINLINE void Split(Size tasks, Size chunks, Size elements, Reduce reduce,
                              const Cut& cut) const {
    Size parts = 1;
    if (tasks < kParts) {
      parts = Smaller(DivideUp(kParts, tasks), chunks * elements / kPart);
      parts = Larger(1, Smaller(parts, chunks));
    }
    const Parts all{reduce, cut, chunks, DivideUp(chunks, parts), 0, 1, nullptr, 0};
    parts == 1 ? RunParts(tasks, elements, all) : InParts(tasks, elements, all);
  }
  /// Parts [first, first + count) of `size` of these chunks. Their totals go to `partial`, those of
  /// a part to a step of bytes; null: the part is all chunks, and its results are handed on.
  struct Parts {
    Reduce reduce;
    const Cut& cut;
    Size chunks, size, first, count;
    char* partial;
    Size step;
  };
  MSHADOW_NOINLINE void RunParts(Size tasks, Size elements, const Parts& parts) const {
    RunTasks(team_, tasks * parts.count, parts.size * elements, source_.cost, [&](Size i) {
      Room room;
      const Size task = i / parts.count, part = parts.first + i - task * parts.count;
      const Size begin = part * parts.size;
      (this->*parts.reduce)(parts.cut, task, begin, Smaller(begin + parts.size, parts.chunks),
                            &room);
      if (parts.partial == nullptr) return HandOn(&room);
      Total(&room);
      std::memcpy(parts.partial + part * parts.step + room.result * kind_.total, room.totals,
                  std::size_t(room.count * kind_.total));
    });
  }
  MSHADOW_COLD void InParts(Size tasks, Size elements, Parts some) const {
    const Size step = results_ * kind_.total, parts = DivideUp(some.chunks, some.size);
    Temporary<cpu, 1, double> memory(Shape1(static_cast<index_t>(parts * step / 8 + 1)), nullptr);
    char* const partial = reinterpret_cast<char*>(memory.tensor().dptr_);
    some.partial = partial;
    some.step = step;
    some.count = kind_.is_final != nullptr ? 1 : parts;
    // Where few elements may decide, more and more parts run at a time.
    for (bool are_final = false; some.first < parts && !are_final;) {
      RunParts(tasks, elements, some);
      some.first += some.count;
      are_final = kind_.is_final != nullptr;
      for (Size r = 0; r < results_ && are_final; ++r) {
        Size part = 0;
        while (part < some.first && !kind_.is_final(partial + part * step + r * kind_.total)) {
          ++part;
        }
        are_final = part < some.first;
      }
      some.count = Smaller(some.first + 1, parts - some.first);
    }
    for (Size part = 1; part < some.first; ++part) {
      kind_.add(partial, partial + part * step, results_);
    }
    Room room;
    for (Size i = 0; i < results_; i += kLanes) {
      const Size count = Smaller(kLanes, results_ - i);
      kind_.finish(partial + i * kind_.total, count, reduced_, room.out);
      sink_.put(sink_.target, room.out, i, count);
    }
  }

  // ---- Rows: a result is made of whole lines ----
  /// A line is folded in chunks of some pieces.
  Size PieceOfLine() const { return Smaller(line_, Smaller(kPiece, BufferSize())); }
  Size ChunksOfLine() const { return DivideUp(line_, kPieces * PieceOfLine()); }
  /// How many pieces of at most `piece` elements n are: of as many each, if that takes few more.
  static Size PiecesOf(Size n, Size piece) {
    const Size least = DivideUp(n, piece);
    for (Size pieces = least; pieces < least + 4; ++pieces) {
      if (n % pieces == 0) return pieces;
    }
    return least;
  }
  MSHADOW_COLD void Rows() const {
    const Size outer = results_ / middle_, across = ChunksOfLine();
    const Size chunks = groups_.OuterReduced() * lines_ * across;
    const Size chunk = Smaller(line_, kPieces * PieceOfLine());
    const Size batch =
        Smaller(middle_, Larger(1, Smaller(kBatch, kElements / Smaller(chunk, kElements))));
    Split(outer * DivideUp(middle_, batch), chunks, chunk * batch, &FoldReduction::ReduceBatch,
          {0, 0, 0, batch, 0});
  }
  void ReduceBatch(const Cut& cut, Size task, Size first, Size last, Room* room) const {
    const Size batches = DivideUp(middle_, cut.rows), o = task / batches;
    const Size begin = (task - o * batches) * cut.rows;
    room->count = Smaller(cut.rows, middle_ - begin);
    room->result = o * middle_ + begin;
    ReduceRows(groups_.OuterKept(o, lines_) + begin * lines_, first, last, room);
  }
  /// Reduces chunks [first, last) of results the first of which begins at `line`.
  MSHADOW_COLD void ReduceRows(Size line, Size first, Size last, Room* room) const {
    const Size across = ChunksOfLine(), piece = PieceOfLine(), chunk = kPieces * piece;
    for (Size i = first; i < last; ++i) {
      const Size run = i / across, x = (i - run * across) * chunk, q = run / lines_;
      const Size at = line + groups_.OuterReducedAt(q, lines_) + run - q * lines_;
      const Size n = Smaller(chunk, line_ - x), number = run * line_ + x;
      if (n <= piece) {
        FoldLines({at, lines_, room->count, x, n, 0}, room);
        Put(n, number, room);
      } else {
        BeginTotals(room);
        // Row after row: what lies in order in memory is read in that order. The pieces of several
        // rows at a time, if they are as far apart as those of one.
        const Size pieces = PiecesOf(n, piece), even = DivideUp(n, pieces);
        const bool is_run = even * pieces == n && source_.memory != nullptr &&
                            lines_ * line_stride_ == n * kind_.in;
        for (Size r = 0, rows; r < room->count; r += rows) {
          rows = is_run ? Smaller(room->count - r, kLanes / pieces) : 1;
          for (Size done = 0, size, whole; done < n; done += whole * size) {
            size = Smaller(even, n - done);
            whole = (n - done) / size;
            FoldLines({at + r * lines_, 0, rows * whole, x + done, size, size}, room);
            for (Size k = 0; k < rows; ++k) {
              Merge(r + k, 1, whole, size, number + done, room, k * whole);
            }
          }
        }
      }
      if (AreFinal(*room)) return;
    }
  }
  /// Each row of a block is reduced to a lane.
  MSHADOW_COLD void FoldLines(const Block& b, Room* room) const {
    Block part = b;
    if (source_.memory == nullptr) part.rows = Smaller(b.rows, Larger(1, BufferSize() / b.cols));
    for (Size r = 0; r < b.rows; r += part.rows) {
      part.line = b.line + r * b.step;
      part.x = b.x + r * b.step_x;
      part.rows = Smaller(part.rows, b.rows - r);
      Size stride;
      const char* const in = Fetch(part, room->buffer, &stride);
      FoldRowsOf(room, r, in, stride, part.rows, b.cols);
    }
  }

  // ---- Columns: lines are added to each other ----
  MSHADOW_COLD void Columns() const {
    const Size outer = results_ * width_ / groups_.inner;
    const Size size = middle_ * line_, times = LanesFor(line_, middle_);
    const bool is_short = size <= 64;
    if (width_ == 1 && lines_ == 1 && groups_.count <= 1 && outer > 1 &&
        2 * size <= BufferSize() && line_ <= kNarrow &&
        (is_short || middle_ <= kind_.most_rows * times)) {
      return ManyGroups(outer, is_short ? 0 : times);
    }
    EachGroup(outer);
  }
  /// How many rows of `cols` elements without gaps have lanes of their own, where there are `rows`.
  static Size LanesFor(Size cols, Size rows) {
    return 2 * cols >= kNarrow ? 1 : Larger(1, Smaller(2 * kNarrow / cols, rows / 2));
  }
  /// Groups of few lines each are reduced to one line, many groups at a time. times 0: their
  /// elements are transposed, so that groups lie side by side.
  MSHADOW_COLD void ManyGroups(Size outer, Size times) const {
    const Size size = middle_ * line_;
    const Size lanes = times == 0 ? line_ : times * line_;
    Size most = Smaller(kLanes / lanes, BufferSize() / size);
    if (times == 0) most = Smaller(most, kTurned / (16 * kind_.in));
    Split(DivideUp(outer, most), 1, size * most, &FoldReduction::ReduceGroups,
          {0, 0, times, 0, most});
  }
  MSHADOW_COLD void ReduceGroups(const Cut& cut, Size task, Size, Size, Room* room) const {
    const Size size = middle_ * line_, times = cut.times, o = task * cut.most;
    const Size count = Smaller(cut.most, results_ / line_ - o);
    room->count = count * line_;
    room->result = o * line_;
    room->holder = Room::kInLanes;
    const Block all{o * middle_, 1, count * middle_, 0, line_, 0};
    const char* const in = FetchWithoutGaps(all, room->buffer);
    const Size bytes = size * kind_.in;
    if (times > 0) {
      const FoldBlock b{in, line_ * kind_.in, middle_, line_, count, bytes, 0};
      return FoldColumnsOf(room, 0, b, times);
    }
    kind_.turn_in[isa_](in, bytes, count, size, room->turned);
    for (Size c = 0; c < line_; ++c) {
      const FoldBlock b{room->turned + c * count * kind_.in, line_ * count * kind_.in, middle_,
                        count, 1, 0, 0};
      FoldColumnsOf(room, c * count, b, 1);
    }
    if (line_ == 1) return;
    TurnLanes(kind_, room->acc, kind_.acc, line_, count, room);
    if (kind_.aux != 0) TurnLanes(kind_, room->aux, kind_.aux, line_, count, room);
    if (kind_.scout != 0) TurnLanes(kind_, room->scouts, kind_.scout, line_, count, room);
  }
  /// One group at a time: some columns of its line, or some of its short lines.
  MSHADOW_COLD void EachGroup(Size outer) const {
    const bool computes = source_.memory == nullptr;
    Size most_lanes = kind_.first_pass != nullptr && (computes || kind_.reads_twice)
                                ? Smaller(256, BufferSize())
                                : Smaller(kLanes, BufferSize());
    // Rows that JoinNeighbours transposes: a square of 16 columns of each fits into the room.
    if (width_ > 1) most_lanes = Smaller(most_lanes, width_ * (kTurned / 128));
    Size together = 1, columns = line_;
    if (lines_ > 1 && line_ < kNarrow) {
      together = Smaller(lines_, most_lanes / line_);
    } else {
      const Size unit = width_ == 1 ? 64 : width_;  // of a block of lanes
      columns = DivideUp(line_, DivideUp(line_, Larger(unit, most_lanes / unit * unit)));
      columns = Smaller(line_, DivideUp(columns, unit) * unit);
    }
    const Size all = together * columns;
    const bool whole = together == 1 && lines_ == 1 && columns == line_;
    Size times = 1;
    if (width_ == 1 && whole) times = LanesFor(all, middle_);
    // Blocks of narrow rows are copied unless they have no gaps.
    const bool copies = computes || together > 1 || (times > 1 && line_stride_ != all * kind_.in);
    Size most = kind_.most_rows * times;  // rows that lanes hold
    most = Larger(1, Smaller(most, kMostInLane / width_));
    if (kind_.reads_twice) most = Smaller(most, 262144 / (all * kind_.in));
    Size rows = copies ? BufferSize() / all : most;  // at a time
    if (kind_.reads_twice) most = Smaller(most, rows);
    Split(outer * DivideUp(line_, columns) * DivideUp(lines_, together),
          groups_.OuterReduced() * middle_, all, &FoldReduction::ReduceColumns,
          {together, columns, times, rows, most});
  }
  MSHADOW_COLD void ReduceColumns(const Cut& cut, Size task, Size first, Size last,
                                  Room* room) const {
    const Size across = DivideUp(line_, cut.columns), down = DivideUp(lines_, cut.together);
    const Size o = task / (across * down), part = task - o * across * down;
    const Size j = part / across * cut.together, x = part % across * cut.columns;
    const Size n_lines = Smaller(cut.together, lines_ - j), n = Smaller(cut.columns, line_ - x);
    const Size lanes = n_lines * n, line = groups_.OuterKept(o, lines_) + j;
    room->count = lanes / width_;
    room->result = (o * groups_.inner + j * line_ + x) / width_;
    Size held = 0;
    for (Size row = first, count; row < last; row += count) {
      const Size q = row / middle_, r = row - q * middle_;
      count = Smaller(Smaller(middle_ - r, last - row), Smaller(cut.rows, cut.most - held));
      const Size at = line + groups_.OuterReducedAt(q, lines_) + r * lines_;
      FoldBlock b{nullptr, lanes * kind_.in, count, lanes, 1, 0, held};
      if (cut.together > 1) {
        b.in = room->buffer;
        for (Size k = 0; k < count; ++k) {
          char* const to = room->buffer + k * lanes * kind_.in;
          const char* const from =
              FetchWithoutGaps({at + k * lines_, 1, n_lines, 0, n, 0}, to);
          if (from != to) Copy(to, from, lanes * kind_.in);
        }
      } else if (cut.times > 1) {
        b.in = FetchWithoutGaps({at, lines_, count, x, n, 0}, room->buffer);
      } else {
        b.in = Fetch({at, lines_, count, x, n, 0}, room->buffer, &b.stride);
      }
      const Size lanes_of_row = count < cut.times ? 1 : cut.times;
      FoldColumnsOf(room, 0, b, lanes_of_row);
      held += count;
      if (cut.times == 1 && held < cut.most && row + count < last) continue;
      if (width_ > 1) JoinNeighbours(kind_, LanesOf(kind_, room), room->count, room);
      if (width_ > 1 && kind_.scout != 0) {
        TakeEvery(room->scouts, room->count, width_, kind_.scout);
      }
      Put(held * width_, (row + count - held) * width_, room);
      held = 0;
      if (AreFinal(*room)) return;
    }
  }

  const ThreadTeam& team_;
  const FoldTable& kind_;
  const FoldSource& source_;
  const expr::AxisGroups& groups_;
  const FoldSink sink_;
  const int isa_;
  const Size width_, results_, reduced_, middle_;
  /// A line: as much of the inner group as lies in one row of the source. join_: rows of the plan
  /// that are a line; 0: all lie in one row.
  Size join_, line_, lines_, line_stride_;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_FOLD_REDUCTION_H_
