// SPDX-License-Identifier: Apache-2.0
// The loops of a reduction: elements in memory are folded into lanes, lanes are joined, merged into
// totals, and finished. They depend on the Kind (op/one_pass.h) and on nothing that is read.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_FOLD_H_
#define MSHADOW_BACKEND_CPU_REDUCE_FOLD_H_

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "../../../op/long_sum.h"
#include "../../../op/statistic.h"
#include "../../../simd/isa.h"
#include "../../../simd/transpose_block.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Lanes: partial results side by side, in arrays of Kind::Acc, Kind::Aux and Kind::Scout.
struct FoldLanes {
  char *acc, *aux, *scouts;
};

/// What a loop reads: `groups` blocks of rows x cols elements; strides in bytes. Lanes hold `first`
/// rows already.
struct FoldBlock {
  const char* in;
  std::ptrdiff_t stride, rows, cols, groups, group_stride, first;
};

/// Lanes [g * cols + x] of each group g get the elements of column x: (g, y, x) for all rows y.
template <typename Kind>
struct FoldColumns {
  using In = typename Kind::In;
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  using Scout = typename Kind::Scout;
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const FoldLanes* to, const FoldBlock* block) {
    const FoldBlock b = *block;
    Acc* acc = reinterpret_cast<Acc*>(to->acc);
    Aux* aux = reinterpret_cast<Aux*>(to->aux);
    const Scout* scouts = reinterpret_cast<const Scout*>(to->scouts);
    for (std::ptrdiff_t g = 0; g < b.groups; ++g) {
      const char* row = b.in + g * b.group_stride;
      if (b.first == 0) Start(b.cols, acc, aux);
      std::ptrdiff_t y = 0;
      for (; y + 4 <= b.rows; y += 4, row += 4 * b.stride) {
        Rows<4>(row, b.stride, b.cols, acc, aux, scouts, static_cast<Aux>(b.first + y));
      }
      for (; y < b.rows; ++y, row += b.stride) {
        Rows<1>(row, b.stride, b.cols, acc, aux, scouts, static_cast<Aux>(b.first + y));
      }
      acc += b.cols;
      if constexpr (Kind::kHasAux) aux += b.cols;
      if constexpr (Kind::kTwoPasses) scouts += b.cols;
    }
  }

 private:
  MSHADOW_FORCE_INLINE static void Start(std::ptrdiff_t cols, Acc* acc, Aux* aux) {
    MSHADOW_IVDEP
    for (std::ptrdiff_t x = 0; x < cols; ++x) {
      Acc a;
      Aux b = Aux(0);
      Kind::Start(&a, &b, 0);
      acc[x] = a;
      if constexpr (Kind::kHasAux) aux[x] = b;
    }
  }
  /// Four rows at a time: lanes are loaded and stored once for them.
  template <int count>
  MSHADOW_FORCE_INLINE static void Rows(const char* row, std::ptrdiff_t stride, std::ptrdiff_t cols,
                                        Acc* acc, Aux* aux, const Scout* scouts, Aux number) {
    const In* const r0 = reinterpret_cast<const In*>(row);
    const In* const r1 = reinterpret_cast<const In*>(row + stride);
    const In* const r2 = reinterpret_cast<const In*>(row + 2 * stride);
    const In* const r3 = reinterpret_cast<const In*>(row + 3 * stride);
    MSHADOW_IVDEP
    for (std::ptrdiff_t x = 0; x < cols; ++x) {
      Acc a = acc[x];
      [[maybe_unused]] Aux b = Aux(0);
      [[maybe_unused]] Scout scout = Scout();
      if constexpr (Kind::kHasAux) b = aux[x];
      if constexpr (Kind::kTwoPasses) scout = scouts[x];
      if constexpr (Kind::kSumsFloats && count > 1) {  // pairwise: the chain is shorter
        a += (Kind::Single(r0[x]) + Kind::Single(r1[x])) +
             (Kind::Single(r2[x]) + Kind::Single(r3[x]));
      } else {
        Kind::Add(&a, &b, r0[x], scout, number);
        if constexpr (count > 1) {
          Kind::Add(&a, &b, r1[x], scout, static_cast<Aux>(number + 1));
          Kind::Add(&a, &b, r2[x], scout, static_cast<Aux>(number + 2));
          Kind::Add(&a, &b, r3[x], scout, static_cast<Aux>(number + 3));
        }
      }
      acc[x] = a;
      if constexpr (Kind::kHasAux) aux[x] = b;
    }
  }
};

