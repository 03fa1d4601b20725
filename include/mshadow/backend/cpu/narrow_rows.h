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
/// True if the rows of P move, as they are or mirrored.
template <typename P>
inline constexpr bool kMoves = expr::kGatherBytesOf<P> < expr::detail::kEvaluated;
/// True if all that a statement reads and writes moves, so that its own loops compute blocks.
template <typename Dst, typename Src>
inline constexpr bool kAllMove = kMoves<Dst> && kMoves<Src>;
/// Rows of at most this many elements gain by being copied into blocks. + - * of 4 bytes or more
/// take no longer one by one than the copies.
template <typename DType, typename Dst, typename Src>
inline constexpr std::ptrdiff_t kMaxCopiedColumns =
    kIsExpensive<DType, Src> ? 40
    : expr::kArithmeticOf<Dst> && expr::kArithmeticOf<Src> && sizeof(DType) >= 4 ? 0 : 16;

/// True if narrow rows are gathered. Where something does not move, this takes loops of its own.
template <typename DType, typename Dst, typename Src>
inline constexpr bool kGathers =
    std::is_trivially_copyable_v<DType> && kMaxGathered<DType, Src> > 0 &&
    (kAllMove<Dst, Src> ? kMaxCopiedColumns<DType, Dst, Src> > 0 || expr::kFactsOf<Src>.repeats
                        : kIsExpensive<DType, Src> && expr::detail::IsMap<Src>::value);

/// How many of the rows that are not copied make one: no more than are written in a fraction of the
/// time that repeated rows save; they are whole cache lines where they can be.
inline std::ptrdiff_t RowsToJoin(std::ptrdiff_t rows, std::ptrdiff_t most, std::ptrdiff_t bytes) {
  constexpr std::ptrdiff_t kFraction = 8;
  const std::ptrdiff_t n = rows / kFraction < most ? rows / kFraction : most;
  const std::ptrdiff_t lines = simd::kLineBytes / expr::Gcd(bytes, simd::kLineBytes);
  return n < lines ? n : n / lines * lines;
}

/// What is known of a statement whose narrow rows are gathered.
struct NarrowLoops {
  const BlockFunction* rows;    ///< for rows of any length, one for each instruction set
  const BlockFunction* blocks;  ///< the same of the plans over blocks
  BlockFunction few;            ///< for rows of at most kNarrowColumns; null: `rows`
  std::ptrdiff_t max_elements, max_copied_columns, element_bytes;
  bool all_move;
  bool load;  ///< does a block of the result hold what was there before?
};

/// The blocks of a statement on narrow rows.
class NarrowGather : public expr::detail::RowGather {
 public:
  static_assert(kMinElements > kNarrowColumns, "loops of whole vectors get no less than one");

  MSHADOW_NOINLINE NarrowGather(const NarrowLoops& loops, const MapTask& task, std::ptrdiff_t y0,
                                std::ptrdiff_t y1, std::ptrdiff_t x0, std::ptrdiff_t x1)
      : RowGather({x0, x1 - x0, task.join, y0, 0}, y1), loops_(loops), task_(task) {
    const std::ptrdiff_t cols = x1 - x0;
    may_copy_ = cols <= loops.max_copied_columns;
    copies_result_ = may_copy_ && loops.load;
    std::ptrdiff_t n = loops.max_elements / cols;
    if (!may_copy_) n = loops.all_move ? RowsToJoin(y1 - y0, n, cols * loops.element_bytes) : 0;
    if (!may_copy_ && n < 2) {
      RowByRow();
    } else {
      SetMost(n < y1 - y0 ? n : y1 - y0);
      Start(may_copy_);
    }
  }
  /// True if there is another block. Its operands are added, and after StartResult the result.
  bool HasBlock() const { return block_.y < end_; }
  void StartResult() { copy_ = copies_result_; }
  /// Computes the block by the plans over blocks. The next one follows.
  MSHADOW_NOINLINE void Compute(const void* to, const void* from) {
    if (copies_ && !may_copy_) return RowByRow();
    const std::ptrdiff_t blocks = copies_ ? 1 : (end_ - block_.y) / block_.n;
    loops_.blocks[static_cast<int>(task_.isa)]({to, from, block_.n * block_.join, task_.isa}, 0,
                                               blocks, 0, Elements());
    Store();
    block_.y += block_.n * blocks;
    if (block_.n > end_ - block_.y) block_.n = end_ - block_.y;
    is_first_ = false;
    Start(may_copy_);
  }

