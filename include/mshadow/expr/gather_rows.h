// SPDX-License-Identifier: Apache-2.0
// Rows of a plan side by side: n short rows become one, because starting a row takes longer than
// computing the few elements in it.
//
// A statement computes its blocks by a plan whose operands read memory, Gathered(plan): a copy of
// the plan, or one with memory in the place of operands that are evaluated. GatherRows makes row 0
// of it the rows of a block. All that is compiled for each statement are calls of a RowGather.
//
//   static constexpr int kGatherBytes              bytes that an element of all operands takes; the
//                                                  rows of a plan that does not say are evaluated
//   static constexpr bool kArithmetic              nothing is computed but + - *
//   P Gathered() const                             the plan that reads blocks; default: a copy
//   void GatherRows(P* gathered, detail::RowGather* gather) const
//                                                  makes row 0 of *gathered the rows of a block, by
//                                                  a call of *gather for each operand
//
// Plans over memory need none of these: they say where rows lie (RowStride, Memory), and Origin()
// is a reference to their pointer into memory.
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

/// True if P can be told that its rows lie elsewhere.
template <typename P, typename = void>
struct HasOrigin : std::false_type {};
template <typename P>
struct HasOrigin<P, std::void_t<decltype(std::declval<P&>().Origin())>> : std::true_type {};
MSHADOW_HAS_MEMBER_(HasGathered, Gathered())

/// True if the rows of P lie in memory, and P can be told that they lie elsewhere.
template <typename P>
constexpr bool MovesRows() {
  if constexpr (HasOrigin<P>::value && HasPointer<RowCursor<P>>::value) {
    return kRowsInMemory<P>;
  } else {
    return false;
  }
}

/// Columns [x, x + cols) of the rows [y, y + n) of a grid, each of which is `join` rows of plans.
struct RowBlock {
  std::ptrdiff_t x, cols, join, y, n;
  /// The rows of the grid, where the block lies at `at`.
  template <typename DType>
  BlockPlan<DType> At(void* at) const {
    return BlockPlan<DType>{static_cast<DType*>(at), cols, y * join, x, FastDivmod(join)};
  }
};

/// The same rows, the stride in bytes.
template <typename DType>
inline MemoryRows<char> InBytes(const MemoryRows<DType>& rows) {
  return {reinterpret_cast<const char*>(rows.begin), rows.stride * std::ptrdiff_t{sizeof(DType)},
          rows.rows};
}
template <typename P>
MemoryRows<char> MemoryInBytes(const void* plan, std::ptrdiff_t y) {
  return InBytes(static_cast<const P*>(plan)->Memory(y));
}

/// A pointer into memory, of a plan over blocks, and how far from row 0 of that plan it points.
struct BlockPointer {
  void* pointer;
  std::uintptr_t offset;
  void Set(const void* row_zero) const {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(row_zero) + offset;
    std::memcpy(pointer, &address, sizeof(address));
  }
};
/// The pointer of *gathered, a copy of `plan`, and its offset.
template <typename P>
inline BlockPointer PointerOf(const P& plan, P* gathered) {
  return {&gathered->Origin(), reinterpret_cast<std::uintptr_t>(const_cast<P&>(plan).Origin()) -
                                   reinterpret_cast<std::uintptr_t>(RowOf(plan, 0).Pointer(0))};
}

/// Makes rows of operands one, a block of rows at a time. Rows that are not contiguous are copied
/// to a buffer. All that it knows of an operand are numbers, so that statements share the code.
class RowGather {
 public:
  /// The fewest elements of a block: a vector. Where its rows are fewer, they repeat.
  static constexpr std::ptrdiff_t kMinElements = 8;
  /// The most elements of a block, where an element of all operands takes `bytes`; 0: these are too
  /// many. Larger blocks are no faster in the cache, and slower where memory is waited for.
  static constexpr std::ptrdiff_t MaxElements(std::ptrdiff_t bytes) {
    return bytes <= kMaxOperands ? kBytes / bytes : 0;
  }

  using Memory = MemoryRows<char> (*)(const void* plan, std::ptrdiff_t y);
  using Repeat = void (*)(const simd::RowsToCopy& rows);
  using Evaluate = void (*)(const void* plan, void* block, const RowBlock& rows);

  // One of these for each operand of a block, and last for the result. They make row 0 of the plan
  // over blocks the rows of the block; `size` is that of an element.

