// SPDX-License-Identifier: Apache-2.0
// CopyTransposedBlock: a small square of elements transposed in registers.
#ifndef MSHADOW_SIMD_TRANSPOSE_BLOCK_H_
#define MSHADOW_SIMD_TRANSPOSE_BLOCK_H_

#include <cstring>
#include <type_traits>
#include <utility>

#include "cache.h"
#include "copy_rows.h"
#include "isa.h"

/// 1: the compiler has vectors of any length and shuffles of them.
#ifndef MSHADOW_VECTOR_SHUFFLE
#if !MSHADOW_PLAIN_CXX && !defined(__CUDACC__)
#define MSHADOW_VECTOR_SHUFFLE 1
#else
#define MSHADOW_VECTOR_SHUFFLE 0
#endif
#endif

MSHADOW_NAMESPACE_BEGIN
namespace simd {

namespace detail {

#if MSHADOW_VECTOR_SHUFFLE
/// n unsigned integers of `size` bytes each.
template <int size, int n>
struct ShuffleVector {
  typedef BitsOf<size> Type __attribute__((vector_size(size * n)));
};

/// low = a0 b0 a1 b1 .., high = the same of the upper halves.
template <int size, int n, std::size_t... k>
MSHADOW_FORCE_INLINE void Interleave(typename ShuffleVector<size, n>::Type& low,
                                     typename ShuffleVector<size, n>::Type& high,
                                     const typename ShuffleVector<size, n>::Type& a,
                                     const typename ShuffleVector<size, n>::Type& b,
                                     std::index_sequence<k...>) {
#ifdef __clang__
  low = __builtin_shufflevector(a, b, static_cast<int>(k / 2 + k % 2 * n)...);
  high = __builtin_shufflevector(a, b, static_cast<int>(n / 2 + k / 2 + k % 2 * n)...);
#else
  using Mask = typename ShuffleVector<size, n>::Type;
  low = __builtin_shuffle(a, b, Mask{(k / 2 + k % 2 * n)...});
  high = __builtin_shuffle(a, b, Mask{(n / 2 + k / 2 + k % 2 * n)...});
#endif
}

/// `rounds` times: rows 2 i and 2 i + 1 become rows i and i + n / 2, interleaved. After log2(n)
/// rounds the block is transposed.
template <int rounds, int size, int n, std::size_t... i>
MSHADOW_FORCE_INLINE void InterleaveRows(typename ShuffleVector<size, n>::Type (&rows)[n],
                                         std::index_sequence<i...> pairs) {
  if constexpr (rounds > 0) {
    typename ShuffleVector<size, n>::Type next[n];
    (Interleave<size, n>(next[2 * i], next[2 * i + 1], rows[i], rows[i + n / 2],
                         std::make_index_sequence<n>()),
     ...);
    InterleaveRows<rounds - 1, size, n>(next, pairs);
    ((rows[2 * i] = next[2 * i], rows[2 * i + 1] = next[2 * i + 1]), ...);
  }
}
#endif

/// rows[i] = from[i * stride ...], and to[i * stride ...] = rows[i], without a loop: `rows` are
/// registers.
template <typename T, typename Row, std::size_t... i>
MSHADOW_FORCE_INLINE void LoadRows(Row* rows, const T* from, std::ptrdiff_t stride,
                                   std::index_sequence<i...>) {
  (std::memcpy(&rows[i], from + static_cast<std::ptrdiff_t>(i) * stride, sizeof(Row)), ...);
}
template <typename T, typename Row, std::size_t... i>
MSHADOW_FORCE_INLINE void StoreRows(const Row* rows, T* to, std::ptrdiff_t stride,
                                    std::index_sequence<i...>) {
  (std::memcpy(to + static_cast<std::ptrdiff_t>(i) * stride, &rows[i], sizeof(Row)), ...);
}

constexpr int Log2(int n) { return n > 1 ? 1 + Log2(n / 2) : 0; }

}  // namespace detail

/// Do vectors of the instruction set serve?
template <typename Isa, typename T>
inline constexpr bool kShuffles = MSHADOW_VECTOR_SHUFFLE && std::is_trivially_copyable_v<T> &&
                                  !std::is_void_v<BitsOf<sizeof(T)>>;

/// The side of a block whose rows are vectors, of 16 elements at most.
template <typename Isa, typename T>
inline constexpr int kBlockSide =
    kShuffles<Isa, T> && Isa::kVectorBytes < 16 * static_cast<int>(sizeof(T))
        ? Isa::kVectorBytes / static_cast<int>(sizeof(T))
        : 16;
/// The side of the block that CopyTransposedBlock does: vectors of 16 bytes interleave small
/// elements soonest.
template <typename Isa, typename T>
inline constexpr int kCopySide =
    sizeof(T) < 4 ? 16 / static_cast<int>(sizeof(T)) : kBlockSide<Isa, T>;

/// to[j * to_stride + i] = from[i * from_stride + j] for i, j < kCopySide; where kShuffles.
template <typename Isa, typename T>
MSHADOW_FORCE_INLINE void CopyTransposedBlock([[maybe_unused]] const T* from,
                                              [[maybe_unused]] std::ptrdiff_t from_stride,
                                              [[maybe_unused]] T* to,
                                              [[maybe_unused]] std::ptrdiff_t to_stride) {
#if MSHADOW_VECTOR_SHUFFLE
  constexpr int kSize = static_cast<int>(sizeof(T)), n = kCopySide<Isa, T>;
  typename detail::ShuffleVector<kSize, n>::Type rows[n];
  detail::LoadRows(rows, from, from_stride, std::make_index_sequence<n>());
  detail::InterleaveRows<detail::Log2(n), kSize, n>(rows, std::make_index_sequence<n / 2>());
  detail::StoreRows(rows, to, to_stride, std::make_index_sequence<n>());
#endif
}

/// The same for i < kLineBytes / sizeof(T), j < kCopySide, by non-temporal stores; to + j *
/// to_stride begin lines. Each is written at once: a core combines the stores to a few lines only,
/// and its other hardware thread may take most of them.
template <typename Isa, typename T>
MSHADOW_FORCE_INLINE void StreamTransposedLines(const T* from, std::ptrdiff_t from_stride, T* to,
                                                std::ptrdiff_t to_stride) {
  constexpr int kLine = static_cast<int>(kLineBytes / sizeof(T)), n = kCopySide<Isa, T>;
  alignas(kLineBytes) T lines[n][kLine];
  for (int i = 0; i < kLine; i += n) {
    CopyTransposedBlock<Isa>(from + i * from_stride, from_stride, &lines[0][i], kLine);
  }
  for (int j = 0; j < n; ++j) {
    StreamLine<Isa>(reinterpret_cast<const char*>(lines[j]),
                    reinterpret_cast<char*>(to + j * to_stride));
  }
}

}  // namespace simd
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_SIMD_TRANSPOSE_BLOCK_H_
