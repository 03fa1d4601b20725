// SPDX-License-Identifier: Apache-2.0
// Blocks of elements: FillBlock and InPieces, which ask a plan for many at once; BlockPlan, a block
// in memory as a part of a plan; IsMap.
#ifndef MSHADOW_EXPR_PLAN_BLOCKS_H_
#define MSHADOW_EXPR_PLAN_BLOCKS_H_

#include <cstddef>
#include <type_traits>

#include "../../core/fast_divmod.h"
#include "../../simd/copy_rows.h"
#include "cursors.h"
#include "plan.h"
#include "short_row.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// A block of elements in memory, as the plan that they are part of: row y_ + k step_ of that plan
/// is row k of the block, and column x_ its column 0.
template <typename DType>
struct BlockPlan {
  static constexpr PlanFacts kFacts{sizeof(DType) / 2, 1, Access::kSame};
  struct Cursor {
    DType* block_;
    std::ptrdiff_t x_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const { return block_[x - x_]; }
    MSHADOW_XINLINE DType& REval(std::ptrdiff_t x) { return block_[x - x_]; }
    MSHADOW_XINLINE const DType* Pointer(std::ptrdiff_t x) const { return block_ + (x - x_); }
  };
  DType* block_;
  std::ptrdiff_t stride_, y_, x_;
  FastDivmod step_;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{block_ + FloorDiv(y - y_, step_) * stride_, x_};
  }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return {stride_ == cols && step_ == 1 ? 0 : 1};
  }
  /// The distance of rows where step_ is 1.
  MSHADOW_XINLINE std::ptrdiff_t RowStride() const { return stride_; }
};

template <typename P, typename = void>
struct IsMap : std::false_type {};
template <typename P>
struct IsMap<P, std::void_t<decltype(P::kIsMap)>> : std::bool_constant<P::kIsMap> {};

}  // namespace expr::detail

namespace expr {

template <typename P, typename F>
MSHADOW_FORCE_INLINE void InPieces(const P& plan, std::ptrdiff_t y, std::ptrdiff_t x,
                                   std::ptrdiff_t end, const F& f);

/// to[(v - y) * stride + u - x] = element (v, u) of a plan, for v in [y, end_y) and u in [x, end).
template <typename P, typename DType>
MSHADOW_FORCE_INLINE void FillBlock(const P& plan, DType* to, std::ptrdiff_t stride,
                                    std::ptrdiff_t y, std::ptrdiff_t end_y, std::ptrdiff_t x,
                                    std::ptrdiff_t end) {
  constexpr bool kSame = std::is_same_v<DType, ElementOfPlan<P>>;
  if constexpr (detail::HasFill<P>::value && kSame) {
    plan.Fill(to, stride, y, end_y, x, end);
  } else if constexpr (kSame && std::is_trivially_copyable_v<DType> &&
                       detail::HasRowStride<P>::value &&
                       detail::HasPointer<RowCursor<P>>::value) {
    constexpr std::ptrdiff_t kSize = sizeof(DType), kShort = 64;
    if (end - x > kShort) {
      for (; y < end_y; ++y, to += stride) {
        const DType* const from = RowOf(plan, y).Pointer(x);
        detail::ForEachVectorOf<16>(
            end - x, [to, from](std::ptrdiff_t begin, auto lanes) MSHADOW_INLINE_LAMBDA {
              MSHADOW_SIMD_LOOP
              for (int k = 0; k < decltype(lanes)::value; ++k) to[begin + k] = from[begin + k];
            });
      }
      return;
    }
    simd::CopyRows({reinterpret_cast<char*>(to), stride * kSize,
                    reinterpret_cast<const char*>(RowOf(plan, y).Pointer(x)),
                    plan.RowStride() * kSize, end_y - y, (end - x) * kSize});
  } else {
    for (; y < end_y; ++y, to += stride) {
      InPieces(plan, y, x, end,
               [&](const auto& row, std::ptrdiff_t begin, std::ptrdiff_t stop)
                   MSHADOW_INLINE_LAMBDA {
                     detail::WriteShortRow(row, begin, stop, to + (begin - x));
                   });
    }
  }
}

namespace detail {

/// The most elements of a piece of a row.
constexpr std::ptrdiff_t kPieceElements = 512;
/// A cursor for a piece [x, end) of row y: of a plan that fills, a buffer that is filled.
template <typename P, bool fills = kFillsOf<P>>
struct Piece {
  MSHADOW_FORCE_INLINE static auto Of(const P& plan, std::ptrdiff_t y, std::ptrdiff_t,
                                      std::ptrdiff_t) {
    return RowOf(plan, y);
  }
};
template <typename P>
struct Piece<P, true> {
  using DType = ElementOfPlan<P>;
  using Buffer = BufferCursor<DType, DType, kPieceElements * sizeof(DType)>;
  MSHADOW_FORCE_INLINE static Buffer Of(const P& plan, std::ptrdiff_t y, std::ptrdiff_t x,
                                        std::ptrdiff_t end) {
    Buffer piece;  // in its place: GCC copies what is returned from an inner scope
    piece.begin_ = x;
    FillBlock(plan, piece.value_, 0, y, y + 1, x, end);
    return piece;
  }
};
template <typename P>
using PieceCursor = decltype(Piece<P>::Of(std::declval<const P&>(), 0, 0, 0));

}  // namespace detail

/// Calls f(cursor, begin, stop) for the columns [x, end) of row y: of a plan that fills piece by
/// piece, else once.
template <typename P, typename F>
MSHADOW_FORCE_INLINE void InPieces(const P& plan, std::ptrdiff_t y, std::ptrdiff_t x,
                                   std::ptrdiff_t end, const F& f) {
  if constexpr (kFillsOf<P>) {
    for (std::ptrdiff_t stop; x < end; x = stop) {
      stop = end - x < detail::kPieceElements ? end : x + detail::kPieceElements;
      const auto piece = detail::Piece<P>::Of(plan, y, x, stop);
      f(piece, x, stop);
    }
  } else {
    f(RowOf(plan, y), x, end);
  }
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_BLOCKS_H_
