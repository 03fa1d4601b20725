// SPDX-License-Identifier: Apache-2.0
// Reductions of many short segments: along an axis of few indices.
#ifndef MSHADOW_EXPR_SHORT_SEGMENTS_H_
#define MSHADOW_EXPR_SHORT_SEGMENTS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../core/config.h"
#include "../op/reducer_traits.h"
#include "../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// Segments of n elements, m apart: result o * m + c takes the elements (o * n + i) * m + c of an
/// array, i < n, for o < count and c < m. No loop runs along a segment, whose vectors would be
/// mostly empty.
template <typename Reducer, typename Acc>
class ShortSegments {
 public:
  /// Longer segments are faster one by one.
  static constexpr std::ptrdiff_t kMaxLength = 16;
  /// The most elements at a time.
  static constexpr std::ptrdiff_t kMaxElements = 4096 / static_cast<std::ptrdiff_t>(sizeof(Acc));

  /// How many segments of n elements, m apart, to take at a time: whole vectors of them.
  MSHADOW_XINLINE static std::ptrdiff_t MaxCount(std::ptrdiff_t n, std::ptrdiff_t m) {
    const std::ptrdiff_t most = kMaxElements / (n * m);
    return most < kLanes ? most : most / kLanes * kLanes;
  }
  /// to[r] = result r, by Reducer::Combine. `to` may be `from`; count * n * m <= kMaxElements.
  MSHADOW_FORCE_INLINE static void Reduce(const Acc* from, std::ptrdiff_t n, std::ptrdiff_t m,
                                          std::ptrdiff_t count, Acc* to) {
    if constexpr (kMaxWindow > 0) {
      if (n <= kMaxWindow) return InWindows(from, n, m, count, to);
    }
    LanePerSegment(from, n, m, count, to);
  }
  /// The same of any count: a lane is a segment.
  MSHADOW_FORCE_INLINE static void LanePerSegment(const Acc* from, std::ptrdiff_t n,
                                                  std::ptrdiff_t m, std::ptrdiff_t count,
                                                  Acc* to) {
    ForEachLane(from, n, m, count,
                [=](const Acc* segment, std::ptrdiff_t r, auto lanes) MSHADOW_INLINE_LAMBDA {
                  constexpr int kCount = decltype(lanes)::value;
                  Acc acc[kCount];
                  for (int l = 0; l < kCount; ++l) acc[l] = segment[l * n * m];
                  for (std::ptrdiff_t i = 1; i < n; ++i) {
                    MSHADOW_SIMD_LOOP
                    for (int l = 0; l < kCount; ++l) {
                      acc[l] = Reducer::Combine(acc[l], segment[(l * n + i) * m]);
                    }
                  }
                  for (int l = 0; l < kCount; ++l) to[r + l * m] = acc[l];
                });
  }

  /// to[r] = the index i at which the reduction of result r changes last: where a maximum or a
  /// minimum is first met, or the first NaN. count * n * m <= kMaxElements.
  template <typename Index>
  MSHADOW_FORCE_INLINE static void LastChange(const Acc* from, std::ptrdiff_t n, std::ptrdiff_t m,
                                              std::ptrdiff_t count, Index* to) {
    ForEachLane(from, n, m, count,
                [=](const Acc* segment, std::ptrdiff_t r, auto lanes) MSHADOW_INLINE_LAMBDA {
                  constexpr int kCount = decltype(lanes)::value;
                  Acc acc[kCount];
                  Position at[kCount];
                  for (int l = 0; l < kCount; ++l) {
                    acc[l] = red::InitValue<Reducer, Acc>();
                    at[l] = 0;
                  }
                  for (std::ptrdiff_t i = 0; i < n; ++i) {
                    const Position index = static_cast<Position>(i);
                    MSHADOW_SIMD_LOOP
                    for (int l = 0; l < kCount; ++l) {
                      const Acc next = Reducer::Combine(acc[l], segment[(l * n + i) * m]);
                      // Not a choice: where GCC has no vectors for it, it makes a branch.
                      const Position mask = static_cast<Position>(-red::Changes(acc[l], next));
                      at[l] = static_cast<Position>((at[l] & ~mask) | (index & mask));
                      acc[l] = next;
                    }
                  }
                  for (int l = 0; l < kCount; ++l) to[r + l * m] = static_cast<Index>(at[l]);
                });
  }

