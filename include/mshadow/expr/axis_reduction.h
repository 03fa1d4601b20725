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
#include "buffer_cursor.h"
#include "plan.h"

namespace mshadow {
namespace expr {
namespace detail {

/// One reduction by Reducer, or with kIndex the index of its last change. 16-bit floats are reduced
/// in float where Reducer offers Combine; a Reducer without it goes through Reduce, in order.
template <typename Reducer, typename DType, bool kIndex>
class AxisReduction {
 public:
  static constexpr bool kCombines = red::HasCombine<Reducer, Accumulator<DType>>::value;
  using Acc = std::conditional_t<kCombines, Accumulator<DType>, DType>;

  MSHADOW_XINLINE AxisReduction() : acc_(red::InitValue<Reducer, Acc>()) {}
  MSHADOW_XINLINE void Add(DType element, std::ptrdiff_t i) {
    const Acc next = Next(acc_, static_cast<Acc>(element));
    if constexpr (kIndex) index_ = Changes(acc_, next) ? i : index_;
    acc_ = next;
  }
  MSHADOW_XINLINE DType Result() const {
    if constexpr (kIndex) {
      return static_cast<DType>(index_);
    } else {
      return Finish(acc_);
    }
  }

  /// The reduction of the n elements of a row.
  template <typename Cursor>
  MSHADOW_FORCE_INLINE static DType Row(const Cursor& row, std::ptrdiff_t n) {
    if constexpr (kCombines && !kIndex) {
      return Finish(RowValue(row, n));
    } else if constexpr (kCombines && kExtreme) {
      return static_cast<DType>(First(row, n, RowValue(row, n)));
    } else {
      AxisReduction one;
      for (std::ptrdiff_t i = 0; i < n; ++i) one.Add(row.Eval(i), i);
      return one.Result();
    }
  }

  /// to[x - begin] = reduction of src(row + i * step, x) over i < n, for begin <= x < end: all
  /// columns of one row after the other, kMost at most.
  static constexpr std::ptrdiff_t kMost = BufferCursor<DType, DType>::kMost;
  template <typename Src>
  MSHADOW_FORCE_INLINE static void Columns(const Src& src, std::ptrdiff_t row, std::ptrdiff_t step,
                                      std::ptrdiff_t n, std::ptrdiff_t begin, std::ptrdiff_t end,
                                      DType* to) {
    Acc acc[kMost];
    [[maybe_unused]] int32_t index[kIndex ? kMost : 1];
    const Acc init = red::InitValue<Reducer, Acc>();
    for (std::ptrdiff_t k = 0; k < end - begin; ++k) acc[k] = init;
    if constexpr (kIndex) {
      for (std::ptrdiff_t k = 0; k < end - begin; ++k) index[k] = 0;
    }
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      ForEachRun(RowOf(src, row + i * step), begin, end,
                 [&](const auto& run, std::ptrdiff_t x, std::ptrdiff_t stop) {
                   Acc* const lane = acc + (x - begin);
                   [[maybe_unused]] int32_t* const at = index + (kIndex ? x - begin : 0);
                   [[maybe_unused]] const int32_t number = static_cast<int32_t>(i);
                   MSHADOW_IVDEP
                   for (std::ptrdiff_t k = 0; k < stop - x; ++k) {
                     const Acc next = Next(lane[k], static_cast<Acc>(run.Eval(x + k)));
                     if constexpr (kIndex) at[k] = Changes(lane[k], next) ? number : at[k];
                     lane[k] = next;
                   }
                 });
    }
    MSHADOW_IVDEP
    for (std::ptrdiff_t k = 0; k < end - begin; ++k) {
      if constexpr (kIndex) {
        to[k] = static_cast<DType>(index[k]);
      } else {
        to[k] = Finish(acc[k]);
      }
    }
  }

 private:
  static constexpr bool kExtreme =
      std::is_same_v<Reducer, red::maximum> || std::is_same_v<Reducer, red::minimum>;

