// SPDX-License-Identifier: Apache-2.0
// How long sums keep their digits: elements are added in blocks, and the blocks in a wider type.
//
// A running sum of n floats of one sign is off by up to n 2^-24 of its value; from 2^24 on, adding
// 1 changes nothing. A block of 512 is off by 2^-15 at worst, and by 1e-6 on random numbers.
#ifndef MSHADOW_OP_LONG_SUM_H_
#define MSHADOW_OP_LONG_SUM_H_

#include <cstddef>
#include <type_traits>

#include "../core/config.h"
#include "reducer.h"
#include "reducer_traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace red {

/// At most so many elements are added to one running sum before it is added to a total.
constexpr std::ptrdiff_t kSumBlock = 512;

/// The same for rows that named reductions add to each other. Their error is about that of so many
/// elements, added four at a time.
constexpr std::ptrdiff_t kSumRows = 32;

/// The type of totals of sums that are taken in T.
template <typename T>
using WideSum = std::conditional_t<std::is_same_v<T, float>, double, T>;
/// The same of what Reducer reduces in Acc: only sums are known to gain by it.
template <typename Reducer, typename Acc>
using WideResult = std::conditional_t<std::is_same_v<Reducer, sum>, WideSum<Acc>, Acc>;

/// total[i] += block[i] for i < n, and block[i] = 0.
template <typename T>
MSHADOW_FORCE_INLINE void FlushSums(T* block, std::ptrdiff_t n, WideSum<T>* total) {
  MSHADOW_IVDEP
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    total[i] = sum::Combine(total[i], static_cast<WideSum<T>>(block[i]));
    block[i] = T(0);
  }
}

/// combine of element(i) over i < n, on one thread, in blocks of blocks; no type wider than Acc,
/// which many GPUs compute slowly. init: what changes nothing.
#ifdef __CUDACC__
#pragma nv_exec_check_disable  // `element` may be a lambda of the host, which calls this
#endif
template <typename Acc, typename C, typename F>
MSHADOW_XINLINE Acc CombineInBlocks(std::ptrdiff_t n, const Acc& init, const C& combine,
                                    const F& element) {
  constexpr std::ptrdiff_t kBlock = 64;
  Acc total = init, blocks = init;
  for (std::ptrdiff_t i = 0; i < n;) {
    const std::ptrdiff_t end = n - i > kBlock ? i + kBlock : n;
    Acc block = init;
    for (; i < end; ++i) block = combine(block, static_cast<Acc>(element(i)));
    blocks = combine(blocks, block);
    if (i % (kBlock * kBlock) == 0 || i == n) {
      total = combine(total, blocks);
      blocks = init;
    }
  }
  return total;
}
/// The same of Reducer.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <typename Reducer, typename Acc, typename F>
MSHADOW_XINLINE Acc ReduceInBlocks(std::ptrdiff_t n, const F& element) {
  return CombineInBlocks<Acc>(
      n, InitValue<Reducer, Acc>(),
      [](Acc a, Acc b) MSHADOW_INLINE_LAMBDA { return Reducer::Combine(a, b); }, element);
}

/// A running sum every value of which is asked for: `high`, and what was added since the last
/// Carry, beside what that lost. Carry before every kCarry-th element.
template <typename T>
struct PrefixSum {
  static constexpr std::ptrdiff_t kCarry = 128;
  static constexpr bool kPair = std::is_floating_point_v<T>;
  T high, low;

  MSHADOW_XINLINE PrefixSum() : high(T(0)), low(T(0)) {}
  MSHADOW_XINLINE PrefixSum(T sum, T more) : high(sum), low(more) {}
  MSHADOW_XINLINE void Add(T element) { low = sum::Combine(low, element); }
  MSHADOW_XINLINE T Value() const {
    if constexpr (kPair) return high + low;
    return low;
  }
  /// The sum with `more` elements' sum added.
  MSHADOW_XINLINE T With(T more) const { return PrefixSum{high, sum::Combine(low, more)}.Value(); }
  MSHADOW_XINLINE void Carry() {
    if constexpr (kPair) Carry(&high, &low);
  }
  /// high + low = new high + new low exactly (D. Knuth, "The Art of Computer Programming", vol. 2,
  /// 4.2.2). Near the end of the range, `low` alone could overflow: it becomes the whole sum.
  MSHADOW_XINLINE static void Carry(T* high, T* low) {
    constexpr T kHuge = limits::Constants<T>::kMax / 4;
    const T a = *high, b = *low, s = a + b;
    const T b_part = s - a, a_part = s - b_part;
    const T rest = (a - a_part) + (b - b_part);
    const bool exact = s < kHuge && s > -kHuge;
    *high = exact ? s : T(0);
    *low = exact ? rest : s;
  }
};

}  // namespace red
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_LONG_SUM_H_
