// SPDX-License-Identifier: Apache-2.0
// Narrow rows: blocks of rows that do not follow each other in memory are computed as one row each,
// by the loops that the statement has.
#ifndef MSHADOW_BACKEND_CPU_NARROW_ROWS_H_
#define MSHADOW_BACKEND_CPU_NARROW_ROWS_H_

#include <type_traits>

#include "../../expr/gather_rows.h"
#include "../../simd/isa.h"
#include "map_kernel.h"
#include "streaming.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// The cursor of a row whose elements are computed one by one.
template <typename P, bool map = expr::detail::IsMap<P>::value>
struct ElementCursor {
  using Type = expr::RowCursor<P>;
};
template <typename P>
struct ElementCursor<P, true> {
  using Type = typename P::Cursor;
};
/// True if elements may be computed one by one, in any order, as fast as they are otherwise.
template <typename Saver, typename DType, typename Dst, typename Src>
inline constexpr bool kMayGoColumnByColumn =
    !MapKernel<Saver, DType, Dst, Src>::kFills && !expr::kRunsOf<expr::RowCursor<Dst>> &&
    !expr::kRunsOf<typename ElementCursor<Src>::Type>;

/// A BlockFunction for few columns, x0 < x1. One form for all instruction sets.
template <typename Saver, typename DType, typename Dst, typename Src>
MSHADOW_SCALAR_KERNEL void FewColumns(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1,
                                      std::ptrdiff_t x0, std::ptrdiff_t x1) {
  const Dst dst = *static_cast<const Dst*>(task.dst);
  const Src src = *static_cast<const Src*>(task.src);
  const std::ptrdiff_t join = task.join;
  constexpr bool kTransposed = expr::kTransposedOf<Src> || expr::kTransposedOf<Dst>;
  if (kTransposed || x1 - x0 <= 2) {
    // Column by column, which is one short loop; of so many rows as stay in the first-level cache.
    constexpr std::ptrdiff_t kRows = 256;
    for (std::ptrdiff_t y = y0, end = y0; y < y1; y = end) {
      end = y1 - y < kRows ? y1 : y + kRows;
      for (std::ptrdiff_t x = x0; x < x1; ++x) {
        for (std::ptrdiff_t v = y; v < end; ++v) {
          Saver::template Save<DType>(expr::RowOf(dst, v * join).REval(x),
                                      expr::RowOf(src, v * join).Eval(x));
        }
      }
    }
    return;
  }
  if constexpr (!kTransposed) {
    for (std::ptrdiff_t y = y0; y < y1; ++y) {
      auto to = expr::RowOf(dst, y * join);
      const auto from = expr::RowOf(src, y * join);
      // The first ones without a loop: three columns are the most frequent. Not where a function
      // takes longer than the loop around it: four copies of it take long to compile.
      constexpr std::ptrdiff_t kFirst = expr::kCostOf<Src> < kExpensiveCost ? 3 : 0;
      if constexpr (kFirst == 3) {
        Saver::template Save<DType>(to.REval(x0), from.Eval(x0));
        Saver::template Save<DType>(to.REval(x0 + 1), from.Eval(x0 + 1));
        Saver::template Save<DType>(to.REval(x0 + 2), from.Eval(x0 + 2));
      }
      for (std::ptrdiff_t x = x0 + kFirst; x < x1; ++x) {
        Saver::template Save<DType>(to.REval(x), from.Eval(x));
      }
    }
  }
}

/// Rows that are all the same are worth repeating up to this length.
constexpr std::ptrdiff_t kMaxNarrowColumns = 256;

/// The most elements of a block of narrow rows; 0: they are too large.
template <typename DType, typename Src>
inline constexpr std::ptrdiff_t kMaxGathered = expr::detail::RowGather::MaxElements(
    static_cast<int>(sizeof(DType)) + expr::kGatherBytesOf<Src> % expr::detail::kEvaluated);

/// True if each element takes long: functions, numbers that are converted.
template <typename DType, typename Src>
inline constexpr bool kIsExpensive =
    expr::kCostOf<Src> >= kExpensiveCost || !std::is_arithmetic_v<DType>;
/// True if all that a statement reads and writes moves, so that its own loops compute blocks.
template <typename Dst, typename Src>
inline constexpr bool kAllMove =
    expr::detail::MovesRows<Dst>() && expr::kGatherBytesOf<Src> < expr::detail::kEvaluated;
/// Rows of at most this many elements gain by being copied into blocks. + - * of 4 bytes or more
/// take no longer one by one than the copies.
template <typename DType, typename Src>
inline constexpr std::ptrdiff_t kMaxCopiedColumns =
    kIsExpensive<DType, Src>                           ? 40
    : expr::kArithmeticOf<Src> && sizeof(DType) >= 4 ? 0
                                                     : 16;

