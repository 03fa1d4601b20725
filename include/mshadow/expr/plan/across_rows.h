// SPDX-License-Identifier: Apache-2.0
// AcrossRowsCursor: a row that is the reduction of several rows, element by element.
#ifndef MSHADOW_EXPR_PLAN_ACROSS_ROWS_H_
#define MSHADOW_EXPR_PLAN_ACROSS_ROWS_H_

#include <cstddef>
#include <type_traits>

#include "../../core/dtype.h"
#include "../../op/long_sum.h"
#include "../../op/reducer_traits.h"
#include "../../simd/isa.h"
#include "blocks.h"
#include "plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// Element x is the reduction by Reducer of src_(row_ + i * step_, x) over i < count_. It reduces
/// 16-bit floats in float where Reducer offers Combine.
template <typename Reducer, typename Src, typename DType>
struct AcrossRowsCursor {
  static constexpr bool kCombines = red::HasCombine<Reducer, Accumulator<DType>>::value;
  using Acc = std::conditional_t<kCombines, Accumulator<DType>, DType>;
  const Src& src_;
  std::ptrdiff_t row_, step_, count_;

  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    const auto element = [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
      return RowOf(src_, row_ + i * step_).Eval(x);
    };
    if constexpr (kCombines) {
      return red::LastStep<Reducer, DType>(red::ReduceInBlocks<Reducer, Acc>(count_, element));
    } else {
      Acc acc = red::InitValue<Reducer, Acc>();
      for (std::ptrdiff_t i = 0; i < count_; ++i) acc = Next(acc, element(i));
      return red::LastStep<Reducer, DType>(acc);
    }
  }
  /// to[i] = element x + i for x + i < end.
  MSHADOW_FORCE_INLINE void Write(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (; x < end; x += kMax, to += kMax) Fill(to, x, end - x < kMax ? end : x + kMax);
  }

 private:
  static constexpr std::ptrdiff_t kMax = 512;
  static constexpr bool kInPlace =
      std::is_same_v<Acc, DType> && !red::HasFinalize<Reducer, Acc>::value;

  MSHADOW_XINLINE static Acc Next(Acc acc, Acc element) {
    if constexpr (kCombines) {
      return Reducer::Combine(acc, element);
    } else {
      Reducer::Reduce(acc, element);
      return acc;
    }
  }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t begin, std::ptrdiff_t end) const {
    [[maybe_unused]] Acc memory[kInPlace ? 1 : kMax];
    Acc* acc;
    if constexpr (kInPlace) {
      acc = to;
    } else {
      acc = memory;
    }
    const std::ptrdiff_t n = end - begin;
    // In blocks: a long sum would outgrow what is added to it.
    Acc block[kCombines ? kMax : 1];
    std::ptrdiff_t i = 0;
    do {
      const std::ptrdiff_t stop =
          kCombines && count_ - i > red::kSumBlock ? i + red::kSumBlock : count_;
      Add(i == 0 ? acc : block, begin, n, i, stop);
      if constexpr (kCombines) {
        if (i != 0) {
          MSHADOW_IVDEP
          for (std::ptrdiff_t k = 0; k < n; ++k) acc[k] = Reducer::Combine(acc[k], block[k]);
        }
      }
      i = stop;
    } while (i < count_);
    if constexpr (!kInPlace) {
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < n; ++k) to[k] = red::LastStep<Reducer, DType>(acc[k]);
    }
  }
  /// acc[k] is the reduction of rows [i, stop) at begin + k, k < n.
  MSHADOW_FORCE_INLINE void Add(Acc* acc, std::ptrdiff_t begin, std::ptrdiff_t n, std::ptrdiff_t i,
                                std::ptrdiff_t stop) const {
    const Acc init = red::InitValue<Reducer, Acc>();
    bool is_first = true;
    if constexpr (!kFillsOf<Src>) {
      // Three rows at a time: results are loaded and stored once for them.
      const auto add_three = [&](auto first) MSHADOW_INLINE_LAMBDA {
        const auto a = RowOf(src_, row_ + i * step_), b = RowOf(src_, row_ + (i + 1) * step_);
        const auto c = RowOf(src_, row_ + (i + 2) * step_);
        MSHADOW_IVDEP
        for (std::ptrdiff_t k = 0; k < n; ++k) {
          const Acc next = Next(first ? init : acc[k], static_cast<Acc>(a.Eval(begin + k)));
          acc[k] = Next(Next(next, static_cast<Acc>(b.Eval(begin + k))),
                        static_cast<Acc>(c.Eval(begin + k)));
        }
        i += 3;
      };
      is_first = stop - i < 3;
      if (!is_first) add_three(std::true_type());
      while (stop - i >= 3) add_three(std::false_type());
    }
    if (is_first) {
      for (std::ptrdiff_t k = 0; k < n; ++k) acc[k] = init;
    }
    for (; i < stop; ++i) {
      InPieces(src_, row_ + i * step_, begin, begin + n,
               [&](const auto& run, std::ptrdiff_t x, std::ptrdiff_t end) MSHADOW_INLINE_LAMBDA {
                 Acc* const lane = acc + (x - begin);
                 MSHADOW_IVDEP
                 for (std::ptrdiff_t k = 0; k < end - x; ++k) {
                   lane[k] = Next(lane[k], static_cast<Acc>(run.Eval(x + k)));
                 }
               });
    }
  }
};

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_ACROSS_ROWS_H_
