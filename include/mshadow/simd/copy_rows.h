// SPDX-License-Identifier: Apache-2.0
// Copies short rows: whole ones, in as few moves as they take, and nothing between them.
#ifndef MSHADOW_SIMD_COPY_ROWS_H_
#define MSHADOW_SIMD_COPY_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace simd {

/// Rows of `bytes` in memory; strides in bytes.
struct RowsToCopy {
  char* to;
  std::ptrdiff_t to_stride;
  const char* from;
  std::ptrdiff_t from_stride, rows, bytes;
};

namespace detail {

/// Rows of `size` to 2 * size bytes: the first `size` and the last `size`, which may overlap.
template <int size>
MSHADOW_FORCE_INLINE void CopyRowsInTwo(RowsToCopy c) {
  struct Bytes {
    char byte[size];
  } first, last;
  const std::ptrdiff_t tail = c.bytes - size;
  for (std::ptrdiff_t y = 0; y < c.rows; ++y, c.to += c.to_stride, c.from += c.from_stride) {
    std::memcpy(&first, c.from, size);
    std::memcpy(&last, c.from + tail, size);
    std::memcpy(c.to, &first, size);
    std::memcpy(c.to + tail, &last, size);
  }
}
/// Rows of `size` bytes.
template <int size>
MSHADOW_FORCE_INLINE void CopyRowsInOne(RowsToCopy c) {
  struct Bytes {
    char byte[size];
  } all;
  for (std::ptrdiff_t y = 0; y < c.rows; ++y, c.to += c.to_stride, c.from += c.from_stride) {
    std::memcpy(&all, c.from, size);
    std::memcpy(c.to, &all, size);
  }
}
/// Rows of more than 32 bytes.
MSHADOW_FORCE_INLINE void CopyLongRows(RowsToCopy c) {
  struct Bytes {
    char byte[16];
  } a, b;
  const std::ptrdiff_t tail = c.bytes - 32;
  for (std::ptrdiff_t y = 0; y < c.rows; ++y, c.to += c.to_stride, c.from += c.from_stride) {
    for (std::ptrdiff_t i = 0; i < tail; i += 32) {
      std::memcpy(&a, c.from + i, 16);
      std::memcpy(&b, c.from + i + 16, 16);
      std::memcpy(c.to + i, &a, 16);
      std::memcpy(c.to + i + 16, &b, 16);
    }
    std::memcpy(&a, c.from + tail, 16);
    std::memcpy(&b, c.from + tail + 16, 16);
    std::memcpy(c.to + tail, &a, 16);
    std::memcpy(c.to + tail + 16, &b, 16);
  }
}

}  // namespace detail

/// Row y of `to` = row y of `from`. What lies between rows is neither read nor written.
MSHADOW_SCALAR_KERNEL inline void CopyRows(const RowsToCopy& c) {
  if (c.bytes == 1) return detail::CopyRowsInOne<1>(c);
  if (c.bytes == 2) return detail::CopyRowsInOne<2>(c);
  if (c.bytes == 4) return detail::CopyRowsInOne<4>(c);
  if (c.bytes == 8) return detail::CopyRowsInOne<8>(c);
  if (c.bytes == 16) return detail::CopyRowsInOne<16>(c);
  if (c.bytes < 4) return detail::CopyRowsInTwo<2>(c);
  if (c.bytes < 8) return detail::CopyRowsInTwo<4>(c);
  if (c.bytes < 16) return detail::CopyRowsInTwo<8>(c);
  if (c.bytes <= 32) return detail::CopyRowsInTwo<16>(c);
  detail::CopyLongRows(c);
}

/// An unsigned integer of `size` bytes; void: there is none.
template <int size>
using BitsOf = std::conditional_t<
    size == 1, uint8_t,
    std::conditional_t<size == 2, uint16_t,
                       std::conditional_t<size == 4, uint32_t,
                                          std::conditional_t<size == 8, uint64_t, void>>>>;

/// An element of 16 bytes.
struct Bytes16 {
  uint64_t half[2];
};

namespace detail {

template <int size>
struct RepeatKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const RowsToCopy* copy) {
    RowsToCopy c = *copy;
#if MSHADOW_SIMD_DISPATCH && !defined(__CUDACC__)
    if constexpr (!std::is_void_v<BitsOf<size>>) {
      constexpr int kVector = Isa::kIsa == simd::Isa::kBaseline ? 16 : 32;
      if (c.bytes >= kVector) return InVectors<kVector>(c);
      // What is written after a short row is overwritten by the next.
      if (c.bytes >= 16) return InVectors<16>(c);
      for (; c.to_stride == c.bytes && c.rows * c.bytes >= 16; Next(&c)) Repeat<16>(c, 0);
    }
#endif
    for (; c.rows > 0; Next(&c)) {
      for (std::ptrdiff_t i = 0; i < c.bytes; i += size) std::memcpy(c.to + i, c.from, size);
    }
  }

 private:
  MSHADOW_FORCE_INLINE static void Next(RowsToCopy* c) {
    --c->rows;
    c->to += c->to_stride;
    c->from += c->from_stride;
  }
