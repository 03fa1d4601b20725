// SPDX-License-Identifier: Apache-2.0
// Sorting of keys, alone or with the places they come from, and the keys of given ranks.
#ifndef MSHADOW_ORDER_RADIX_H_
#define MSHADOW_ORDER_RADIX_H_

#include <algorithm>

#include "../backend/cpu/function/sort.h"
#include "../simd/cache.h"
#include "key.h"
#include "lanes.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

inline uint16_t KeyOf(uint16_t key) { return key; }
inline uint32_t KeyOf(uint32_t key) { return key; }
inline uint64_t KeyOf(uint64_t key) { return key; }
template <typename Bits>
inline Bits KeyOf(const SortItem<Bits>& item) {
  return item.bits;
}

/// The order of items: by key, equal ones by the place that they come from.
struct ItemBefore {
  template <typename Bits>
  bool operator()(const SortItem<Bits>& a, const SortItem<Bits>& b) const {
    return a.bits != b.bits ? a.bits < b.bits : a.from < b.from;
  }
  template <typename Bits>
  bool operator()(Bits a, Bits b) const {
    return a < b;
  }
};

/// ranks[i] = the number of keys that come before keys[i], equal ones in order; both have room for
/// a multiple of 16. n^2 comparisons in vectors take a fifth of the time of std::sort's n log n,
/// half of whose branches are mispredicted.
template <typename Bits>
struct RankKernel {
  static constexpr int kMost = 64;
  const Bits* keys;
  Bits* ranks;
  int n;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr int kChunk = 16;
    for (int first = 0; first < n; first += kChunk) {
      Bits rank[kChunk] = {};
      const Bits* const chunk = keys + first;
      for (int j = 0; j < n; ++j) {
        const Bits key = keys[j], place = static_cast<Bits>(j - first);
        MSHADOW_SIMD_LOOP
        for (int i = 0; i < kChunk; ++i) {
          // Before i: a smaller key, or an equal one from a smaller place. (place wraps below 0,
          // and then is no smaller than i: j < first counts as before by the second term.)
          const Bits is_less = key < chunk[i] ? 1 : 0;
          const Bits is_equal = key == chunk[i] ? 1 : 0;
          const Bits is_before = j < first || place < static_cast<Bits>(i) ? 1 : 0;
          rank[i] = static_cast<Bits>(rank[i] + (is_less | (is_equal & is_before)));
        }
      }
      for (int i = 0; i < kChunk; ++i) ranks[first + i] = rank[i];
    }
  }
};

/// Sorts n items, fewer than RankKernel's kMost, stable, from `items` to `to`.
template <typename Item>
inline void SortByRank(const Item* items, Item* to, std::ptrdiff_t n) {
  using Bits = decltype(KeyOf(items[0]));
  constexpr std::ptrdiff_t kMost = RankKernel<Bits>::kMost;
  Bits keys[kMost] = {}, ranks[kMost];
  for (std::ptrdiff_t i = 0; i < n; ++i) keys[i] = KeyOf(items[i]);
  simd::Dispatch(RankKernel<Bits>{keys, ranks, static_cast<int>(n)});
  for (std::ptrdiff_t i = 0; i < n; ++i) to[ranks[i]] = items[i];
}

/// Above this many items, those in order and those not yet leave the L2 cache, and a pass of
/// SortByDigits takes four times as long.
constexpr std::ptrdiff_t kInCache = 1 << 14;

/// Sorts n items, kInCache at most, by the lowest `width` bits of their keys, stable; `other` has
/// room for as many. Returns where the result is. Digits that are the same in all keys take no
/// pass. D. Knuth, "The Art of Computer Programming", vol. 3, 5.2.5.
template <typename Item>
inline Item* SortByDigits(Item* items, Item* other, std::ptrdiff_t n, int width) {
  constexpr std::size_t kBuckets = 1024;
  // Few items are read faster once more than many counters.
  const int most = n < 2048 ? 8 : 10, passes = (width + most - 1) / most;
  const int digit = passes == 0 ? 0 : (width + passes - 1) / passes;
  const std::size_t mask = (std::size_t{1} << digit) - 1;
  uint32_t places[2]
                 [kBuckets];  // of two passes: counted at once, they wait less for their counters
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = pass * digit;
    uint32_t* const place = places[pass % 2];
    if (pass % 2 == 0) {
      uint32_t* const next = places[1];
      std::fill(place, place + mask + 1, uint32_t{0});
      std::fill(next, next + mask + 1, uint32_t{0});
      const int next_shift = pass + 1 < passes ? shift + digit : shift;
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const auto key = KeyOf(items[i]);
        ++place[(key >> shift) & mask];
        ++next[(key >> next_shift) & mask];
      }
    }
    if (place[(KeyOf(items[0]) >> shift) & mask] == static_cast<uint32_t>(n)) continue;
    uint32_t sum = 0;
    for (std::size_t b = 0; b <= mask; ++b) {
      const uint32_t count = place[b];
      place[b] = sum;
      sum += count;
    }
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const Item item = items[i];
      other[place[(KeyOf(item) >> shift) & mask]++] = item;
    }
    std::swap(items, other);
  }
  return items;
}

