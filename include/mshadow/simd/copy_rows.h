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

/// Row y of `to` = the first element, of `size` bytes, of row y of `from`, as often as there is
/// room. What lies between rows is neither read nor written.
template <int size>
MSHADOW_SCALAR_KERNEL void RepeatElements(const RowsToCopy& copy) {
  RowsToCopy c = copy;
#if MSHADOW_SIMD_DISPATCH && !defined(__CUDACC__)
  using Bits = BitsOf<size>;
  if constexpr (!std::is_void_v<Bits>) {
    typedef Bits Vector __attribute__((vector_size(16)));  // no `using`: GCC drops the attribute
    // What is written after a short row is overwritten by the next.
    const bool is_long = c.bytes >= 16;
    for (; is_long ? c.rows > 0 : c.to_stride == c.bytes && c.rows * c.bytes >= 16;
         --c.rows, c.to += c.to_stride, c.from += c.from_stride) {
      Bits bits;
      std::memcpy(&bits, c.from, size);
      const Vector all = Vector{} + bits;
      for (std::ptrdiff_t i = 0; i < c.bytes - 16; i += 16) std::memcpy(c.to + i, &all, 16);
      std::memcpy(is_long ? c.to + c.bytes - 16 : c.to, &all, 16);
    }
  }
#endif
  for (; c.rows > 0; --c.rows, c.to += c.to_stride, c.from += c.from_stride) {
    for (std::ptrdiff_t i = 0; i < c.bytes; i += size) std::memcpy(c.to + i, c.from, size);
  }
}

}  // namespace simd
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_SIMD_COPY_ROWS_H_
