// SPDX-License-Identifier: Apache-2.0
// A stable sort of keys with values: by insertion, by merging, or by radix, as they become many.
//
// Keys become unsigned integers of the same order. The radix sort skips a byte that is the same in
// all of them (D. Knuth, "The Art of Computer Programming", vol. 3, 5.2.4 and 5.2.5). A million
// floats take a third of the time of std::stable_sort, which would need <algorithm>.
#ifndef MSHADOW_BACKEND_CPU_FUNCTION_SORT_H_
#define MSHADOW_BACKEND_CPU_FUNCTION_SORT_H_

#include <cstddef>
#include <type_traits>

#include "../../../core/ordered_bits.h"
#include "../../../tensor/memory.h"
#include "../device.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// A key and where it comes from.
template <typename Bits>
struct SortItem {
  Bits bits;
  index_t from;
};

template <typename Bits>
inline void InsertionSort(SortItem<Bits>* items, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 1; i < n; ++i) {
    const SortItem<Bits> item = items[i];
    std::ptrdiff_t j = i;
    for (; j > 0 && items[j - 1].bits > item.bits; --j) items[j] = items[j - 1];
    items[j] = item;
  }
}

/// Sorts items by their bits; `other` has room for as many. Returns where the result is.
template <typename Bits>
inline SortItem<Bits>* MergeSort(SortItem<Bits>* items, SortItem<Bits>* other, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t kRun = 16;
  for (std::ptrdiff_t i = 0; i < n; i += kRun) {
    InsertionSort(items + i, kRun < n - i ? kRun : n - i);
  }
  for (std::ptrdiff_t run = kRun; run < n; run *= 2) {
    for (std::ptrdiff_t begin = 0; begin < n; begin += 2 * run) {
      std::ptrdiff_t a = begin;
      const std::ptrdiff_t a_end = begin + run < n ? begin + run : n;
      std::ptrdiff_t b = a_end;
      const std::ptrdiff_t b_end = begin + 2 * run < n ? begin + 2 * run : n;
      for (std::ptrdiff_t i = begin; i < b_end; ++i) {
        const bool from_b = a == a_end || (b < b_end && items[b].bits < items[a].bits);
        other[i] = items[from_b ? b : a];
        a += !from_b;
        b += from_b;
      }
    }
    SortItem<Bits>* const sorted = other;
    other = items;
    items = sorted;
  }
  return items;
}

/// Sorts items by their bits; `other` has room for as many. Returns where the result is.
template <typename Bits>
inline SortItem<Bits>* RadixSort(SortItem<Bits>* items, SortItem<Bits>* other, std::ptrdiff_t n,
                                 int bytes) {
  for (int byte = 0; byte < bytes; ++byte) {
    const int shift = 8 * byte;
    std::ptrdiff_t position[256] = {};
    for (std::ptrdiff_t i = 0; i < n; ++i) ++position[(items[i].bits >> shift) & 255];
    if (position[(items[0].bits >> shift) & 255] == n) continue;
    std::ptrdiff_t sum = 0;
    for (std::ptrdiff_t& p : position) {
      const std::ptrdiff_t count = p;
      p = sum;
      sum += count;
    }
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      other[position[(items[i].bits >> shift) & 255]++] = items[i];
    }
    SortItem<Bits>* const sorted = other;
    other = items;
    items = sorted;
  }
  return items;
}

/// data[i] = data[items[i].from], through `buffer`.
template <typename T, typename Item>
inline void Permute(T* data, const Item* items, T* buffer, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) buffer[i] = data[items[i].from];
  for (std::ptrdiff_t i = 0; i < n; ++i) data[i] = buffer[i];
}

/// Sorts keys, and values along with them; without memory it throws, and nothing has changed.
template <typename Key, typename Value>
inline void SortByKey(Key* keys, Value* values, std::ptrdiff_t n, bool ascending) {
  static_assert(std::is_trivially_copyable_v<Value>,
                "mshadow: SortByKey copies values as bytes: they are trivially copyable");
  constexpr std::ptrdiff_t kMany = 512;
  using Item = SortItem<SortBits<sizeof(Key)>>;
  const index_t count = static_cast<index_t>(n);
  Temporary<cpu, 1, Item> items(Shape1(count), nullptr), other_items(Shape1(count), nullptr);
  Temporary<cpu, 1, Key> key_buffer(Shape1(count), nullptr);
  Temporary<cpu, 1, Value> value_buffer(Shape1(count), nullptr);
  Item *const first = items.tensor().dptr_, *const other = other_items.tensor().dptr_;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    first[i] = Item{OrderedBits(keys[i], ascending), static_cast<index_t>(i)};
  }
  const Item* const sorted = n < kMany ? MergeSort(first, other, n)
                                       : RadixSort(first, other, n, static_cast<int>(sizeof(Key)));
  Permute(keys, sorted, key_buffer.tensor().dptr_, n);
  Permute(values, sorted, value_buffer.tensor().dptr_, n);
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FUNCTION_SORT_H_