/// The elements of row y, kRowLanes or more, go to so many lanes, from y * kRowLanes on; they are
/// numbered from 0.
constexpr int kRowLanes = 16;
template <typename Kind>
struct FoldRows {
  using In = typename Kind::In;
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  using Scout = typename Kind::Scout;
  static constexpr int kFill = (Kind::kHasAux ? 128 : 256) / static_cast<int>(sizeof(Acc));
  static constexpr int kMany = kFill < 32 ? 32 : kFill > 64 ? 64 : kFill;

  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const FoldLanes* to, const FoldBlock* block) {
    const FoldBlock b = *block;
    Acc* acc = reinterpret_cast<Acc*>(to->acc);
    Aux* aux = reinterpret_cast<Aux*>(to->aux);
    const Scout* const scouts = reinterpret_cast<const Scout*>(to->scouts);
    for (std::ptrdiff_t y = 0; y < b.rows; ++y) {
      const In* const row = reinterpret_cast<const In*>(b.in + y * b.stride);
      Scout scout = Scout();
      if constexpr (Kind::kTwoPasses) scout = scouts[y];
      Row(row, b.cols, scout, acc, aux);
      acc += kRowLanes;
      if constexpr (Kind::kHasAux) aux += kRowLanes;
    }
  }

 private:
  MSHADOW_FORCE_INLINE static void Row(const In* row, std::ptrdiff_t n, Scout scout, Acc* acc,
                                       Aux* aux) {
    Acc a[kRowLanes];
    Aux b[kRowLanes];
    std::ptrdiff_t x = kRowLanes;
    if constexpr (Kind::kSumsFloats) {  // pairwise: the chain is short without more lanes
      constexpr int kSteps = 4;
      Start<kRowLanes>(a, b, row, scout);
      for (; n - x >= kSteps * kRowLanes; x += kSteps * kRowLanes) {
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < kRowLanes; ++l) a[l] += SumOf<kSteps>(row + x + l);
      }
    } else if (sizeof(Acc) > 1 && n >= 4 * kMany) {
      Acc many[kMany];
      Aux many_aux[kMany];
      Start<kMany>(many, many_aux, row, scout);
      for (x = kMany; n - x >= kMany; x += kMany) {
        MSHADOW_SIMD_LOOP_LONG
        for (int l = 0; l < kMany; ++l) Add(many, many_aux, l, row, x, scout);
      }
      JoinTo<kMany>(many, many_aux, a, b);
    } else {
      Start<kRowLanes>(a, b, row, scout);
    }
    for (; n - x >= kRowLanes; x += kRowLanes) {
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kRowLanes; ++l) Add(a, b, l, row, x, scout);
    }
    if (x == n) return Put(a, b, acc, aux);
    // The last vector overlaps the one before, whose elements it leaves out.
    const std::ptrdiff_t last = n - kRowLanes;
    const int first = static_cast<int>(x - last);
    Acc rest[kRowLanes];
    Aux rest_aux[kRowLanes];
    MSHADOW_SIMD_LOOP
    for (int l = 0; l < kRowLanes; ++l) {
      Acc lane = a[l];
      [[maybe_unused]] Aux lane_aux = Aux(0);
      if constexpr (Kind::kHasAux) lane_aux = b[l];
      Kind::Add(&lane, &lane_aux, row[last + l], scout, static_cast<Aux>(Aux(last) + Aux(l)));
      rest[l] = l < first ? a[l] : lane;
      if constexpr (Kind::kHasAux) rest_aux[l] = l < first ? b[l] : lane_aux;
    }
    Put(rest, rest_aux, acc, aux);
  }
  MSHADOW_FORCE_INLINE static void Put(const Acc* a, [[maybe_unused]] const Aux* b, Acc* acc,
                                       [[maybe_unused]] Aux* aux) {
    ForEachLane<kRowLanes>([=](int l) MSHADOW_INLINE_LAMBDA {
      acc[l] = a[l];
      if constexpr (Kind::kHasAux) aux[l] = b[l];
    });
  }
  /// The sum of row[0], row[kRowLanes], .., of `count` elements, pairwise.
  template <int count>
  MSHADOW_FORCE_INLINE static Acc SumOf(const In* row) {
    if constexpr (count == 1) {
      return Kind::Single(row[0]);
    } else {
      return SumOf<count / 2>(row) + SumOf<count / 2>(row + count / 2 * kRowLanes);
    }
  }
  template <int lanes, typename F>
  MSHADOW_FORCE_INLINE static void ForEachLane(const F& f) {
    if constexpr (lanes > 16) {
      MSHADOW_SIMD_LOOP_LONG
      for (int l = 0; l < lanes; ++l) f(l);
    } else {
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < lanes; ++l) f(l);
    }
  }
  /// Lane l gets element l alone. (Lanes of nothing would be cleared in memory.)
  template <int lanes>
  MSHADOW_FORCE_INLINE static void Start(Acc* a, Aux* b, const In* row, Scout scout) {
    ForEachLane<lanes>([=](int l) MSHADOW_INLINE_LAMBDA {
      Acc lane;
      Aux lane_aux = Aux(0);
      Kind::Start(&lane, &lane_aux, 0);
      Kind::Add(&lane, &lane_aux, row[l], scout, static_cast<Aux>(l));
      a[l] = lane;
      if constexpr (Kind::kHasAux) b[l] = lane_aux;
    });
  }
  /// Lane l gets element x + l.
  MSHADOW_FORCE_INLINE static void Add(Acc* a, Aux* b, int l, const In* row, std::ptrdiff_t x,
                                       Scout scout) {
    Acc lane = a[l];
    [[maybe_unused]] Aux lane_aux = Aux(0);
    if constexpr (Kind::kHasAux) lane_aux = b[l];
    Kind::Add(&lane, &lane_aux, row[x + l], scout, static_cast<Aux>(Aux(x) + Aux(l)));
    a[l] = lane;
    if constexpr (Kind::kHasAux) b[l] = lane_aux;
  }
  /// Joins lanes pairwise to kRowLanes.
  template <int lanes>
  MSHADOW_FORCE_INLINE static void JoinTo(const Acc* a, const Aux* b, Acc* acc, Aux* aux) {
    constexpr int kHalf = lanes / 2;
    const auto join = [=](Acc* half, [[maybe_unused]] Aux* half_aux) MSHADOW_INLINE_LAMBDA {
      ForEachLane<kHalf>([=](int l) MSHADOW_INLINE_LAMBDA {
        Acc lane = a[l];
        [[maybe_unused]] Aux lane_aux = Aux(0), other_aux = Aux(0);
        if constexpr (Kind::kHasAux) lane_aux = b[l], other_aux = b[l + kHalf];
        Kind::Join(&lane, &lane_aux, a[l + kHalf], other_aux);
        half[l] = lane;
        if constexpr (Kind::kHasAux) half_aux[l] = lane_aux;
      });
    };
    if constexpr (kHalf > kRowLanes) {
      Acc half[kHalf];
      Aux half_aux[kHalf];
      join(half, half_aux);
      JoinTo<kHalf>(half, half_aux, acc, aux);
    } else {
      join(acc, aux);
    }
  }
};

