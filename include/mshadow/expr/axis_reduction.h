// SPDX-License-Identifier: Apache-2.0
// AxisReduction: a reduction, or the index where it got its value, along rows or across them.
#ifndef MSHADOW_EXPR_AXIS_REDUCTION_H_
#define MSHADOW_EXPR_AXIS_REDUCTION_H_

#include <cstdint>
#include <type_traits>

#include "../core/dtype.h"
#include "../op/reducer.h"
#include "../op/reducer_traits.h"
#include "../simd/isa.h"
#include "long_sum.h"
#include "plan.h"
#include "row_lanes.h"
#include "short_row.h"
#include "short_segments.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// Reducer::Combine without a last step.
template <typename Reducer>
struct Unfinished {
  template <typename T>
  MSHADOW_XINLINE static auto Combine(T a, T b) -> decltype(Reducer::Combine(a, b)) {
    return Reducer::Combine(a, b);
  }
  template <typename T>
  MSHADOW_XINLINE static void SetInitValue(T& initv) {  // NOLINT: the interface of reducers
    Reducer::SetInitValue(initv);
  }
};
template <typename Reducer>
constexpr bool kIsUnfinished = false;
template <typename Reducer>
constexpr bool kIsUnfinished<Unfinished<Reducer>> = true;

/// One reduction by Reducer, or with kIndex the index of its last change, an Index. 16-bit floats
/// are reduced in float where Reducer offers Combine; a Reducer without it goes through Reduce, in
/// order.
template <typename Reducer, typename DType, bool kIndex, typename Index = DType>
class AxisReduction {
 private:
  static constexpr bool kExtreme =
      std::is_same_v<Reducer, red::maximum> || std::is_same_v<Reducer, red::minimum>;

 public:
  using Value = std::conditional_t<kIndex, Index, DType>;
  static constexpr bool kCombines = red::HasCombine<Reducer, Accumulator<DType>>::value;
  using Acc = std::conditional_t<kCombines, Accumulator<DType>, DType>;
  /// What reduces elements in any order to the result; void: nothing does.
  using AnyOrder =
      std::conditional_t<kCombines && !kIndex && !kIsUnfinished<Reducer>, Reducer, void>;

  MSHADOW_XINLINE AxisReduction() : acc_(red::InitValue<Reducer, Acc>()) {}
  MSHADOW_XINLINE void Add(DType element, std::ptrdiff_t i) {
    const Acc next = Next(acc_, static_cast<Acc>(element));
    if constexpr (kIndex) index_ = red::Changes(acc_, next) ? i : index_;
    acc_ = next;
  }
  MSHADOW_XINLINE Value Result() const {
    if constexpr (kIndex) {
      return static_cast<Value>(index_);
    } else {
      return Finish(acc_);
    }
  }

  /// The reduction of element(i) over i < n, one after the other: one thread's work on a GPU.
  template <typename F>
  MSHADOW_XINLINE static Value InOrder(std::ptrdiff_t n, const F& element) {
    if constexpr (kCombines && !kIndex) {
      return Finish(red::ReduceInBlocks<Reducer, Acc>(n, element));
    } else {
      AxisReduction one;
      for (std::ptrdiff_t i = 0; i < n; ++i) one.Add(element(i), i);
      return one.Result();
    }
  }

  /// The reduction of the n elements of a row.
  template <typename Cursor>
  MSHADOW_FORCE_INLINE static Value Row(const Cursor& row, std::ptrdiff_t n) {
    if constexpr (kCombines && !kIndex) {
      return Finish(ReduceRow<Reducer, Acc>(row, 0, n));
    } else if constexpr (kCombines && kExtreme) {
      return static_cast<Value>(First(row, n, ReduceRow<Reducer, Acc>(row, 0, n)));
    } else {
      AxisReduction one;
      for (std::ptrdiff_t i = 0; i < n; ++i) one.Add(row.Eval(i), i);
      return one.Result();
    }
  }