#if MSHADOW_SIMD_DISPATCH && !defined(__CUDACC__)
  /// `tail` bytes, in vectors of `width`, and one more vector.
  template <int width>
  MSHADOW_FORCE_INLINE static void Repeat(const RowsToCopy& c, std::ptrdiff_t tail) {
    using Bits = BitsOf<size>;
    typedef Bits Vector __attribute__((vector_size(width)));  // no `using`: GCC drops the attribute
    Bits bits;
    std::memcpy(&bits, c.from, size);
    const Vector all = Vector{} + bits;
    for (std::ptrdiff_t i = 0; i < tail; i += width) std::memcpy(c.to + i, &all, width);
    std::memcpy(c.to + tail, &all, width);
  }
  template <int width>
  MSHADOW_FORCE_INLINE static void InVectors(RowsToCopy c) {
    for (; c.rows > 0; Next(&c)) Repeat<width>(c, c.bytes - width);
  }
#endif
};

}  // namespace detail

/// Row y of `to` = the first element, of `size` bytes, of row y of `from`, as often as there is
/// room. What lies between rows is neither read nor written.
template <int size>
inline void RepeatElements(const RowsToCopy& copy) {
  kShortForms<detail::RepeatKernel<size>, void (*)(const RowsToCopy*)>[static_cast<int>(
      ActiveIsa())](&copy);
}

namespace detail {

/// The elements of `size` bytes in `chunk` in reverse order.
template <int size, typename Chunk>
MSHADOW_FORCE_INLINE Chunk Reversed(Chunk chunk) {
  Chunk mask = static_cast<Chunk>(~Chunk());
  for (int half = 4 * int{sizeof(Chunk)}; half >= 8 * size; half /= 2) {
    mask = mask ^ static_cast<Chunk>(mask << half);
    chunk = static_cast<Chunk>((chunk >> half & mask) | (chunk & mask) << half);
  }
  return chunk;
}
/// Rows of sizeof(Chunk) bytes or more, from chunk to chunk; the last overlaps the one before.
template <int size, typename Chunk>
MSHADOW_FORCE_INLINE void ReverseInChunks(RowsToCopy c) {
  const std::ptrdiff_t last = c.bytes - std::ptrdiff_t{sizeof(Chunk)};
  const auto move = [](const char* from, char* to) MSHADOW_INLINE_LAMBDA {
    Chunk chunk;
    std::memcpy(&chunk, from, sizeof(chunk));
    chunk = Reversed<size>(chunk);
    std::memcpy(to, &chunk, sizeof(chunk));
  };
  const bool is_short = last <= std::ptrdiff_t{sizeof(Chunk)};
  for (; c.rows > 0; --c.rows, c.to += c.to_stride, c.from += c.from_stride) {
    if (is_short) {
      move(c.from, c.to + last);
    } else {
      for (std::ptrdiff_t i = 0; i < last; i += std::ptrdiff_t{sizeof(Chunk)}) {
        move(c.from + i, c.to + last - i);
      }
    }
    move(c.from + last, c.to);
  }
}
/// Rows of three elements.
template <int size>
MSHADOW_FORCE_INLINE void ReverseThree(RowsToCopy c) {
  struct Element {
    char byte[size];
  } element[3];
  for (; c.rows > 0; --c.rows, c.to += c.to_stride, c.from += c.from_stride) {
    std::memcpy(element, c.from, sizeof(element));
    std::memcpy(c.to, &element[2], size);
    std::memcpy(c.to + size, &element[1], size);
    std::memcpy(c.to + 2 * size, &element[0], size);
  }
}

}  // namespace detail

/// Row y of `to` = row y of `from`, its elements of `size` bytes in reverse order.
template <int size>
MSHADOW_SCALAR_KERNEL void ReverseElements(const RowsToCopy& copy) {
  if (copy.bytes == 3 * size) return detail::ReverseThree<size>(copy);
  if constexpr (size == 1 || size == 2 || size == 4) {
    if (copy.bytes >= 8) return detail::ReverseInChunks<size, uint64_t>(copy);
    if (copy.bytes >= 4) return detail::ReverseInChunks<size, uint32_t>(copy);
  }
  RowsToCopy c = copy;
  for (; c.rows > 0; --c.rows, c.to += c.to_stride, c.from += c.from_stride) {
    for (std::ptrdiff_t i = 0; i < c.bytes; i += size) {
      std::memcpy(c.to + i, c.from + (c.bytes - size - i), size);
    }
  }
}

}  // namespace simd
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_SIMD_COPY_ROWS_H_