/// There are `groups` groups of times x count lanes. Lanes (g, i, k) are joined to g * count + k.
/// renumbers: number r in lane (g, i, k) becomes r * times + i.
template <typename Kind>
struct JoinLanes {
  using Acc = typename Kind::Acc;
  using Aux = typename Kind::Aux;
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const FoldLanes* lanes, std::ptrdiff_t groups,
                                       std::ptrdiff_t count, std::ptrdiff_t times,
                                       [[maybe_unused]] bool renumbers) {
    Acc* const acc = reinterpret_cast<Acc*>(lanes->acc);
    [[maybe_unused]] Aux* const aux = reinterpret_cast<Aux*>(lanes->aux);
    [[maybe_unused]] Aux unused = 0;
    for (std::ptrdiff_t g = 0; g < groups; ++g) {
      const std::ptrdiff_t from = g * times * count, to = g * count;
      if constexpr (Kind::kNumbers) {
        for (std::ptrdiff_t i = 0; renumbers && i < times; ++i) {
          for (std::ptrdiff_t k = 0; k < count; ++k) {
            Aux& number = aux[from + i * count + k];
            number = static_cast<Aux>(number * static_cast<Aux>(times) + static_cast<Aux>(i));
          }
        }
      }
      for (std::ptrdiff_t n = times; n > 1;) {
        const std::ptrdiff_t half = (n + 1) / 2, upper = half * count, at = half > 1 ? from : to;
        MSHADOW_IVDEP
        for (std::ptrdiff_t k = 0; k < (n - half) * count; ++k) {
          Acc lane = acc[from + k];
          if constexpr (Kind::kHasAux) {
            Aux number = aux[from + k];
            Kind::Join(&lane, &number, acc[from + k + upper], aux[from + k + upper]);
            aux[at + k] = number;
          } else {
            Kind::Join(&lane, &unused, acc[from + k + upper], unused);
          }
          acc[at + k] = lane;
        }
        n = half;
      }
    }
  }
};