inline namespace MSHADOW_THREADS_NAMESPACE {

/// Sorts n items by the lowest `width` bits of their keys, stable, into `to`, which is `items` or
/// `other`, a place for as many. Many items are first put into buckets by their highest bits, on
/// all threads; a bucket then is sorted within the cache, on one.
template <typename Item>
inline void SortItemsTo(Item* to, Item* items, Item* other, std::ptrdiff_t n, int width) {
  if (n <= kInCache) {
    Item* sorted = items;
    if (n < RankKernel<decltype(KeyOf(items[0]))>::kMost) {
      SortByRank(items, other, n);
      sorted = other;
    } else {
      sorted = SortByDigits(items, other, n, width);
    }
    if (sorted != to) std::copy(sorted, sorted + n, to);
    return;
  }
  // Leading bits that all keys have in common.
  const uint64_t first_key = KeyOf(items[0]);
  uint64_t varying = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) varying |= KeyOf(items[i]) ^ first_key;
  if (width < 64) varying &= (uint64_t{1} << width) - 1;
  width = 0;
  while (width < 64 && varying >> width != 0) ++width;
  if (width == 0) {
    if (items != to) std::copy(items, items + n, to);
    return;
  }
  // Leading digits are counted, and neighbouring ones joined to buckets of similar size: numbers
  // share their highest bits. The ends of so many buckets stay in the L1 cache.
  constexpr std::ptrdiff_t kBuckets = 512;
  int digit = 12;
  while (digit < 16 && (std::ptrdiff_t{1} << digit) < n / 16) ++digit;
  digit = width < digit ? width : digit;
  const int shift = width - digit, threads = ThreadsFor(n, kInCache);
  const std::ptrdiff_t digits = std::ptrdiff_t{1} << digit;
  const std::size_t mask = static_cast<std::size_t>(digits) - 1;
  const auto digit_of = [shift, mask](const Item& item) {
    return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(KeyOf(item) >> shift) & mask);
  };
  const auto first_of = [n, threads](std::ptrdiff_t t) {
    return n / threads * t + n % threads * t / threads;
  };
  const Scratch<index_t> counters(digits * threads);
  index_t* const counts = counters.data();  // (threads, digits)
  ParallelFor(threads, threads, [&](std::ptrdiff_t t) {
    index_t* const count = counts + t * digits;
    std::fill(count, count + digits, index_t(0));
    const std::ptrdiff_t end = first_of(t + 1);
    for (std::ptrdiff_t i = first_of(t); i < end; ++i) ++count[digit_of(items[i])];
  });
  // Two neighbouring buckets have more than `least` items, enough for SortByDigits to be fast.
  const std::ptrdiff_t least = (std::max)(n / (kBuckets / 2) + 1, std::ptrdiff_t{2048});
  const Scratch<uint16_t> map(digits);
  uint16_t* const bucket_of = map.data();
  std::ptrdiff_t ends[kBuckets + 1], buckets = 0, sum = 0, begin = 0, first_digit = 0;
  int widths[kBuckets + 1];
  const auto close = [&](std::ptrdiff_t end_digit) {
    ends[buckets] = sum;
    widths[buckets] = shift;
    for (std::ptrdiff_t x = first_digit ^ (end_digit - 1); x != 0; x >>= 1) ++widths[buckets];
    ++buckets;
    begin = sum;
    first_digit = end_digit;
  };
  for (std::ptrdiff_t d = 0; d < digits; ++d) {
    std::ptrdiff_t count = 0;
    for (std::ptrdiff_t t = 0; t < threads; ++t) {
      count += static_cast<std::ptrdiff_t>(counts[t * digits + d]);
    }
    if (sum > begin && sum - begin + count > least) close(d);
    bucket_of[d] = static_cast<uint16_t>(buckets);
    sum += count;
  }
  close(digits);
  const Scratch<std::ptrdiff_t> memory(buckets * threads);
  std::ptrdiff_t* const places = memory.data();  // (threads, buckets)
  std::fill(places, places + buckets * threads, std::ptrdiff_t{0});
  for (std::ptrdiff_t t = 0; t < threads; ++t) {
    for (std::ptrdiff_t d = 0; d < digits; ++d) {
      places[t * buckets + bucket_of[d]] += static_cast<std::ptrdiff_t>(counts[t * digits + d]);
    }
  }
  sum = 0;
  for (std::ptrdiff_t b = 0; b < buckets; ++b) {
    for (std::ptrdiff_t t = 0; t < threads; ++t) {
      const std::ptrdiff_t count = places[t * buckets + b];
      places[t * buckets + b] = sum;
      sum += count;
    }
  }
  ParallelFor(threads, threads, [&](std::ptrdiff_t t) {
    std::ptrdiff_t* const place = places + t * buckets;
    const std::ptrdiff_t end = first_of(t + 1);
    for (std::ptrdiff_t i = first_of(t); i < end; ++i) {
      const Item item = items[i];
      Item* const at = other + place[bucket_of[digit_of(item)]]++;
      *at = item;
      // The bucket's next line: stores retire in order, so that all wait for one that misses.
      simd::Prefetch<1>(reinterpret_cast<const char*>(at) + simd::kLineBytes);
    }
  });
  ParallelFor(threads, threads, [&](std::ptrdiff_t t) {
    // The buckets that begin in the part of this thread.
    const std::ptrdiff_t first = first_of(t), last = first_of(t + 1);
    std::ptrdiff_t from = 0;
    for (std::ptrdiff_t b = 0; b < buckets; from = ends[b++]) {
      if (from < first || from >= last || from == ends[b]) continue;
      SortItemsTo(to + from, other + from, items + from, ends[b] - from, widths[b]);
    }
  });
}