  MSHADOW_XINLINE static Acc Next(Acc acc, Acc element) {
    if constexpr (kCombines) {
      return Reducer::Combine(acc, element);
    } else {
      Reducer::Reduce(acc, element);
      return acc;
    }
  }
  /// NaN is final: it differs from itself, but does not change.
  MSHADOW_XINLINE static bool Changes(Acc acc, Acc next) {
    return int(next != acc) & int(acc == acc);
  }
  MSHADOW_XINLINE static DType Finish(Acc acc) {
    if constexpr (red::HasFinalize<Reducer, Acc>::value) Reducer::Finalize(acc);
    return static_cast<DType>(acc);
  }

  /// All elements of a row, block by block, so that few additions meet in one lane.
  template <typename Cursor>
  MSHADOW_FORCE_INLINE static Acc RowValue(const Cursor& row, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t kBlock = 8192;
    if (n <= kBlock) return BlockValue(row, 0, n);
    Acc total = red::InitValue<Reducer, Acc>();
    for (std::ptrdiff_t x = 0; x < n; x += kBlock) {
      total = Reducer::Combine(total, BlockValue(row, x, x + kBlock < n ? x + kBlock : n));
    }
    return total;
  }
  /// The elements [first, last), kLanes side by side.
  template <typename Cursor>
  MSHADOW_FORCE_INLINE static Acc BlockValue(const Cursor& row, std::ptrdiff_t first,
                                        std::ptrdiff_t last) {
    constexpr std::ptrdiff_t kLanes = 64;
    Acc acc[kLanes];
    const Acc init = red::InitValue<Reducer, Acc>();
    const std::ptrdiff_t lanes = last - first < 4 * kLanes ? kLanes / 4 : kLanes;
    for (std::ptrdiff_t l = 0; l < lanes; ++l) acc[l] = init;
    ForEachRun(row, first, last, [&](const auto& run, std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::ptrdiff_t x = begin;
      for (; end - x >= lanes; x += lanes) {
        MSHADOW_IVDEP
        for (std::ptrdiff_t l = 0; l < lanes; ++l) {
          acc[l] = Reducer::Combine(acc[l], static_cast<Acc>(run.Eval(x + l)));
        }
      }
      for (std::ptrdiff_t l = 0; l < end - x; ++l) {
        acc[l] = Reducer::Combine(acc[l], static_cast<Acc>(run.Eval(x + l)));
      }
    });
    for (std::ptrdiff_t half = lanes / 2; half > 0; half /= 2) {
      for (std::ptrdiff_t l = 0; l < half; ++l) acc[l] = Reducer::Combine(acc[l], acc[l + half]);
    }
    return acc[0];
  }

  /// The first element that equals `value`, or is NaN, which it then is.
  template <typename Cursor>
  MSHADOW_XINLINE static std::ptrdiff_t First(const Cursor& row, std::ptrdiff_t n, Acc value) {
    constexpr std::ptrdiff_t kBlock = 64;
    for (std::ptrdiff_t x = 0; x < n; x += kBlock) {
      const std::ptrdiff_t end = x + kBlock < n ? x + kBlock : n;
      int found = 0;
      for (std::ptrdiff_t i = x; i < end; ++i) {
        const Acc element = static_cast<Acc>(row.Eval(i));
        found |= int(element == value) | int(element != element);
      }
      if (found != 0) {
        for (std::ptrdiff_t i = x; i < end; ++i) {
          const Acc element = static_cast<Acc>(row.Eval(i));
          if (element == value || element != element) return i;
        }
      }
    }
    return 0;
  }

  Acc acc_;
  std::ptrdiff_t index_ = 0;
};

/// A row that is the reduction of `count_` rows of the source, step_ apart, from row_ on.
template <typename Reduction, typename Src, typename DType>
struct AcrossRowsCursor {
  static constexpr bool kRuns = true;
  using Buffer = BufferCursor<DType, DType>;
  Src src_;
  std::ptrdiff_t row_, step_, count_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    Reduction one;
    for (std::ptrdiff_t i = 0; i < count_; ++i) one.Add(RowOf(src_, row_ + i * step_).Eval(x), i);
    return one.Result();
  }
  MSHADOW_FORCE_INLINE Buffer Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    if (*end > x + Buffer::kMost) *end = x + Buffer::kMost;
    Buffer buffer;
    buffer.begin_ = x;
    Reduction::Columns(src_, row_, step_, count_, x, *end, buffer.value_);
    return buffer;
  }
};

}  // namespace detail
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXPR_AXIS_REDUCTION_H_
