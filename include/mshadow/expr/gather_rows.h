// SPDX-License-Identifier: Apache-2.0
// Rows of a plan side by side: n short rows become one, because starting a row takes longer than
// computing the few elements in it.
//
//   static constexpr int kGatherBytes              bytes that an element of all operands takes; the
//                                                  rows of a plan that does not say are evaluated
//   static constexpr bool kArithmetic              nothing is computed but + - *
//   void GatherRows(detail::RowGather* gather)     makes row 0 of the plan the rows that *gather
//                                                  names; the plan is of no other use then
//   P Gathered(detail::RowGather* gather) const    another plan of which row 0 is these rows
//
// Plans over memory need neither: they say where rows lie (RowStride, Memory), and MoveBy.
#ifndef MSHADOW_EXPR_GATHER_ROWS_H_
#define MSHADOW_EXPR_GATHER_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../simd/copy_rows.h"
#include "blocks.h"
#include "plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

template <typename P, typename = void>
struct HasMoveBy : std::false_type {};
template <typename P>
struct HasMoveBy<P, std::void_t<decltype(std::declval<P&>().MoveBy(std::ptrdiff_t()))>>
    : std::true_type {};

/// True if the rows of P lie in memory, and P can be told that they lie elsewhere.
template <typename P>
constexpr bool MovesRows() {
  if constexpr (HasMoveBy<P>::value && HasPointer<RowCursor<P>>::value) {
    return kRowsInMemory<P>;
  } else {
    return false;
  }
}

/// Makes rows of operands one: columns [x, x + cols) of the rows [y, y + n) of a grid, each of
/// which is `join` rows of the plans. Rows that are not contiguous are copied to a buffer.
class RowGather {
 public:
  /// The most elements of a block, where an element of all that is gathered takes `bytes`; 0: these
  /// are too many. Larger blocks are no faster in the cache, and slower where memory is waited for.
  static constexpr std::ptrdiff_t MaxElements(std::ptrdiff_t bytes) {
    return bytes <= kMaxOperands ? kBytes / bytes : 0;
  }
  /// The fewest elements of a block: a vector. Where its rows are fewer, they repeat.
  static constexpr std::ptrdiff_t kMinElements = 8;

  /// For rows before `end`; may_copy: rows that are not contiguous.
  RowGather(std::ptrdiff_t x, std::ptrdiff_t cols, std::ptrdiff_t join, std::ptrdiff_t end,
            bool may_copy)
      : x_(x), cols_(cols), join_(join), end_(end), may_copy_(may_copy) {}
  /// Names the rows of the next block; a later block has at most as many as the first.
  void Start(std::ptrdiff_t y, std::ptrdiff_t n) {
    y_ = y;
    n_ = n;
    used_ = 0;
    is_first_ = capacity_ == 0;
    if (is_first_) capacity_ = Elements();
  }
  std::ptrdiff_t Elements() const {
    return n_ * cols_ < kMinElements ? kMinElements : n_ * cols_;
  }
  /// Room for a block, and for 63 bytes before it.
  template <typename DType>
  DType* Take() {
    unsigned char* const to = room_ + used_;
    constexpr std::ptrdiff_t kSize = sizeof(DType);
    used_ += (capacity_ * kSize + kSlack - 1) & ~std::ptrdiff_t{63};
    return reinterpret_cast<DType*>(to);
  }
  /// True if rows were copied, or would have been if they might.
  bool copies() const { return copies_; }