/// Sorts n items whose keys have `width` bits; `other` has room for as many. Returns where they
/// are: where the passes of most buckets end, so that few are copied.
template <typename Item>
inline Item* SortItems(Item* items, Item* other, std::ptrdiff_t n, int width) {
  Item* const to = n > kInCache && width == 32 ? other : items;
  SortItemsTo(to, items, other, n, width);
  return to;
}

}  // namespace MSHADOW_THREADS_NAMESPACE

/// Brings keys[k] and, where there is one, the key after it in sorted order to at[0] and at[1].
/// Overwrites `keys` and `other`, which has room for as many.
template <typename Bits>
inline void KeysOfRank(Bits* keys, Bits* other, std::ptrdiff_t n, std::ptrdiff_t k, Bits* at) {
  Bits* part = keys;
  std::ptrdiff_t count = n, rank = k;
  constexpr std::ptrdiff_t kSamples = 2048, kMargin = 128;
  while (count >= 16 * kSamples) {
    // Keys between two of a sorted sample are few and almost always hold the rank: its place in
    // the sample has a deviation of 23 at most.
    // R. Floyd, R. Rivest, "Expected time bounds for selection", CACM 18 (1975).
    Bits sample[kSamples];
    for (std::ptrdiff_t i = 0; i < kSamples; ++i) {
      sample[i] = part[count / kSamples * i + i * 40503 % (count / kSamples)];
    }
    std::sort(sample, sample + kSamples);
    const auto place = static_cast<std::ptrdiff_t>(
        static_cast<double>(rank) / static_cast<double>(count) * static_cast<double>(kSamples));
    const Bits low = place > kMargin ? sample[place - kMargin] : Bits(0);
    const Bits high =
        place + kMargin < kSamples ? sample[place + kMargin] : static_cast<Bits>(~Bits(0));
    const Bits width = static_cast<Bits>(high - low);
    const std::ptrdiff_t below = KeysBelow(part, count, low);
    std::ptrdiff_t inside = 0;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const Bits key = part[i];
      other[inside] = key;
      inside += static_cast<Bits>(key - low) <= width ? 1 : 0;
    }
    const std::ptrdiff_t last = rank + 1 < count ? rank + 1 : rank;
    if (below > rank || last >= below + inside || inside > count / 2) break;
    std::swap(part, other);
    count = inside;
    rank -= below;
  }
  std::nth_element(part, part + rank, part + count);
  at[0] = part[rank];
  at[1] = rank + 1 < count ? *std::min_element(part + rank + 1, part + count) : at[0];
}

}  // namespace detail::order
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_RADIX_H_