/// total[k] is merged with the lanes k + t * count, t < times, of n elements each, the first of
/// which have the numbers first + t * n.
template <typename Kind>
struct MergeLanes {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const FoldLanes* lanes, std::ptrdiff_t count,
                                       std::ptrdiff_t times, std::ptrdiff_t n, std::ptrdiff_t first,
                                       char* totals) {
    using Total = typename Kind::Total;
    const auto* const acc = reinterpret_cast<const typename Kind::Acc*>(lanes->acc);
    const auto* const aux = reinterpret_cast<const typename Kind::Aux*>(lanes->aux);
    const auto* const scouts = reinterpret_cast<const typename Kind::Scout*>(lanes->scouts);
    Total* const total = reinterpret_cast<Total*>(totals);
    for (std::ptrdiff_t t = 0; t < times; ++t, first += n) {
      const std::ptrdiff_t at = t * count;
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < count; ++k) {
        Total one;
        one.First(acc[at + k], aux[Kind::kHasAux ? at + k : 0],
                  scouts[Kind::kTwoPasses ? at + k : 0], n, first);
        total[k].Merge(one);
      }
    }
  }
};

/// scouts[k] = what the first pass says of n elements, for the lanes k < count of its sums.
template <typename Kind>
struct ScoutLanes {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const char* sums, std::ptrdiff_t count, std::ptrdiff_t n,
                                       char* scouts) {
    const auto* const sum = reinterpret_cast<const typename Kind::Pre::Acc*>(sums);
    auto* const scout = reinterpret_cast<typename Kind::Scout*>(scouts);
    MSHADOW_IVDEP
    for (std::ptrdiff_t k = 0; k < count; ++k) scout[k] = Kind::ScoutOf(sum[k], n);
  }
};

/// results[k] = the result of total k, of n elements.
template <typename Kind>
struct FinishTotals {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const char* totals, std::ptrdiff_t count, std::ptrdiff_t n,
                                       char* results) {
    const auto* const total = reinterpret_cast<const typename Kind::Total*>(totals);
    auto* const out = reinterpret_cast<typename Kind::Out*>(results);
    MSHADOW_IVDEP
    for (std::ptrdiff_t k = 0; k < count; ++k) out[k] = Kind::Finish(total[k], n);
  }
};