/// True if narrow rows are gathered. Where something does not move, this takes loops of its own.
template <typename DType, typename Dst, typename Src>
inline constexpr bool kGathers =
    std::is_trivially_copyable_v<DType> && kMaxGathered<DType, Src> > 0 &&
    (kAllMove<Dst, Src> ? kMaxCopiedColumns<DType, Src> > 0 || expr::kFactsOf<Src>.repeats
                        : kIsExpensive<DType, Src> && expr::detail::IsMap<Src>::value);

/// How many of the rows that are not copied make one: no more than are written in a fraction of the
/// time that repeated rows save; they are whole cache lines where they can be.
inline std::ptrdiff_t RowsToJoin(std::ptrdiff_t rows, std::ptrdiff_t most, std::ptrdiff_t bytes) {
  constexpr std::ptrdiff_t kFraction = 8;
  const std::ptrdiff_t n = rows / kFraction < most ? rows / kFraction : most;
  const std::ptrdiff_t lines = simd::kLineBytes / expr::Gcd(bytes, simd::kLineBytes);
  return n < lines ? n : n / lines * lines;
}

/// A BlockFunction for narrow rows. Loops::kForms<Saver, DType, Dst, Src> are those for rows of any
/// length, and Loops::Run<Saver, DType>(dst, src, y0, y1, x0, x1, join) computes them.
template <typename Saver, typename DType, typename Dst, typename Src, typename Loops>
void NarrowRows(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1, std::ptrdiff_t x0,
                std::ptrdiff_t x1) {
  static_assert(expr::detail::RowGather::kMinElements > kNarrowColumns,
                "loops of whole vectors get no less than one");
  const int isa = static_cast<int>(task.isa);
  const Dst& dst = *static_cast<const Dst*>(task.dst);
  const Src& src = *static_cast<const Src*>(task.src);
  const std::ptrdiff_t cols = x1 - x0;
  const bool may_copy = cols <= kMaxCopiedColumns<DType, Src>;
  const auto row_by_row = [&](std::ptrdiff_t y) {
    if constexpr (kMaxCopiedColumns<DType, Src> == 0) {
      if (cols <= kNarrowColumns) {
        return FewColumns<Saver, DType, Dst, Src>(task, y, y1, x0, x1);
      }
    }
    Loops::template kForms<Saver, DType, Dst, Src>[isa](task, y, y1, x0, x1);
  };
  std::ptrdiff_t n = kMaxGathered<DType, Src> / cols, blocks = 1;
  if (!may_copy) {
    n = kAllMove<Dst, Src> ? RowsToJoin(y1 - y0, n, cols * std::ptrdiff_t{sizeof(DType)}) : 0;
    if (n < 2) return row_by_row(y0);
  }
  expr::detail::RowGather gather(x0, cols, task.join, y1, may_copy);
  for (std::ptrdiff_t y = y0; y < y1; y += n * blocks) {
    if (n > y1 - y) n = y1 - y;
    gather.Start(y, n);
    const auto from =
        expr::Gathered(src, &gather, [&](const auto& operand, const auto& block) {
          using Element = expr::ElementOfPlan<std::decay_t<decltype(operand)>>;
          Loops::template Run<sv::saveto, Element>(block, operand, y, y + n, x0, x1, task.join);
        });
    const std::ptrdiff_t step = n * task.join;
    using From = std::decay_t<decltype(from)>;
    if constexpr (expr::detail::MovesRows<Dst>()) {
      const bool scatters = !gather.IsContiguous(dst);
      if (!may_copy && (scatters || gather.copies())) return row_by_row(y);
      Dst to = dst;
      if (scatters && std::is_same_v<Saver, sv::saveto>) {
        gather.Prepare(&to);
      } else {
        gather.Gather(&to);
      }
      blocks = scatters || gather.copies() ? 1 : (y1 - y) / n;
      Loops::template kForms<Saver, DType, Dst, From>[isa]({&to, &from, step}, 0, blocks, 0,
                                                           gather.Elements());
      if (scatters) gather.Scatter(to, dst);
    } else {
      using Block = expr::detail::BlockPlan<DType>;
      DType* const result = gather.template Take<DType>();
      const Block to{result, 0, 0, 0, FastDivmod(1)};
      Loops::template kForms<sv::saveto, DType, Block, From>[isa]({&to, &from, step}, 0, 1, 0,
                                                                  gather.Elements());
      Loops::template Run<Saver, DType>(dst, gather.Block(result), y, y + n, x0, x1, task.join);
    }
  }
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_NARROW_ROWS_H_
