// SPDX-License-Identifier: Apache-2.0
// Copies of boxes of elements: repeated, mirrored, transposed, strided. By element size, for all
// statements.
#ifndef MSHADOW_BACKEND_CPU_FETCH_H_
#define MSHADOW_BACKEND_CPU_FETCH_H_

#include <cstring>
#include <utility>

#include "../../expr/operand.h"
#include "../../simd/cache.h"
#include "../../simd/copy_rows.h"
#include "../../simd/isa.h"
#include "../../simd/transpose_block.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// to(y, x) = from(y, x) where neighbours in y are neighbours in memory, of elements T. Blocks in
/// registers; the last ones overlap those before.
template <typename T>
struct TransposeKernel {
  const BoxCopy& c;
  static constexpr std::ptrdiff_t kSize = sizeof(T);
  /// Columns that are written side by side: 256 bytes of each row.
  static constexpr std::ptrdiff_t kGroup = 256 / kSize;
  static constexpr std::ptrdiff_t kLine = simd::kLineBytes / kSize;
  /// What a thread writes without waiting for memory.
  static constexpr std::ptrdiff_t kNearBytes = 1 << 20;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    const T* const from = reinterpret_cast<const T*>(c.from);
    T* const to = reinterpret_cast<T*>(c.to);
    const std::ptrdiff_t from_stride = c.from_column / kSize, to_stride = c.to_row / kSize;
    constexpr std::ptrdiff_t n = simd::kCopySide<Isa, T>;
    if constexpr (simd::kShuffles<Isa, T>) {
      if (c.rows >= n && c.cols >= n) return Blocks<Isa, n>(from, from_stride, to, to_stride);
    }
    // What no vector holds goes by lines of the source.
    const std::ptrdiff_t some = simd::kShuffles<Isa, T> ? c.rows : kLine;
    for (std::ptrdiff_t top = 0; top < c.rows; top += some) {
      const std::ptrdiff_t end = c.rows - top < some ? c.rows : top + some;
      for (std::ptrdiff_t x = 0; x < c.cols; ++x) {
        for (std::ptrdiff_t y = top; y < end; ++y) to[y * to_stride + x] = from[x * from_stride + y];
      }
    }
  }
  template <typename Isa, std::ptrdiff_t n>
  MSHADOW_FORCE_INLINE void Blocks(const T* from, std::ptrdiff_t from_stride, T* to,
                                   std::ptrdiff_t to_stride) const {
    // Whole lines are written by non-temporal stores, of rows that begin alike within a line.
    const bool lines =
        c.stream && c.to_row % simd::kLineBytes == 0 && simd::LineOffset(to) % kSize == 0;
    const bool is_large = !lines && c.rows * c.cols * kSize > kNearBytes;
    const std::ptrdiff_t begin = lines ? -simd::LineOffset(to) / kSize : 0;
    for (std::ptrdiff_t group = begin; group < c.cols; group += kGroup) {
      const std::ptrdiff_t end = group + kGroup < c.cols ? group + kGroup : c.cols;
      for (std::ptrdiff_t j = 0; j < c.rows; j += n) {
        const std::ptrdiff_t top = j + n <= c.rows ? j : c.rows - n;
        for (std::ptrdiff_t x = group; x < end;) {
          if (lines && x >= 0 && x + kLine <= c.cols && (x - group) % kLine == 0) {
            const T* const block = from + x * from_stride + top;
            for (std::ptrdiff_t i = 0; i < kLine; ++i) Prefetch(block + i * from_stride);
            simd::StreamTransposedLines<Isa>(block, from_stride, to + top * to_stride + x,
                                             to_stride);
            x += kLine;
            continue;
          }
          const std::ptrdiff_t left = x < 0 ? 0 : x + n <= c.cols ? x : c.cols - n;
          const T* const block = from + left * from_stride + top;
          T* const out = to + top * to_stride + left;
          if (is_large) {
            // What the next blocks write: of such lines, far apart, the machine itself asks for few
            // in advance. Up to twice as fast where nothing is cached, a tenth slower where all is.
            const T* next = out + n * to_stride;
            for (std::ptrdiff_t i = 0; i < n; ++i, next += to_stride) simd::Prefetch<1>(next);
          }
          for (std::ptrdiff_t i = 0; i < n; ++i) Prefetch(block + i * from_stride);
          simd::CopyTransposedBlock<Isa>(block, from_stride, out, to_stride);
          x += n;
        }
      }
    }
    if (lines) simd::StreamFence();
  }
  /// Two cache lines ahead: where rows of the source are a multiple of 4 KiB apart, this doubles
  /// the speed. It may point beyond the end of a row, which a prefetch does not mind.
  MSHADOW_FORCE_INLINE static void Prefetch(const T* from) {
    simd::Prefetch(reinterpret_cast<const char*>(from) + 128);
  }
};