  /// Rows that lie `stride` bytes apart.
  MSHADOW_NOINLINE void AddEven(const void* row_zero, std::ptrdiff_t stride, std::ptrdiff_t size,
                                BlockPointer pointer) {
    const std::ptrdiff_t bytes = block_.cols * size, row = block_.y * block_.join;
    const void* at = room_;
    rows_ = {static_cast<const char*>(row_zero) + row * stride + block_.x * size,
             stride * block_.join, kAllRows};
    plan_ = nullptr;
    evaluate_ = nullptr;
    if (IsContiguous(bytes)) {
      at = rows_.begin;
    } else if (Copies()) {
      simd::CopyRows({room_, bytes, rows_.begin, rows_.stride, block_.n, bytes});
      Extend(size);
    }
    Place(at, size, pointer);
  }
  /// Rows of `plan`, which lie where `memory` says; repeat: one element for each.
  MSHADOW_NOINLINE void AddRows(const void* plan, Memory memory, Repeat repeat, std::ptrdiff_t size,
                                BlockPointer pointer) {
    const std::ptrdiff_t bytes = block_.cols * size;
    const void* at = room_;
    plan_ = plan;
    memory_of_ = memory;
    evaluate_ = nullptr;
    std::ptrdiff_t n = RowsFrom(0, repeat == nullptr ? size : 0);
    if (repeat == nullptr && IsContiguous(bytes)) {
      at = rows_.begin;
    } else if (Copies()) {
      for (std::ptrdiff_t y = 0; true; n = RowsFrom(y, repeat == nullptr ? size : 0)) {
        const simd::RowsToCopy rows{room_ + y * bytes, bytes, rows_.begin, rows_.stride, n, bytes};
        repeat == nullptr ? simd::CopyRows(rows) : repeat(rows);
        y += n;
        if (y == block_.n) break;
      }
      Extend(size);
    }
    Place(at, size, pointer);
  }
  /// One row for all, `begin` its column 0.
  MSHADOW_NOINLINE void AddOneRow(const void* begin, std::ptrdiff_t size, BlockPointer pointer) {
    if (is_first_) {
      const std::ptrdiff_t all = capacity_ * size;
      std::ptrdiff_t done = block_.cols * size;
      std::memcpy(room_, static_cast<const char*>(begin) + block_.x * size,
                  static_cast<std::size_t>(done));
      for (; done < all; done *= 2) {
        std::memcpy(room_ + done, room_,
                    static_cast<std::size_t>(done < all - done ? done : all - done));
      }
    }
    Place(room_, size, pointer);
  }
  /// Rows that `evaluate` computes into a block, or stores from it.
  MSHADOW_NOINLINE void AddEvaluated(const void* plan, Evaluate evaluate, std::ptrdiff_t size,
                                     void* pointer) {
    plan_ = plan;
    evaluate_ = evaluate;
    if (Copies()) {
      evaluate(plan, room_, block_);
      Extend(size);
    }
    Place(room_, size, {pointer, 0});
  }

 protected:
  /// For blocks before row `end`, the first of which begins where `block` does.
  RowGather(const RowBlock& block, std::ptrdiff_t end)
      : block_(block), end_(end) {}
  /// No block has more rows.
  void SetMost(std::ptrdiff_t rows) {
    block_.n = rows;
    capacity_ = Elements();
  }
  std::ptrdiff_t Elements() const {
    return block_.n * block_.cols < kMinElements ? kMinElements : block_.n * block_.cols;
  }
  /// The operands of a block follow. copy: rows that are not contiguous.
  void Start(bool copy) {
    copy_ = copy;
    copies_ = false;
    room_ = memory_ + (-reinterpret_cast<std::uintptr_t>(memory_) & 63);
  }
  /// Stores the block of the result, which was added last, where it belongs.
  void Store() {
    if (at_ == nullptr) return;
    const std::ptrdiff_t bytes = block_.cols * size_;
    if (evaluate_ != nullptr) {
      evaluate_(plan_, at_, block_);
    } else if (plan_ == nullptr) {
      StoreRows(at_, bytes, block_.n);
    } else {
      for (std::ptrdiff_t y = 0, n; y < block_.n; y += n) {
        n = RowsFrom(y, size_);
        StoreRows(at_ + y * bytes, bytes, n);
      }
    }
  }

  RowBlock block_;
  std::ptrdiff_t end_;
  bool copy_ = true, copies_ = false, is_first_ = true;

 private:
  // Not 8 KiB: two buffers of 4 KiB would delay each load, as if it waited for a recent store to
  // the other one. Each operand has room for 63 bytes before its block.
  static constexpr std::ptrdiff_t kBytes = 7168, kMaxOperands = 64, kSlack = 128;