  /// The same as functions of their own, which all statements share: they take long to compile.
  MSHADOW_NOINLINE static void WriteReduced(const Acc* from, std::ptrdiff_t n, std::ptrdiff_t m,
                                            std::ptrdiff_t count, Acc* to) {
    simd::Dispatch(ReduceKernel{from, n, m, count, to});
  }
  template <typename Index>
  MSHADOW_NOINLINE static void WriteLastChange(const Acc* from, std::ptrdiff_t n, std::ptrdiff_t m,
                                               std::ptrdiff_t count, Index* to) {
    simd::Dispatch(LastChangeKernel<Index>{from, n, m, count, to});
  }

 private:
  struct ReduceKernel {
    const Acc* from;
    std::ptrdiff_t n, m, count;
    Acc* to;
    template <typename Isa>
    MSHADOW_FORCE_INLINE void operator()() const {
      Reduce(from, n, m, count, to);
    }
  };
  template <typename Index>
  struct LastChangeKernel {
    const Acc* from;
    std::ptrdiff_t n, m, count;
    Index* to;
    template <typename Isa>
    MSHADOW_FORCE_INLINE void operator()() const {
      LastChange(from, n, m, count, to);
    }
  };
  static constexpr int kLanes = 16;
  /// An index beside a value, as wide: both are then vectors of as many lanes.
  using Position = std::conditional_t<
      sizeof(Acc) == 8, int64_t,
      std::conditional_t<sizeof(Acc) == 4, int32_t,
                         std::conditional_t<sizeof(Acc) == 2, int16_t, int8_t>>>;
  /// Up to this length InWindows is faster: narrow elements fill a vector with more of them.
  static constexpr std::ptrdiff_t kMaxWindow = sizeof(Acc) < 4 ? 16 : sizeof(Acc) == 4 ? 7 : 0;

  /// Calls f(first element, result, lanes) for all results: lane l is that of result r + l * m.
  template <typename F>
  MSHADOW_FORCE_INLINE static void ForEachLane(const Acc* from, std::ptrdiff_t n, std::ptrdiff_t m,
                                               std::ptrdiff_t count, const F& f) {
    for (std::ptrdiff_t c = 0; c < m; ++c) {
      std::ptrdiff_t o = 0;
      for (; count - o >= kLanes; o += kLanes) {
        f(from + o * n * m + c, o * m + c, std::integral_constant<int, kLanes>());
      }
      for (; o < count; ++o) f(from + o * n * m + c, o * m + c, std::integral_constant<int, 1>());
    }
  }

  /// The windows of n elements from every element on, of which those of segments are taken. Their
  /// number is a power of two times faster than they are many: windows of 2 j, or 2 j + 1, elements
  /// are made of two of j.
  MSHADOW_FORCE_INLINE static void InWindows(const Acc* from, std::ptrdiff_t n, std::ptrdiff_t m,
                                             std::ptrdiff_t count, Acc* to) {
    Acc memory[kMaxElements];
    const Acc* window = from;
    int bit = 0;
    while (n >> (bit + 1) != 0) ++bit;
    for (std::ptrdiff_t j = 1; j < n;) {
      const bool odd = (n >> --bit & 1) != 0;
      const Acc* const half = window + j * m;
      const Acc* const last = from + 2 * j * m;
      j = 2 * j + (odd ? 1 : 0);
      const std::ptrdiff_t size = (count * n - j + 1) * m;
      if (odd) {
        MSHADOW_IVDEP
        for (std::ptrdiff_t k = 0; k < size; ++k) {
          memory[k] = Reducer::Combine(Reducer::Combine(window[k], half[k]), last[k]);
        }
      } else {
        MSHADOW_IVDEP
        for (std::ptrdiff_t k = 0; k < size; ++k) memory[k] = Reducer::Combine(window[k], half[k]);
      }
      window = memory;
    }
    if (m == 1) {
      for (std::ptrdiff_t o = 0; o < count; ++o) to[o] = window[o * n];
    } else {
      for (std::ptrdiff_t o = 0; o < count; ++o) {
        for (std::ptrdiff_t c = 0; c < m; ++c) to[o * m + c] = window[o * n * m + c];
      }
    }
  }
};

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_SHORT_SEGMENTS_H_