 private:
  /// Computes the rows that are left as they are.
  void RowByRow() {
    const bool few = loops_.few != nullptr && block_.cols <= kNarrowColumns;
    const BlockFunction rows = few ? loops_.few : loops_.rows[static_cast<int>(task_.isa)];
    rows(task_, block_.y, end_, block_.x, block_.x + block_.cols);
    block_.y = end_;
  }

  const NarrowLoops& loops_;
  const MapTask& task_;
  bool may_copy_, copies_result_;
};

/// FewColumns of statements whose narrow rows are not copied; else null.
template <typename Saver, typename DType, typename Dst, typename Src>
constexpr BlockFunction FewColumnsOf() {
  if constexpr (kMaxCopiedColumns<DType, Dst, Src> == 0) {
    return FewColumns<Saver, DType, Dst, Src>;
  } else {
    return nullptr;
  }
}

/// Stores the rows of a block: dst(y, x) Saver= the element of the block.
template <typename Saver, typename DType, typename Dst, typename Loops>
void StoreRows(const void* dst, void* block, const expr::detail::RowBlock& rows) {
  Loops::template Run<Saver, DType>(*static_cast<const Dst*>(dst), rows.At<DType>(block), rows.y,
                                    rows.y + rows.n, rows.x, rows.x + rows.cols, rows.join);
}

/// A BlockFunction for narrow rows. Loops::kForms<Saver, DType, Dst, Src> are those for rows of any
/// length, and Loops::Run<Saver, DType>(dst, src, y0, y1, x0, x1, join) computes them.
template <typename Saver, typename DType, typename Dst, typename Src, typename Loops>
void NarrowRows(const MapTask& task, std::ptrdiff_t y0, std::ptrdiff_t y1, std::ptrdiff_t x0,
                std::ptrdiff_t x1) {
  using To = std::conditional_t<kMoves<Dst>, Dst, expr::detail::BlockPlan<DType>>;
  using From = decltype(expr::Gathered(std::declval<const Src&>()));
  using BlockSaver = std::conditional_t<kMoves<Dst>, Saver, sv::saveto>;
  static constexpr NarrowLoops kNarrow{Loops::template kForms<Saver, DType, Dst, Src>,
                                       Loops::template kForms<BlockSaver, DType, To, From>,
                                       FewColumnsOf<Saver, DType, Dst, Src>(),
                                       kMaxGathered<DType, Src>,
                                       kMaxCopiedColumns<DType, Dst, Src>,
                                       sizeof(DType),
                                       kAllMove<Dst, Src>,
                                       !std::is_same_v<BlockSaver, sv::saveto>};
  const Dst& dst = *static_cast<const Dst*>(task.dst);
  const Src& src = *static_cast<const Src*>(task.src);
  NarrowGather gather(kNarrow, task, y0, y1, x0, x1);
  if (!gather.HasBlock()) return;
  From from = expr::Gathered(src);
  To to = expr::Gathered(dst);
  do {
    expr::GatherRows(src, &from, &gather);
    gather.StartResult();
    if constexpr (kMoves<Dst>) {
      expr::GatherRows(dst, &to, &gather);
    } else {
      gather.AddEvaluated(&dst, StoreRows<Saver, DType, Dst, Loops>, sizeof(DType), &to.block_);
    }
    gather.Compute(&to, &from);
  } while (gather.HasBlock());
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_NARROW_ROWS_H_
