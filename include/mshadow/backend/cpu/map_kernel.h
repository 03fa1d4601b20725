// SPDX-License-Identifier: Apache-2.0
// The loops of a statement on the host, compiled for every instruction set: rows of elements, rows
// that are copied or written many at a time.
#ifndef MSHADOW_BACKEND_CPU_MAP_KERNEL_H_
#define MSHADOW_BACKEND_CPU_MAP_KERNEL_H_

#include <cstring>
#include <type_traits>

#include "../../expr/plan/blocks.h"
#include "../../expr/plan/plan.h"
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
/// one row of this grid.
template <typename Saver, typename DType, typename Dst, typename Src>
struct MapKernel {
  const Dst& dst_;
  const Src& src_;
  std::ptrdiff_t y0, y1, x0, x1;
  std::ptrdiff_t join;

  /// Are rows of elements that are computed one by one?
  static constexpr bool kPlain = !expr::kFillsOf<Src>;

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
  using To = expr::RowCursor<Dst>;
  using From = expr::RowCursor<Src>;
  /// True if rows are computed in float.
  template <typename Isa>
  static constexpr bool kLanes =
      Isa::kIsa != simd::Isa::kBaseline && kInFloat<From, To> && !kFillsElse<Src>;
  /// The columns [begin, end) of row y, whose cursor is `from`.
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Row(const To& to, const Src& src, const From& from,
                                       std::ptrdiff_t y, std::ptrdiff_t begin,
                                       std::ptrdiff_t end) {
    if constexpr (kPlain || kLanes<Isa>) {
      Loop<Isa, From>(to, from, begin, end);
    } else if constexpr (std::is_same_v<Saver, sv::saveto> && expr::detail::HasPointer<To>::value) {
      expr::FillBlock(src, &To(to).REval(begin), 0, y, y + 1, begin, end);
    } else {
      expr::InPieces(src, y, begin, end,
                     [&](const auto& piece, std::ptrdiff_t x, std::ptrdiff_t stop)
                         MSHADOW_INLINE_LAMBDA {
                           Loop<Isa, std::decay_t<decltype(piece)>>(to, piece, x, stop);
                         });
    }
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    // Copies member by member: whole ones would wait for the stores of their parts.
    const Dst dst = dst_;
    const Src src = src_;
    if constexpr (!kPlain && !kLanes<Isa> && std::is_same_v<Saver, sv::saveto> &&
                  expr::detail::HasRowStride<Dst>::value) {
      // Row by row, where rows are joined.
      const std::ptrdiff_t rows = join == 1 ? y1 - y0 : 1;
      for (std::ptrdiff_t y = y0; y < y1; y += rows) {
        const std::ptrdiff_t row = y * join;
        expr::FillBlock(src, &expr::RowOf(dst, row).REval(x0), dst.RowStride(), row, row + rows, x0,
                        x1);
      }
    } else {
      for (std::ptrdiff_t y = y0; y < y1; ++y) {
        const std::ptrdiff_t row = y * join;
        Row<Isa>(expr::RowOf(dst, row), src, expr::RowOf(src, row), row, x0, x1);
      }
    }
  }
};

/// The plans of a statement, whose types only its loops know, over a grid of which each row is
/// `join` rows of the plans.
struct MapTask {
  const void* dst;
  const void* src;
  std::ptrdiff_t join;
};

/// dst(y, x) Saver= src(y, x) for y in [y0, y1), x in [x0, x1).
using BlockFunction = void (*)(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1,
                               std::ptrdiff_t x0, std::ptrdiff_t x1);

/// What is compiled for each statement.
struct MapLoops {
  const BlockFunction* forms;    ///< one for each instruction set
  std::ptrdiff_t grain;          ///< the fewest elements worth a thread
  std::ptrdiff_t element_bytes;  ///< of the result
  bool light;                    ///< do all forms compute the same, and little?

  void Block(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1, std::ptrdiff_t x0,
             std::ptrdiff_t x1) const {
    forms[static_cast<int>(simd::ActiveIsa())](task, y0, y1, x0, x1);
  }
};

/// The kCost from which on an element takes longer than the loop around it: that of a function.
constexpr int kExpensiveCost = 16;

/// A BlockFunction for rows of elements that are computed one by one, y0 < y1. A tensor of one axis
/// has no loop over rows: in a small statement, what is around the elements takes longer than they
/// do.
template <typename Saver, typename DType, typename Dst, typename Src>
struct RowsKernel {
  using Rows = MapKernel<Saver, DType, Dst, Src>;
  static constexpr bool kInFloat =
      Rows::template kInFloat<expr::RowCursor<Src>, expr::RowCursor<Dst>> && !kFillsElse<Src>;
  static constexpr bool kUsed = kInFloat || Rows::kPlain;
  static constexpr bool kOneRow = expr::kFactsOf<Dst>.one_row && expr::kFactsOf<Src>.one_row;

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
        Rows::template Row<Isa>(to, src, from, y, x0, x1);
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