/// to[j * rows + i] = element j of row i, for elements of `size` bytes; `to` has room for kMaxSide
/// rows more. Stride in bytes.
template <int size>
struct Turn {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const char* in, std::ptrdiff_t stride, std::ptrdiff_t rows,
                                       std::ptrdiff_t cols, char* out) {
    struct Bytes {
      char byte[size];
    };
    using Bits = simd::BitsOf<size>;
    using T = std::conditional_t<std::is_void_v<Bits>, Bytes, Bits>;
    std::ptrdiff_t i = 0;
    if constexpr (simd::kShuffles<Isa, T>) {
      constexpr int kSide = simd::kCopySide<Isa, T>;
      // A square may reach into the next rows, but not beyond the last one.
      std::ptrdiff_t safe = rows;
      if (cols < kSide) {
        safe = stride > 0 ? safe - ((kSide - cols) * size + stride - 1) / stride : 0;
      }
      const T* const from = reinterpret_cast<const T*>(in);
      T* const to = reinterpret_cast<T*>(out);
      const std::ptrdiff_t step = stride / size;
      while (i + kSide <= safe) {
        for (std::ptrdiff_t j = 0;;) {
          simd::CopyTransposedBlock<Isa>(from + i * step + j, step, to + j * rows + i, rows);
          if (j + kSide >= cols) break;
          j = j + 2 * kSide <= cols ? j + kSide : cols - kSide;
        }
        if (i + kSide == safe) {
          i = safe;
          break;
        }
        i = i + 2 * kSide <= safe || safe < rows ? i + kSide : safe - kSide;
      }
    }
    for (; i < rows; ++i) {
      for (std::ptrdiff_t j = 0; j < cols; ++j) {
        std::memcpy(out + (j * rows + i) * size, in + i * stride + j * size, size);
      }
    }
  }
};

class FoldReduction;
/// What only reductions of two passes need of a FoldReduction, whose `room` is a Room: the first
/// pass of FoldColumnsOf, and FoldRowsOf for rows of a block that are no columns. Compiled with
/// RunFold.
void ScoutColumns(const FoldReduction& reduction, void* room, std::ptrdiff_t at,
                  const FoldBlock& block, std::ptrdiff_t times);
void FoldRowsTwice(const FoldReduction& reduction, void* room, std::ptrdiff_t at,
                   const FoldBlock& block);

/// The loops for a Kind, one for each instruction set, and what else a reduction by it depends on.
struct FoldTable {
  using Fold = void (*)(const FoldLanes*, const FoldBlock*);
  using Join = void (*)(const FoldLanes*, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t,
                        bool);
  using Merge = void (*)(const FoldLanes*, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t,
                         std::ptrdiff_t, char*);
  using TurnRows = void (*)(const char*, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, char*);
  using Scout = void (*)(const char*, std::ptrdiff_t, std::ptrdiff_t, char*);
  const Fold *columns, *rows;
  const Join* join;
  Merge merge;
  void (*nothing)(char* totals, std::ptrdiff_t count);  ///< makes totals of no elements
  /// Adds totals to others.
  void (*add)(char* totals, const char* others, std::ptrdiff_t count);
  void (*finish)(const char*, std::ptrdiff_t, std::ptrdiff_t, char*);
  const TurnRows *turn_in, *turn_acc;
  int in, acc, aux, scout, total, out;  // bytes; 0: there is none
  /// The most rows that are added to lanes before these are merged: a lane of floats keeps its
  /// digits.
  std::ptrdiff_t most_rows;
  bool is_result;   ///< a lane of all elements is the result
  bool numbers;     ///< Kind::kNumbers
  /// Where there are two passes: the first, how blocks are read, what the first pass finds, and how
  /// many of n elements it reads.
  const FoldTable* first_pass;
  decltype(&ScoutColumns) scout_columns;
  decltype(&FoldRowsTwice) rows_twice;
  Scout scouts;
  std::ptrdiff_t (*sample)(std::ptrdiff_t n);
  bool reads_twice;
  bool (*is_final)(const char* total);  ///< null: more elements always count
};