  /// to[r] = reduction of the n elements of row y + r, for r < count.
  template <typename Src>
  MSHADOW_FORCE_INLINE static void Rows(const Src& src, std::ptrdiff_t y, std::ptrdiff_t n,
                                        std::ptrdiff_t count, Value* to) {
    if constexpr (!kCombines) {
      ForEachLaneGroup<Reducer, Acc>(
          count, kIndex ? 0 : n,
          [&](std::ptrdiff_t r, std::ptrdiff_t results) MSHADOW_INLINE_LAMBDA {
            Ordered(src, LaneRows{y + r, 1, 0, 0, results}, n, to + r);
          },
          [&](std::ptrdiff_t r) MSHADOW_INLINE_LAMBDA {
            if constexpr (kIndex) {
              to[r] = Row(RowOf(src, y + r), n);
            } else {
              Acc acc = red::InitValue<Reducer, Acc>();
              ReduceRowInOrder<Reducer>(src, y + r, 0, n, &acc);
              to[r] = Finish(acc);
            }
          });
    } else {
      for (std::ptrdiff_t r = 0; r < count; ++r) to[r] = Row(RowOf(src, y + r), n);
    }
  }

  static constexpr bool kHasSegments = kCombines && (!kIndex || kExtreme);
  /// True if Segments reduces n elements, m apart.
  MSHADOW_XINLINE static bool IsShort(std::ptrdiff_t n, std::ptrdiff_t m) {
    return kHasSegments && n > 0 && n <= Segment::kMaxLength && m <= kMaxApart;
  }
  /// to[x - begin] = reduction of row x of n elements, for begin <= x < end. flat: src is one row,
  /// and x = o * m + c takes its elements (o * n + i) * m + c, i < n. IsShort(n, m).
  template <typename Src>
  MSHADOW_FORCE_INLINE static void Segments(const Src& src, bool flat, std::ptrdiff_t n,
                                            std::ptrdiff_t m, std::ptrdiff_t begin,
                                            std::ptrdiff_t end, Value* to) {
    using Result = std::conditional_t<kIndex, Value, Acc>;
    Acc element[Segment::kMaxElements];
    Result result[Segment::kMaxElements];
    for (std::ptrdiff_t o = m == 1 ? begin : begin / m; begin < end;) {
      const std::ptrdiff_t rest = m == 1 ? end - o : (end + m - 1) / m - o;
      const std::ptrdiff_t most = Segment::MaxCount(n, m);
      const std::ptrdiff_t count = rest < most ? rest : most;
      // All segments at once, or each by itself.
      const std::ptrdiff_t rows = flat ? 1 : count, size = flat ? count * n * m : n;
      Acc* at = element;
      for (std::ptrdiff_t r = 0; r < rows; ++r, at += size) {
        const auto row = RowOf(src, flat ? 0 : o + r);
        const std::ptrdiff_t x = flat ? o * n * m : 0;
        if (kPlainOf<RowCursor<Src>> && size < 4) {
          // Without a loop, which would take longer than they do.
          at[0] = static_cast<Acc>(row.Eval(x));
          if (size > 1) at[1] = static_cast<Acc>(row.Eval(x + 1));
          if (size > 2) at[2] = static_cast<Acc>(row.Eval(x + 2));
        } else {
          WriteShortRow(row, x, x + size, at);
        }
      }
      if constexpr (kIndex) {
        Segment::WriteLastChange(element, n, m, count, result);
      } else {
        Segment::WriteReduced(element, n, m, count, result);
      }
      const Result* const from = result + (begin - o * m);
      const std::ptrdiff_t stop = (o + count) * m < end ? (o + count) * m : end;
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < stop - begin; ++k) {
        if constexpr (kIndex) {
          to[k] = from[k];
        } else {
          to[k] = Finish(from[k]);
        }
      }
      to += stop - begin;
      begin = stop;
      o += count;
    }
  }

  /// to[x - begin] = reduction of src(row + i * step, x) over i < n, for begin <= x < end: of a
  /// block of columns, all of one row after the other.
  template <typename Src>
  MSHADOW_FORCE_INLINE static void Columns(const Src& src, std::ptrdiff_t row, std::ptrdiff_t step,
                                           std::ptrdiff_t n, std::ptrdiff_t begin,
                                           std::ptrdiff_t end, Value* to) {
    if constexpr (kInBlocks) return BlocksOfRows(src, row, step, n, begin, end, to);
    if constexpr (kCombines && !kIndex && kPlainOf<RowCursor<Src>>) {
      constexpr std::ptrdiff_t kSize = sizeof(ElementOfPlan<Src>);
      const std::ptrdiff_t width = (end - begin) * kSize;
      if (end - begin >= 4 && end - begin <= kShort && n * width <= kCached) {
        return width > kTwoLines && end - begin > kLanes
                   ? WideRows(src, row, step, n, begin, end, to)
                   : ShortRows(src, row, step, n, begin, end, to);
      }
    }
    for (; begin < end; begin += kMax, to += kMax) {
      BlockOfColumns(src, row, step, n, begin, end - begin < kMax ? end : begin + kMax, to);
    }
  }

 private:
  /// to[l] = reduction of the n elements of the row of lane l, in their order.
  template <typename Src>
  MSHADOW_FORCE_INLINE static void Ordered(const Src& src, const LaneRows& rows, std::ptrdiff_t n,
                                           Value* to) {
    Acc acc[kOrderedLanes];
    [[maybe_unused]] std::ptrdiff_t index[kOrderedLanes];
    for (int l = 0; l < kOrderedLanes; ++l) {
      acc[l] = red::InitValue<Reducer, Acc>();
      index[l] = 0;
    }
    ForEachInOrder<kOrderedLanes, Acc>(
        src, rows, n, [&](int l, Acc element, std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
          const Acc next = Next(acc[l], element);
          if constexpr (kIndex) index[l] = red::Changes(acc[l], next) ? i : index[l];
          acc[l] = next;
        });
    for (std::ptrdiff_t l = 0; l < rows.count; ++l) {
      if constexpr (kIndex) {
        to[l] = static_cast<Value>(index[l]);
      } else {
        to[l] = Finish(acc[l]);
      }
    }
  }

  using Segment = ShortSegments<Reducer, Acc>;
  static constexpr int kLanes = 16, kVectors = 4;
  static constexpr std::ptrdiff_t kMaxApart = 3;  // further apart, they are rows of a vector
  static constexpr std::ptrdiff_t kMax = 512, kShort = kVectors * kLanes, kTwoLines = 128;
  static constexpr std::ptrdiff_t kCached = 131072;  // what a cache holds for several passes
  /// Do results gain by a total of blocks of rows? Sums of floats do.
  static constexpr bool kInBlocks = kCombines && !kIndex && !kExtreme &&
                                    !std::is_integral_v<Acc> && !kIsUnfinished<Reducer>;
  static constexpr bool kSameType = std::is_same_v<Acc, DType>;
  /// True if what is accumulated is the result.
  static constexpr bool kInPlace =
      kSameType && !kIndex && !red::HasFinalize<Reducer, Acc>::value;

  /// Columns in blocks of red::kSumBlock rows. Also where there is but one: a second copy of the
  /// loops would take as long to compile as all else.
  template <typename Src>
  MSHADOW_FORCE_INLINE static void BlocksOfRows(const Src& src, std::ptrdiff_t row,
                                                std::ptrdiff_t step, std::ptrdiff_t n,
                                                std::ptrdiff_t begin, std::ptrdiff_t end,
                                                DType* to) {
    using Part = AxisReduction<Unfinished<Reducer>, Acc, false>;
    using Wide = red::WideResult<Reducer, Acc>;
    for (std::ptrdiff_t count; begin < end; begin += count, to += count) {
      count = end - begin < kMax ? end - begin : kMax;
      [[maybe_unused]] Acc memory[kSameType ? 1 : kMax];
      Wide total[kMax];
      Acc* part;
      if constexpr (kSameType) {
        part = to;
      } else {
        part = memory;
      }
      for (std::ptrdiff_t i = 0;;) {
        const std::ptrdiff_t rows = n - i < red::kSumBlock ? n - i : red::kSumBlock;
        Part::Columns(src, row + i * step, step, rows, begin, begin + count, part);
        if (MSHADOW_LIKELY(rows == n)) break;
        AddBlock(part, count, i == 0, total);
        i += rows;
        if (i == n) break;
      }
      // No loop where Finish does nothing, in place.
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < count; ++k) to[k] = Finish(part[k]);
      if (MSHADOW_LIKELY(begin + count == end)) return;
    }
  }
  /// total[k] += part[k] for k < count, or = for the first block; part[k] = total[k]. It runs once
  /// in red::kSumBlock rows, so that it is not worth compiling within the loops.
  MSHADOW_COLD static void AddBlock(Acc* part, std::ptrdiff_t count, bool first,
                                    red::WideResult<Reducer, Acc>* total) {
    using Wide = red::WideResult<Reducer, Acc>;
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      const Wide here = static_cast<Wide>(part[k]);
      total[k] = first ? here : Reducer::Combine(total[k], here);
      part[k] = static_cast<Acc>(total[k]);
    }
  }
  /// Columns for few of them, 4 or more: a vector at a time, which stays in a register.
  template <typename Src>
  MSHADOW_FORCE_INLINE static void ShortRows(const Src& src, std::ptrdiff_t row,
                                             std::ptrdiff_t step, std::ptrdiff_t n,
                                             std::ptrdiff_t begin, std::ptrdiff_t end, DType* to) {
    ForEachVector<4>(end - begin, [&](std::ptrdiff_t x, auto lanes) MSHADOW_INLINE_LAMBDA {
      constexpr int kFew = decltype(lanes)::value;
      Acc acc[kFew];
      for (int l = 0; l < kFew; ++l) acc[l] = red::InitValue<Reducer, Acc>();
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const auto from = RowOf(src, row + i * step);
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < kFew; ++l) {
          acc[l] = Next(acc[l], static_cast<Acc>(from.Eval(begin + x + l)));
        }
      }
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kFew; ++l) to[x + l] = Finish(acc[l]);
    });
  }
  /// Columns for more than 16 of them: all vectors of a row, of which some may overlap, and then
  /// the next row, since memory is read faster in the order of its addresses.
  template <typename Src>
  MSHADOW_FORCE_INLINE static void WideRows(const Src& src, std::ptrdiff_t row, std::ptrdiff_t step,
                                            std::ptrdiff_t n, std::ptrdiff_t begin,
                                            std::ptrdiff_t end, DType* to) {
    const std::ptrdiff_t last = end - begin - kLanes;
    const std::ptrdiff_t second = kLanes < last ? kLanes : last;
    const std::ptrdiff_t third = 2 * kLanes < last ? 2 * kLanes : last;
    Acc a[kLanes], b[kLanes], c[kLanes], d[kLanes];
    for (int l = 0; l < kLanes; ++l) a[l] = b[l] = c[l] = d[l] = red::InitValue<Reducer, Acc>();
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const auto from = RowOf(src, row + i * step);
      const auto add = [&from](Acc* acc, std::ptrdiff_t x) MSHADOW_INLINE_LAMBDA {
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < kLanes; ++l) acc[l] = Next(acc[l], static_cast<Acc>(from.Eval(x + l)));
      };
      add(a, begin);
      add(b, begin + second);
      add(c, begin + third);
      add(d, begin + last);
    }
    const auto finish = [to](const Acc* acc, std::ptrdiff_t x) MSHADOW_INLINE_LAMBDA {
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kLanes; ++l) to[x + l] = Finish(acc[l]);
    };
    finish(a, 0);
    finish(b, second);
    finish(c, third);
    finish(d, last);
  }
  template <typename Src>
  MSHADOW_FORCE_INLINE static void BlockOfColumns(const Src& src, std::ptrdiff_t row,
                                                  std::ptrdiff_t step, std::ptrdiff_t n,
                                                  std::ptrdiff_t begin, std::ptrdiff_t end,
                                                  Value* to) {
    if constexpr (kIndex) {
      if (n > INT32_MAX) {
        for (std::ptrdiff_t x = begin; x < end; ++x) {
          AxisReduction one;
          for (std::ptrdiff_t i = 0; i < n; ++i) one.Add(RowOf(src, row + i * step).Eval(x), i);
          to[x - begin] = one.Result();
        }
        return;
      }
    }
    [[maybe_unused]] Acc memory[kInPlace ? 1 : kMax];
    [[maybe_unused]] int32_t index[kIndex ? kMax : 1];
    Acc* acc;
    if constexpr (kInPlace) {
      acc = to;
    } else {
      acc = memory;
    }
    const Acc init = red::InitValue<Reducer, Acc>();
    std::ptrdiff_t i = 0;
    if constexpr (HasPointer<RowCursor<Src>>::value && !kIndex) {
      // What lies in memory comes in three rows at a time.
      const auto add_three = [&](auto first) MSHADOW_INLINE_LAMBDA {
        const auto a = RowOf(src, row + i * step), b = RowOf(src, row + (i + 1) * step);
        const auto c = RowOf(src, row + (i + 2) * step);
        MSHADOW_IVDEP
        for (std::ptrdiff_t k = 0; k < end - begin; ++k) {
          const Acc next = Next(first ? init : acc[k], static_cast<Acc>(a.Eval(begin + k)));
          acc[k] = Next(Next(next, static_cast<Acc>(b.Eval(begin + k))),
                        static_cast<Acc>(c.Eval(begin + k)));
        }
        i += 3;
      };
      if (n >= 3) add_three(std::true_type());
      while (n - i >= 3) add_three(std::false_type());
    }
    if (i == 0) {
      for (std::ptrdiff_t k = 0; k < end - begin; ++k) acc[k] = init;
    }
    if constexpr (kIndex) {
      for (std::ptrdiff_t k = 0; k < end - begin; ++k) index[k] = 0;
    }
    for (; i < n; ++i) {
      ForEachRun(RowOf(src, row + i * step), begin, end,
                 [&](const auto& run, std::ptrdiff_t x, std::ptrdiff_t stop) MSHADOW_INLINE_LAMBDA {
                   Acc* const lane = acc + (x - begin);
                   [[maybe_unused]] int32_t* const at = index + (kIndex ? x - begin : 0);
                   [[maybe_unused]] const int32_t number = static_cast<int32_t>(i);
                   MSHADOW_IVDEP
                   for (std::ptrdiff_t k = 0; k < stop - x; ++k) {
                     const Acc next = Next(lane[k], static_cast<Acc>(run.Eval(x + k)));
                     if constexpr (kIndex) at[k] = red::Changes(lane[k], next) ? number : at[k];
                     lane[k] = next;
                   }
                 });
    }
    if constexpr (!kInPlace) {
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < end - begin; ++k) {
        if constexpr (kIndex) {
          to[k] = static_cast<Value>(index[k]);
        } else {
          to[k] = Finish(acc[k]);
        }
      }
    }
  }

  MSHADOW_XINLINE static Acc Next(Acc acc, Acc element) {
    if constexpr (kCombines) {
      return Reducer::Combine(acc, element);
    } else {
      Reducer::Reduce(acc, element);
      return acc;
    }
  }
  MSHADOW_XINLINE static DType Finish(Acc acc) {
    if constexpr (red::HasFinalize<Reducer, Acc>::value) Reducer::Finalize(acc);
    return static_cast<DType>(acc);
  }

  /// The first element that equals `value`, or is NaN as it is.
  template <typename Cursor>
  MSHADOW_FORCE_INLINE static std::ptrdiff_t First(const Cursor& row, std::ptrdiff_t n,
                                                   Acc value) {
    if (value != value) {
      return First(row, n, [](Acc element) MSHADOW_INLINE_LAMBDA { return element != element; });
    }
    return First(row, n, [value](Acc element) MSHADOW_INLINE_LAMBDA { return element == value; });
  }
  template <typename Cursor, typename F>
  MSHADOW_FORCE_INLINE static std::ptrdiff_t First(const Cursor& row, std::ptrdiff_t n,
                                                   const F& is_it) {
    constexpr std::ptrdiff_t kBlock = 512;
    for (std::ptrdiff_t begin = 0; begin < n; begin += kBlock) {
      int32_t first[kLanes];
      for (int l = 0; l < kLanes; ++l) first[l] = kBlock;
      InLanes<kLanes>(begin, begin + kBlock < n ? begin + kBlock : n,
                      [&](int l, std::ptrdiff_t x) MSHADOW_INLINE_LAMBDA {
                        const int32_t at = static_cast<int32_t>(x - begin);
                        const int32_t here = is_it(static_cast<Acc>(row.Eval(x))) ? at : kBlock;
                        first[l] = here < first[l] ? here : first[l];
                      });
      for (int l = 1; l < kLanes; ++l) first[0] = first[l] < first[0] ? first[l] : first[0];
      if (first[0] < kBlock) return begin + first[0];
    }
    return 0;
  }

  Acc acc_;
  std::ptrdiff_t index_ = 0;
};

/// A row that is the reduction of `count_` rows of the source, step_ apart, from row_ on.
template <typename Reduction, typename Src, typename DType>
struct AcrossRowsCursor {
  const Src& src_;
  std::ptrdiff_t row_, step_, count_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    return Reduction::InOrder(count_, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
      return RowOf(src_, row_ + i * step_).Eval(x);
    });
  }
  MSHADOW_FORCE_INLINE void FillRow(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    Reduction::Columns(src_, row_, step_, count_, x, end, to);
  }
};

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_AXIS_REDUCTION_H_
