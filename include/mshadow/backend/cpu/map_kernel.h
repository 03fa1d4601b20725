// SPDX-License-Identifier: Apache-2.0
// The loops of a statement on the host, compiled for every instruction set: rows of elements, rows
// that are copied or written many at a time.
#ifndef MSHADOW_BACKEND_CPU_MAP_KERNEL_H_
#define MSHADOW_BACKEND_CPU_MAP_KERNEL_H_

#include <cstring>
#include <type_traits>

#include "../../expr/blocks.h"
#include "../../expr/cursor/buffer_cursor.h"
#include "../../expr/plan.h"
#include "../../simd/isa.h"
#include "../../simd/vector_math.h"
#include "half_rows.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Rows of at most this many elements make no vector; what a vectorised loop does before and after
/// would take longer than the row.
constexpr std::ptrdiff_t kNarrowColumns = 7;

/// to[k] = from[k] for a vector of elements.
template <typename DType>
MSHADOW_FORCE_INLINE void CopyLanes(DType* to, const DType* from) {
  constexpr int kLanes = kNarrowColumns + 1;
  if constexpr (std::is_trivially_copyable_v<DType>) {
    std::memcpy(static_cast<void*>(to), from, kLanes * sizeof(DType));
  } else {
    for (int k = 0; k < kLanes; ++k) to[k] = from[k];
  }
}

/// row[x - x0] Saver= element x of `from` for x in [x0, x1), more than kNarrowColumns; in_float: by
/// SaveLanes. The last 8 elements are a vector too, computed aside before the others, which may
/// overwrite what they read. (One loop does both: a loop with a tail becomes two loops, which
/// take as long to compile.)
template <typename Saver, bool in_float, typename DType, typename From>
MSHADOW_FORCE_INLINE void WithOverlappingTail(DType* const row, const From& from,
                                              std::ptrdiff_t x0, std::ptrdiff_t x1) {
  constexpr std::ptrdiff_t kLanes = kNarrowColumns + 1;
  static_assert((kLanes & (kLanes - 1)) == 0, "a vector");
  DType buffer[kLanes];
  DType* const last = row + (x1 - x0 - kLanes);
  const std::ptrdiff_t whole = (x1 - x0) & -kLanes;
  const bool rest = whole != x1 - x0;
  DType* to = row;
  std::ptrdiff_t x = x0, count = whole;
  if (rest) {
    if constexpr (!std::is_same_v<Saver, sv::saveto>) CopyLanes(buffer, last);
    to = buffer;
    x = x1 - kLanes;
    count = kLanes;
  }
  while (true) {
    if constexpr (in_float) {
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < count; k += simd::kHalfLanes) {
        SaveLanes<Saver>(to + k, from, x + k);
      }
    } else {
      MSHADOW_IVDEP
      for (std::ptrdiff_t k = 0; k < count; ++k) {
        Saver::template Save<DType>(to[k], from.Eval(x + k));
      }
    }
    if (to != buffer) break;
    to = row;
    x = x0;
    count = whole;
  }
  if (rest) CopyLanes(last, buffer);
}

/// dst(y, x) Saver= src(y, x) for y in [y0, y1), x in [x0, x1), where `join` rows of the plans make
/// one row of this grid, and of the rows every `step`-th is taken.
template <typename Saver, typename DType, typename Dst, typename Src>
struct MapKernel {
  const Dst& dst_;
  const Src& src_;
  std::ptrdiff_t y0, y1, x0, x1;
  std::ptrdiff_t join, step;

  /// Does the plan fill the destination?
  static constexpr bool kFills = std::is_same_v<Saver, sv::saveto> &&
                                 expr::detail::HasRowStride<Dst>::value &&
                                 expr::kFillsOf<Src> != expr::Fills::kNothing &&
                                 !expr::detail::IsMap<Src>::value;
  static constexpr bool kCopiesRows = std::is_same_v<Saver, sv::saveto> &&
                                      expr::detail::HasRowStride<Dst>::value &&
                                      expr::detail::HasMemory<Src>::value;
  /// Are rows single runs of elements that are computed one by one?
  static constexpr bool kPlain =
      !kFills && expr::kPlainOf<expr::RowCursor<Dst>> && expr::kPlainOf<expr::RowCursor<Src>>;
  /// Do rows write themselves?
  static constexpr bool kRowsWrite = std::is_same_v<Saver, sv::saveto> &&
                                     expr::detail::HasPointer<expr::RowCursor<Dst>>::value &&
                                     expr::detail::HasFillRow<expr::RowCursor<Src>, DType>::value;