/// Elements that are neighbours neither in rows nor in columns, or not in the result. Not inlined:
/// the loops are small, and there are few.
template <typename T>
MSHADOW_SCALAR_KERNEL void CopyStrided(const BoxCopy& box) {
  BoxCopy c = box;
  if (c.cols < 8 && c.rows > c.cols) {  // the longer loop inside
    std::swap(c.rows, c.cols);
    std::swap(c.to_row, c.to_column);
    std::swap(c.from_row, c.from_column);
  }
  for (std::ptrdiff_t y = 0; y < c.rows; ++y) {
    const char* from = c.from + y * c.from_row;
    char* to = c.to + y * c.to_row;
    for (std::ptrdiff_t x = 0; x < c.cols; ++x, from += c.from_column, to += c.to_column) {
      std::memcpy(to, from, sizeof(T));
    }
  }
}

#if MSHADOW_VECTOR_SHUFFLE
/// to(y, x) = from(y, -x): rows of a vector or more, reversed in registers.
template <typename T>
struct MirrorKernel {
  const BoxCopy& c;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr std::ptrdiff_t n = Isa::kVectorBytes / std::ptrdiff_t{sizeof(T)};
    const std::ptrdiff_t rows = c.rows, last = c.cols - n;  // in registers
    for (std::ptrdiff_t y = 0; y < rows; ++y) {
      T* const to = reinterpret_cast<T*>(c.to + y * c.to_row);
      const T* const from = reinterpret_cast<const T*>(c.from + y * c.from_row) - n + 1;
      for (std::ptrdiff_t x = 0; x < last; x += n) {
        Move(from - x, to + x, std::make_index_sequence<n>());
      }
      Move(from - last, to + last, std::make_index_sequence<n>());
    }
  }
  template <std::size_t... i>
  MSHADOW_FORCE_INLINE static void Move(const T* from, T* to, std::index_sequence<i...>) {
    constexpr int n = sizeof...(i);
    using Vector = typename simd::detail::ShuffleVector<sizeof(T), n>::Type;
    Vector v;
    std::memcpy(&v, from, sizeof(v));
#ifdef __clang__
    v = __builtin_shufflevector(v, v, static_cast<int>(n - 1 - i)...);
#else
    v = __builtin_shuffle(v, Vector{static_cast<T>(n - 1 - i)...});
#endif
    std::memcpy(to, &v, sizeof(v));
  }
};
#endif

}  // namespace detail

namespace expr {
namespace detail {

inline simd::RowsToCopy RowsOf(const mshadow::detail::BoxCopy& c, int size) {
  return {c.to, c.to_row, c.from, c.from_row, c.rows, c.cols * size};
}
template <int size>
void CopyRepeated(const mshadow::detail::BoxCopy& c) {
  if (c.from_column == 0) return simd::RepeatElements<size>(RowsOf(c, size));
  simd::CopyRows(RowsOf(c, size));
}
template <int size>
void CopyAny(const mshadow::detail::BoxCopy& c) {
  using Bits = std::conditional_t<size == 16, simd::Bytes16, simd::BitsOf<size>>;
  if (c.to_column == size && c.cols > 1) {
    if (c.from_column == 0 || c.from_column == size) return CopyRepeated<size>(c);
    if (c.from_row == size && c.rows > 1) {
      const mshadow::detail::TransposeKernel<Bits> kernel{c};
      const std::ptrdiff_t least = c.rows < c.cols ? c.rows : c.cols;
      if (least * size >= 64) return simd::Dispatch(kernel);
#if MSHADOW_SIMD_DISPATCH
      if (least * size >= 32 && simd::ActiveIsa() != simd::Isa::kBaseline) {
        return simd::RunOn(simd::Isa::kAvx2, kernel);
      }
#endif
      return simd::RunOn(simd::Isa::kBaseline, kernel);
    }
    if (c.from_column == -size) {
#if MSHADOW_VECTOR_SHUFFLE
      if constexpr (size <= 8) {
        if (c.cols * size >= 64) return simd::Dispatch(mshadow::detail::MirrorKernel<Bits>{c});
      }
#endif
      mshadow::detail::BoxCopy first = c;
      first.from += (c.cols - 1) * c.from_column;
      return simd::ReverseElements<size>(RowsOf(first, size));
    }
  }
  mshadow::detail::CopyStrided<Bits>(c);
}

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FETCH_H_
