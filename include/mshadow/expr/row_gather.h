// SPDX-License-Identifier: Apache-2.0
// RowGather: makes rows of memory one, a block of rows at a time.
#ifndef MSHADOW_EXPR_ROW_GATHER_H_
#define MSHADOW_EXPR_ROW_GATHER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../simd/copy_rows.h"
#include "blocks.h"
#include "facts.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// Columns [x, x + cols) of the rows [y, y + n) of a grid, each of which is `join` rows of plans.
struct RowBlock {
  std::ptrdiff_t x, cols, join, y, n;
  /// The rows of the grid, where the block lies at `at`.
  template <typename DType>
  BlockPlan<DType> At(void* at) const {
    return BlockPlan<DType>{static_cast<DType*>(at), cols, y * join, x, FastDivmod(join)};
  }
};

/// A pointer into memory, of a plan over blocks, and how far from row 0 of that plan it points.
struct BlockPointer {
  void* pointer;
  std::uintptr_t offset;
  void Set(const void* row_zero) const {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(row_zero) + offset;
    std::memcpy(pointer, &address, sizeof(address));
  }
};

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
  using Copy = void (*)(const simd::RowsToCopy& rows);
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
    move_ = simd::CopyRows;
    if (IsContiguous(bytes)) {
      at = rows_.begin;
    } else if (Copies()) {
      simd::CopyRows({room_, bytes, rows_.begin, rows_.stride, block_.n, bytes});
      Extend(size);
    }
    Place(at, size, pointer);
  }
  /// Rows of `plan`, whose column 0 lies where `memory` says. Not plain ones are moved by `copy`:
  /// column_bytes is 0 where they are one element each, and negative where they are mirrored.
  MSHADOW_NOINLINE void AddRows(const void* plan, Memory memory, std::ptrdiff_t size,
                                BlockPointer pointer, Copy copy, std::ptrdiff_t column_bytes) {
    const std::ptrdiff_t bytes = block_.cols * size;
    const void* at = room_;
    plan_ = plan;
    memory_of_ = memory;
    evaluate_ = nullptr;
    move_ = copy;
    first_bytes_ = (column_bytes < 0 ? block_.x + block_.cols - 1 : block_.x) * column_bytes;
    std::ptrdiff_t n = RowsFrom(0);
    if (copy == simd::CopyRows && IsContiguous(bytes)) {
      at = rows_.begin;
    } else if (Copies()) {
      for (std::ptrdiff_t y = 0; true; n = RowsFrom(y)) {
        copy({room_ + y * bytes, bytes, rows_.begin, rows_.stride, n, bytes});
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
        n = RowsFrom(y);
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
    move_({const_cast<char*>(rows_.begin), rows_.stride, from, bytes, n, bytes});
  }
  /// Makes rows_ the rows of plan_ from row `y` of the block on, and returns how many lie evenly.
  std::ptrdiff_t RowsFrom(std::ptrdiff_t y) {
    rows_ = memory_of_(plan_, (block_.y + y) * block_.join);
    rows_.begin += first_bytes_;
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
  Copy move_;
  std::ptrdiff_t first_bytes_;  // from column 0 to what is lowest in memory
  char* at_;
  char* room_;
  char memory_[64 + kBytes + (kMaxOperands + 1) * kSlack];
};

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_ROW_GATHER_H_