  /// Makes row 0 of `plan`, over memory, the rows.
  template <typename P>
  void Gather(P* plan) {
    if (IsContiguous(*plan)) {
      Take<ElementOfPlan<P>>();  // so that each operand has the same room in every block
      Move(plan, RowOf(*plan, y_ * join_).Pointer(x_));
    } else {
      GatherFrom(plan, 1, [plan](std::ptrdiff_t y) { return MemoryOf(*plan, y); });
    }
  }
  /// Makes row 0 of `plan`, over memory, copies of rows whose elements lie `col_stride` apart:
  /// rows_at(y) says where the rows from y on lie, as MemoryOf does.
  template <typename P, typename F>
  void GatherFrom(P* plan, std::ptrdiff_t col_stride, const F& rows_at) {
    using DType = ElementOfPlan<P>;
    copies_ = true;
    if (!may_copy_) return;
    DType* const to = Take<DType>();
    for (std::ptrdiff_t y = 0; y < n_;) {
      const MemoryRows<DType> from = rows_at((y_ + y) * join_);
      const std::ptrdiff_t even = from.rows / join_, n = even < n_ - y ? even : n_ - y;
      simd::CopyRows(to + y * cols_, cols_, from.begin + x_ * col_stride, from.stride * join_,
                     col_stride, n, cols_);
      y += n;
    }
    Extend(to);
    Move(plan, to);
  }
  /// Makes row 0 of `plan`, over memory, that row n times.
  template <typename P>
  void Repeat(P* plan) {
    using DType = ElementOfPlan<P>;
    DType* const to = Take<DType>();
    if (is_first_) {
      const std::ptrdiff_t size = capacity_;
      std::memcpy(to, RowOf(*plan, 0).Pointer(x_), static_cast<std::size_t>(cols_) * sizeof(DType));
      for (std::ptrdiff_t done = cols_; done < size; done *= 2) {
        std::memcpy(to + done, to,
                    static_cast<std::size_t>(done < size - done ? done : size - done) *
                        sizeof(DType));
      }
    }
    Move(plan, to);
  }
  /// The rows of a plan that does not move; evaluate(block) computes them.
  template <typename DType, typename F>
  BlockPlan<DType> Evaluate(const F& evaluate) {
    DType* const to = Take<DType>();
    copies_ = true;
    if (may_copy_) evaluate(Block(to));
    Extend(to);
    return BlockPlan<DType>{to, 0, 0, 0, FastDivmod(1)};
  }
  /// The rows at `to`, as rows of the grid.
  template <typename DType>
  BlockPlan<DType> Block(DType* to) const {
    return BlockPlan<DType>{to, cols_, y_ * join_, x_, FastDivmod(join_)};
  }
  /// True if the rows of `plan`, over memory, from the first one named to the end, are contiguous.
  template <typename P>
  bool IsContiguous(const P& plan) const {
    if (n_ * cols_ < kMinElements) return false;
    if (end_ - y_ == 1) return true;
    const auto from = MemoryOf(plan, y_ * join_);
    return from.stride * join_ == cols_ && from.rows >= (end_ - y_) * join_;
  }
  /// Makes row 0 of `plan`, over memory, a buffer for the rows, `offset` bytes after a multiple of
  /// 64.
  template <typename P>
  void Prepare(P* plan, std::ptrdiff_t offset = 0) {
    char* const to = reinterpret_cast<char*>(Take<ElementOfPlan<P>>()) + offset;
    Move(plan, reinterpret_cast<ElementOfPlan<P>*>(to));
  }
  /// The rows of `plan`, over memory, = row 0 of `gathered`.
  template <typename P>
  void Scatter(const P& gathered, const P& plan) const {
    using DType = ElementOfPlan<P>;
    const DType* const from = RowOf(gathered, 0).Pointer(0);
    for (std::ptrdiff_t y = 0; y < n_;) {
      const MemoryRows<DType> to = MemoryOf(plan, (y_ + y) * join_);
      const std::ptrdiff_t even = to.rows / join_, n = even < n_ - y ? even : n_ - y;
      simd::CopyRows(const_cast<DType*>(to.begin) + x_, to.stride * join_, from + y * cols_, cols_,
                     1, n, cols_);
      y += n;
    }
  }

 private:
  // Not 8 KiB: two buffers of 4 KiB would delay each load, as if it waited for a recent store to
  // the other one.
  static constexpr std::ptrdiff_t kBytes = 7168, kMaxOperands = 64, kSlack = 128;