  // A copy of the cursor lives in registers; one that holds a buffer stays where it is.
  template <typename From>
  using Argument = std::conditional_t<(sizeof(From) > 512), const From&, const From>;

  /// True if elements of 16 bits are computed in float.
  template <typename From, typename To>
  static constexpr bool kInFloat =
      kSavesLanes<Saver, DType, From> && expr::detail::HasPointer<To>::value;

  template <typename Isa, typename From, typename To>
  MSHADOW_FORCE_INLINE static void Loop(To to, Argument<From> from, std::ptrdiff_t begin,
                                        std::ptrdiff_t end) {
    if constexpr (Isa::kIsa != simd::Isa::kBaseline && kInFloat<From, To>) {
      if (end - begin > kNarrowColumns) {
        return WithOverlappingTail<Saver, true>(&to.REval(begin), from, begin, end);
      }
      for (std::ptrdiff_t x = begin; x < end; ++x) {
        Saver::template Save<DType>(to.REval(x), from.Eval(x));
        KeepScalar();
      }
    } else {
      MSHADOW_IVDEP
      for (std::ptrdiff_t x = begin; x < end; ++x) {
        Saver::template Save<DType>(to.REval(x), from.Eval(x));
      }
    }
  }
  /// The columns [begin, end) of a row.
  using To = expr::RowCursor<Dst>;
  using From = expr::RowCursor<Src>;
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Row(const To& to, const From& from, std::ptrdiff_t begin,
                                       std::ptrdiff_t end) {
    if constexpr (Isa::kIsa != simd::Isa::kBaseline && kInFloat<From, To>) {
      Loop<Isa, From>(to, from, begin, end);
    } else if constexpr (kRowsWrite) {
      from.FillRow(&To(to).REval(begin), begin, end);
    } else if constexpr (kPlain) {
      Loop<Isa, From>(to, from, begin, end);
    } else {
      expr::ForEachRun(
          from, begin, end,
          [&](const auto& run, std::ptrdiff_t x, std::ptrdiff_t stop) MSHADOW_INLINE_LAMBDA {
            using Run = std::decay_t<decltype(run)>;
            expr::ForEachRun(to, x, stop,
                             [&](const auto& to_run, std::ptrdiff_t first, std::ptrdiff_t last)
                                 MSHADOW_INLINE_LAMBDA {
                                   Loop<Isa, Run>(to_run, run, first, last);
                                 });
          });
    }
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    // Copies member by member: whole ones would wait for the stores of their parts.
    const Dst dst = dst_;
    const Src src = src_;
    if constexpr (kFills) {
      // Row by row, where rows are joined or some are left out, or the plan knows no blocks.
      constexpr bool kBlocks = expr::detail::FillsBlocks<Src>::value;
      const std::ptrdiff_t rows = kBlocks && join == 1 && step == 1 ? y1 - y0 : 1;
      for (std::ptrdiff_t y = y0; y < y1; y += rows * step) {
        const std::ptrdiff_t row = y * join;
        expr::FillBlock(src, &expr::RowOf(dst, row).REval(x0), dst.RowStride(), row, row + rows, x0,
                        x1);
      }
    } else if constexpr (kCopiesRows) {
      CopyRows<Isa>(dst, src);
    } else {
      Rows<Isa>(dst, src);
    }
  }

