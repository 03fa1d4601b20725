// SPDX-License-Identifier: Apache-2.0
// Sums of rows that an index names: those of rows named often, beside the destination.
#ifndef MSHADOW_EXTENSION_ROW_SUMS_H_
#define MSHADOW_EXTENSION_ROW_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../core/config.h"
#include "../core/dtype.h"
#include "../op/long_sum.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// A row that is named no oftener is added up in DType where it lies: 16-bit floats, which keep 8
/// or 11 bits, lose digits at once.
template <typename DType>
constexpr std::ptrdiff_t kMaxInRow = float16::kIsFloat16<DType> ? 8 : 4 * red::kSumBlock;

/// Which of `rows` rows are named more than `most` times, and which slot each of them has.
/// for_each(f) calls f(row) for each name, the same ones at each call, negative ones for none.
class NamedRows {
 public:
  NamedRows(const NamedRows&) = delete;
  NamedRows& operator=(const NamedRows&) = delete;
  template <typename F>
  NamedRows(std::ptrdiff_t rows, std::ptrdiff_t most, const F& for_each) {
    // Usually no row is named often. A table that fits the first-level cache shows it.
    constexpr std::size_t kTable = 2048;
    uint32_t table[kTable] = {};
    const uint32_t limit = static_cast<uint32_t>(most);
    uint32_t largest = 0;
    for_each([&](std::ptrdiff_t r) {
      if (r < 0) return;
      const uint32_t named = ++table[static_cast<std::size_t>(r) % kTable];
      largest = named > largest ? named : largest;
    });
    if (largest <= limit) return;
    memory_.assign(static_cast<std::size_t>(rows), 0);
    uint32_t* const slots = memory_.data();
    for_each([&](std::ptrdiff_t r) {
      if (r < 0 || slots[r] > limit) return;
      if (++slots[r] > limit) {
        rows_.push_back(r);
        slots[r] = limit + static_cast<uint32_t>(rows_.size());
      }
    });
    limit_ = limit;
    slots_ = slots;
  }
  /// The rows, one for each slot.
  MSHADOW_FORCE_INLINE const std::vector<std::ptrdiff_t>& rows() const { return rows_; }
  /// 1 + the slot of row r; 0: it has none.
  MSHADOW_FORCE_INLINE uint32_t SlotOf(std::ptrdiff_t r) const {
    return slots_[r] > limit_ ? slots_[r] - limit_ : 0;
  }

 private:
  const uint32_t* slots_ = nullptr;  // how often a row is named, or limit_ + 1 + its slot
  uint32_t limit_ = 0;
  std::vector<uint32_t> memory_;
  std::vector<std::ptrdiff_t> rows_;
};

/// The sums of `cols` columns of these rows, in blocks.
template <typename Acc>
class RowSums {
 public:
  using Wide = red::WideSum<Acc>;
  /// rows: null where none is named often.
  RowSums(const NamedRows* rows, std::ptrdiff_t cols)
      : RowSums(rows, cols, rows == nullptr ? 0 : rows->rows().size()) {
    if (count_memory_.empty()) return;
    const std::size_t size = count_memory_.size() * static_cast<std::size_t>(cols);
    sums_ = new Acc[size]();
    totals_ = new Wide[size]();
    counts_ = count_memory_.data();
  }
  ~RowSums() {
    delete[] sums_;
    delete[] totals_;
  }
  RowSums(const RowSums&) = delete;
  RowSums& operator=(const RowSums&) = delete;
  /// Where an element is to be added to each column of row r; null: to the row itself.
  MSHADOW_FORCE_INLINE Acc* Next(std::ptrdiff_t r) {
    if (counts_ == nullptr) return nullptr;
    const uint32_t slot = rows_->SlotOf(r);
    if (slot == 0) return nullptr;
    Acc* const sums = sums_ + static_cast<std::ptrdiff_t>(slot - 1) * cols_;
    if (++counts_[slot - 1] == red::kSumBlock) Flush(slot - 1);
    return sums;
  }
  /// Calls f(row, total of each column) for all rows that have a slot.
  template <typename F>
  MSHADOW_FORCE_INLINE void ForEach(const F& f) {
    for (std::size_t slot = 0; slot < count_memory_.size(); ++slot) {
      Flush(slot);
      f(rows_->rows()[slot], totals_ + static_cast<std::ptrdiff_t>(slot) * cols_);
    }
  }

 private:
  // The destructor runs if the constructor that calls this one throws.
  RowSums(const NamedRows* rows, std::ptrdiff_t cols, std::size_t slots)
      : rows_(rows), cols_(cols), count_memory_(slots) {}
  MSHADOW_FORCE_INLINE void Flush(std::size_t slot) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(slot) * cols_;
    red::FlushSums(sums_ + at, cols_, totals_ + at);
    counts_[slot] = 0;
  }
  const NamedRows* rows_;
  std::ptrdiff_t cols_;
  // Through pointers: in a kernel, what does not belong to it may be a call.
  int32_t* counts_ = nullptr;
  // Not vectors: that of bool has no array. Nor std::unique_ptr: <memory> takes a compiler longer
  // than a tenth of this library.
  Acc* sums_ = nullptr;
  Wide* totals_ = nullptr;
  std::vector<int32_t> count_memory_;
};

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_ROW_SUMS_H_