  /// Repeats the rows of a block that is too short.
  template <typename DType>
  void Extend(DType* to) const {
    for (std::ptrdiff_t i = n_ * cols_; i < kMinElements; ++i) to[i] = to[i - n_ * cols_];
  }
  template <typename P>
  static void Move(P* plan, const ElementOfPlan<P>* to) {
    const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
    plan->MoveBy(static_cast<std::ptrdiff_t>(address(to) - address(RowOf(*plan, 0).Pointer(0))));
  }

  std::ptrdiff_t x_, cols_, join_, end_, y_ = 0, n_ = 0, used_ = 0, capacity_ = 0;
  bool may_copy_, is_first_ = true, copies_ = false;
  alignas(64) unsigned char room_[kBytes + kMaxOperands * kSlack];
};

/// True if all elements of the plan P are one number.
template <typename P>
inline constexpr bool kIsScalar = kFactsOf<P>.one_row && kFactsOf<P>.operands == 0;

template <typename P, typename = void>
struct HasGathered : std::false_type {};
template <typename P>
struct HasGathered<P, std::void_t<decltype(std::declval<const P&>().Gathered(
                          std::declval<RowGather*>()))>> : std::true_type {};

/// What an operand that does not move adds to kGatherBytes, besides its bytes.
constexpr int kEvaluated = 1 << 16;
template <typename P, typename = void>
struct GatherBytes {
  static constexpr int Of() {
    if constexpr (kIsScalar<P>) return 0;
    constexpr int kBytes = sizeof(ElementOfPlan<P>);
    return MovesRows<P>() ? kBytes : kEvaluated + kBytes;
  }
  static constexpr int kValue = Of();
  static constexpr bool kArithmetic = kValue < kEvaluated;
};
template <typename P>
struct GatherBytes<P, std::void_t<decltype(P::kGatherBytes)>> {
  static constexpr int kValue = P::kGatherBytes;
  static constexpr bool kArithmetic = P::kArithmetic;
};

}  // namespace detail

/// The facts of a plan of few elements of `Src`, again and again.
template <typename Src>
constexpr PlanFacts BroadcastFacts(int cost) {
  PlanFacts facts = FactsOver<Access::kRows, Src>(cost);
  facts.operands = 0;
  facts.repeats = detail::MovesRows<Src>();
  return facts;
}

/// Bytes that an element of all operands of P takes, and kEvaluated for each that does not move.
template <typename P>
inline constexpr int kGatherBytesOf = detail::GatherBytes<P>::kValue;
/// True if P computes nothing but + - *, which in few elements takes no longer one by one.
template <typename P>
inline constexpr bool kArithmeticOf = detail::GatherBytes<P>::kArithmetic;

/// Makes row 0 of a plan whose operands all move the rows that *gather names.
template <typename P>
inline void GatherRows(P* plan, detail::RowGather* gather) {
  if constexpr (detail::MovesRows<P>()) {
    gather->Gather(plan);
  } else if constexpr (kGatherBytesOf<P> != 0) {
    plan->GatherRows(gather);
  }
}
/// A plan whose row 0 is the rows that *gather names; evaluate(operand, block) computes them of an
/// operand that does not move.
template <typename P, typename F>
inline auto Gathered(const P& plan, detail::RowGather* gather, const F& evaluate) {
  if constexpr (kGatherBytesOf<P> < detail::kEvaluated) {
    P gathered = plan;
    GatherRows(&gathered, gather);
    return gathered;
  } else if constexpr (detail::IsMap<P>::value) {
    return plan.Replaced(
        [&](const auto& operand) { return expr::Gathered(operand, gather, evaluate); });
  } else if constexpr (detail::HasGathered<P>::value) {
    return plan.Gathered(gather);
  } else {
    return gather->template Evaluate<ElementOfPlan<P>>(
        [&](const auto& block) { evaluate(plan, block); });
  }
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_GATHER_ROWS_H_