 private:
  /// Rows of memory: as many as lie evenly in one loop, which takes few instructions for each, so
  /// that the CPU reads many at a time. (Joined rows are long, and do not lie evenly.)
  template <typename Isa>
  MSHADOW_FORCE_INLINE void CopyRows(const Dst& dst, const Src& src) const {
    expr::MemoryRows<DType> from = src.Memory(y0);
    if (step != 1 || join != 1 || from.rows == 0) return Rows<Isa>(dst, src);
    for (std::ptrdiff_t y = y0;; from = src.Memory(y)) {
      const std::ptrdiff_t end = from.rows < y1 - y ? y + from.rows : y1;
      auto row = expr::RowOf(dst, y);
      DType* to = &row.REval(x0);
      for (; y < end; ++y, to += dst.RowStride(), from.begin += from.stride) {
        expr::detail::CopyRow(from.begin + x0, x1 - x0, to);
      }
      if (y == y1) return;
    }
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void Rows(const Dst& dst, const Src& src) const {
    for (std::ptrdiff_t y = y0; y < y1; y += step) {
      Row<Isa>(expr::RowOf(dst, y * join), expr::RowOf(src, y * join), x0, x1);
    }
  }
};

/// The plans of a statement, whose types only its loops know, over a grid of which each row is
/// `join` rows of the plans.
struct MapTask {
  const void* dst;
  const void* src;
  std::ptrdiff_t join;
  simd::Isa isa = simd::ActiveIsa();  ///< of the loops that compute blocks of narrow rows
};
/// That of a statement which may transpose.
struct TileTask : MapTask {
  bool stream;  ///< are tiles to be written past the cache?
};

/// dst(y, x) Saver= src(y, x) for y in [y0, y1), x in [x0, x1).
using BlockFunction = void (*)(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1,
                               std::ptrdiff_t x0, std::ptrdiff_t x1);

/// The kCost from which on an element takes longer than the loop around it: that of a function.
constexpr int kExpensiveCost = 16;

/// A BlockFunction for rows of elements that are computed one by one, y0 < y1. A tensor of one axis
/// has no loop over rows: in a small statement, what is around the elements takes longer than they
/// do.
template <typename Saver, typename DType, typename Dst, typename Src>
struct RowsKernel {
  using Rows = MapKernel<Saver, DType, Dst, Src>;
  static constexpr bool kInFloat =
      Rows::template kInFloat<expr::RowCursor<Src>, expr::RowCursor<Dst>>;
  static constexpr bool kUsed =
      (kInFloat || (Rows::kPlain && !Rows::kCopiesRows)) &&
      !expr::kTransposedOf<Dst> && !expr::kTransposedOf<Src>;
  static constexpr bool kOneRow = expr::kFactsOf<Dst>.one_row && expr::kFactsOf<Src>.one_row;
  /// Does an element take so long that the rest of a row, fewer than a vector, is not to be
  /// computed one by one?
  static constexpr bool kWholeVectors = !kOneRow && expr::kCostOf<Src> >= kExpensiveCost &&
                                        expr::detail::HasPointer<expr::RowCursor<Dst>>::value;

  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1,
                                       std::ptrdiff_t x0, std::ptrdiff_t x1) {
    const Dst dst = *static_cast<const Dst*>(task.dst);
    const Src src = *static_cast<const Src*>(task.src);
    [[maybe_unused]] const std::ptrdiff_t join = task.join;
    do {
      const std::ptrdiff_t y = kOneRow ? 0 : y0 * join;
      auto to = expr::RowOf(dst, y);
      const auto from = expr::RowOf(src, y);
      if constexpr (kInFloat && Isa::kIsa != simd::Isa::kBaseline) {
        Rows::template Loop<Isa, std::decay_t<decltype(from)>>(to, from, x0, x1);
      } else if constexpr (!Rows::kPlain) {
        Rows::template Row<Isa>(to, from, x0, x1);
      } else if constexpr (kWholeVectors) {
        WithOverlappingTail<Saver, false>(&to.REval(x0), from, x0, x1);
      } else {
        MSHADOW_IVDEP
        for (std::ptrdiff_t x = x0; x < x1; ++x) {
          Saver::template Save<DType>(to.REval(x), from.Eval(x));
        }
      }
    } while (!kOneRow && ++y0 < y1);
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_MAP_KERNEL_H_