  void StoreRows(const char* from, std::ptrdiff_t bytes, std::ptrdiff_t n) const {
    simd::CopyRows({const_cast<char*>(rows_.begin), rows_.stride, from, bytes, n, bytes});
  }
  /// Makes rows_ the rows of plan_ from row `y` of the block on, and returns how many lie evenly.
  std::ptrdiff_t RowsFrom(std::ptrdiff_t y, std::ptrdiff_t column_bytes) {
    rows_ = memory_of_(plan_, (block_.y + y) * block_.join);
    rows_.begin += block_.x * column_bytes;
    rows_.stride *= block_.join;
    rows_.rows /= block_.join;
    return rows_.rows < block_.n - y ? rows_.rows : block_.n - y;
  }
  /// True if rows_ are contiguous, those of the block and all after it.
  bool IsContiguous(std::ptrdiff_t bytes) const {
    const std::ptrdiff_t left = end_ - block_.y;
    return block_.n * block_.cols >= kMinElements &&
           (left == 1 || (rows_.stride == bytes && rows_.rows >= left));
  }
  bool Copies() {
    copies_ = true;
    return copy_;
  }
  void Place(const void* at, std::ptrdiff_t size, BlockPointer pointer) {
    pointer.Set(at);
    at_ = at == room_ ? room_ : nullptr;
    size_ = size;
    room_ += (capacity_ * size + kSlack - 1) & ~std::ptrdiff_t{63};
  }
  /// Repeats the rows of a block that is too short.
  void Extend(std::ptrdiff_t size) {
    const std::ptrdiff_t bytes = block_.n * block_.cols * size, least = kMinElements * size;
    for (std::ptrdiff_t i = bytes; i < least; i += bytes < 4 ? 1 : 4) {
      std::memcpy(room_ + i, room_ + i - bytes, bytes < 4 ? 1 : 4);
    }
  }

  std::ptrdiff_t capacity_, size_;
  // The operand added last: its rows, and where its block lies if it is a copy.
  MemoryRows<char> rows_;
  const void* plan_;
  Memory memory_of_;
  Evaluate evaluate_;
  char* at_;
  char* room_;
  char memory_[64 + kBytes + (kMaxOperands + 1) * kSlack];
};

/// Adds rows of `plan`, over memory. One function for each such plan.
template <typename P>
inline void AddRows(const P& plan, P* gathered, RowGather* gather) {
  constexpr std::ptrdiff_t kSize = sizeof(ElementOfPlan<P>);
  const BlockPointer pointer = PointerOf(plan, gathered);
  if constexpr (HasMemory<P>::value) {
    gather->AddRows(&plan, MemoryInBytes<P>, nullptr, kSize, pointer);
  } else {
    gather->AddEven(RowOf(plan, 0).Pointer(0), plan.RowStride() * kSize, kSize, pointer);
  }
}

/// True if all elements of the plan P are one number.
template <typename P>
inline constexpr bool kIsScalar = kFactsOf<P>.one_row && kFactsOf<P>.operands == 0;

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

/// Computes rows of a plan of type P into a block. Defined in backend/cpu/executor.h: it is a
/// statement.
template <typename P>
void EvaluateRows(const void* plan, void* block, const RowBlock& rows);

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

/// The plan over blocks for `plan`.
template <typename P>
inline auto Gathered(const P& plan) {
  if constexpr (kGatherBytesOf<P> < detail::kEvaluated) {
    return plan;
  } else if constexpr (detail::IsMap<P>::value) {
    return plan.Replaced([](const auto& operand) { return expr::Gathered(operand); });
  } else if constexpr (detail::HasGathered<P>::value) {
    return plan.Gathered();
  } else {
    return detail::BlockPlan<ElementOfPlan<P>>{nullptr, 0, 0, 0, FastDivmod(1)};
  }
}
/// Makes row 0 of *gathered, the plan over blocks for `plan`, the rows of a block.
template <typename P, typename Q>
inline void GatherRows([[maybe_unused]] const P& plan, [[maybe_unused]] Q* gathered,
                       [[maybe_unused]] detail::RowGather* gather) {
  constexpr bool kMoves = kGatherBytesOf<P> < detail::kEvaluated;
  if constexpr (detail::MovesRows<P>()) {
    detail::AddRows<P>(plan, gathered, gather);
  } else if constexpr (detail::kIsScalar<P>) {
  } else if constexpr (kMoves || detail::IsMap<P>::value ||
                       detail::HasGathered<P>::value) {
    plan.GatherRows(gathered, gather);
  } else {
    gather->AddEvaluated(&plan, detail::EvaluateRows<P>, sizeof(ElementOfPlan<P>),
                         &gathered->block_);
  }
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_GATHER_ROWS_H_