template <typename Kind>
struct FoldTableOf {
  static constexpr FoldTable::Scout Scouts() {
    if constexpr (Kind::kTwoPasses) {
      return simd::Baseline::Call<ScoutLanes<Kind>, const char*, std::ptrdiff_t, std::ptrdiff_t,
                                  char*>;
    }
    return nullptr;
  }
  static std::ptrdiff_t Sample(std::ptrdiff_t n) {
    if constexpr (Kind::kTwoPasses) return Kind::SampleOf(n);
    return n;
  }
  static void Nothing(char* totals, std::ptrdiff_t count) {
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      reinterpret_cast<typename Kind::Total*>(totals)[k] = typename Kind::Total();
    }
  }
  static void Add(char* totals, const char* others, std::ptrdiff_t count) {
    using Total = typename Kind::Total;
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      reinterpret_cast<Total*>(totals)[k].Merge(reinterpret_cast<const Total*>(others)[k]);
    }
  }
  static bool IsFinal(const char* total) {
    if constexpr (statistic::kStops<Kind>) {
      return Kind::IsFinal(*reinterpret_cast<const typename Kind::Total*>(total));
    }
    return false;
  }
  static constexpr const FoldTable* FirstPass() {
    if constexpr (Kind::kTwoPasses) return &FoldTableOf<typename Kind::Pre>::kTable;
    return nullptr;
  }
  template <typename F>
  static constexpr F* TwoPasses([[maybe_unused]] F* f) {
    if constexpr (Kind::kTwoPasses) return f;
    return nullptr;
  }
  template <typename T>
  static constexpr int kSize = static_cast<int>(sizeof(T));
  static_assert(sizeof(typename Kind::Acc) <= 16 && sizeof(typename Kind::Out) <= 16 &&
                    sizeof(typename Kind::Total) <= 32,
                "FoldReduction::Room has so many bytes for each");
  static constexpr auto kFinish =
      simd::Baseline::Call<FinishTotals<Kind>, const char*, std::ptrdiff_t, std::ptrdiff_t, char*>;
  static constexpr auto kMerge =
      simd::Baseline::Call<MergeLanes<Kind>, const FoldLanes*, std::ptrdiff_t, std::ptrdiff_t,
                           std::ptrdiff_t, std::ptrdiff_t, char*>;
  /// A sum takes less time than its load: wider vectors gain nothing (Zen 4).
  static constexpr auto kColumns = Kind::kSumsFloats
                                       ? simd::kShortForms<FoldColumns<Kind>, FoldTable::Fold>
                                       : simd::kForms<FoldColumns<Kind>, FoldTable::Fold>;
  static constexpr FoldTable kTable{
      kColumns,
      simd::kForms<FoldRows<Kind>, FoldTable::Fold>,
      simd::kShortForms<JoinLanes<Kind>, FoldTable::Join>,
      kMerge,
      Nothing,
      Add,
      kFinish,
      simd::kShortForms<Turn<kSize<typename Kind::In>>, FoldTable::TurnRows>,
      simd::kShortForms<Turn<kSize<typename Kind::Acc>>, FoldTable::TurnRows>,
      kSize<typename Kind::In>,
      kSize<typename Kind::Acc>,
      Kind::kHasAux ? kSize<typename Kind::Aux> : 0,
      Kind::kTwoPasses ? kSize<typename Kind::Scout> : 0,
      kSize<typename Kind::Total>,
      kSize<typename Kind::Out>,
      Kind::kSumsFloats ? red::kSumRows : red::kSumBlock,
      Kind::kLanesAreResults,
      Kind::kNumbers,
      FirstPass(),
      TwoPasses(ScoutColumns),
      TwoPasses(FoldRowsTwice),
      Scouts(),
      Sample,
      Kind::kReadsTwice,
      statistic::kStops<Kind> ? IsFinal : nullptr};
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_FOLD_H_
