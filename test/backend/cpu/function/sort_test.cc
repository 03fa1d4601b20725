// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/function/sort.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace mshadow {
namespace {

// Lengths on both sides of a run of the merge sort and of the change to the radix sort; few
// different keys, so that stability shows.
template <typename Key>
void CheckSort(int different) {
  for (int n : {0, 1, 2, 15, 16, 17, 33, 500, 511, 512, 513, 3000}) {
    for (bool ascending : {true, false}) {
      std::vector<Key> keys(n);
      uint32_t state = 12345u + n;
      for (Key& key : keys) {
        state = state * 1664525u + 1013904223u;
        key = static_cast<Key>(static_cast<int>((state >> 8) % different) - different / 2);
      }
      std::vector<int> values(n), order(n);
      std::iota(values.begin(), values.end(), 0);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return ascending ? keys[a] < keys[b] : keys[b] < keys[a];
      });
      const std::vector<Key> before = keys;
      detail::SortByKey(keys.data(), values.data(), n, ascending);
      ASSERT_EQ(values, order) << n << (ascending ? " ascending" : " descending");
      for (int i = 0; i < n; ++i) ASSERT_EQ(keys[i], before[order[i]]) << n << ", " << i;
    }
  }
}

TEST(Sort, IsStableForEveryLength) {
  CheckSort<float>(7);
  CheckSort<float>(100000);
  CheckSort<int64_t>(1 << 20);
  CheckSort<int8_t>(200);
  CheckSort<double>(300);
}

// The two sorts of large arrays agree, each where the other would be taken.
TEST(Sort, MergeAndRadixAgree) {
  using Item = detail::SortItem<uint32_t>;
  std::vector<Item> a(1000), b(1000), room_a(1000), room_b(1000);
  for (index_t i = 0; i < 1000; ++i) a[i] = b[i] = Item{i * 2654435761u >> 20, i};
  const Item* const merged = detail::MergeSort(a.data(), room_a.data(), 1000);
  const Item* const radix = detail::RadixSort(b.data(), room_b.data(), 1000, 4);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(merged[i].bits, radix[i].bits) << i;
    ASSERT_EQ(merged[i].from, radix[i].from) << i;
    ASSERT_LE(merged[i > 0 ? i - 1 : 0].bits, merged[i].bits) << i;
  }
}

}  // namespace
}  // namespace mshadow
