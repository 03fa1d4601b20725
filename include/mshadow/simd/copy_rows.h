// SPDX-License-Identifier: Apache-2.0
// Copies short rows: whole ones, in as few moves as they take, and nothing between them.
#ifndef MSHADOW_SIMD_COPY_ROWS_H_
#define MSHADOW_SIMD_COPY_ROWS_H_

#include <cstddef>
#include <cstring>

#include "isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace simd {
namespace detail {

/// Rows in memory; strides in bytes.
struct RowsToCopy {
  char* to;
  std::ptrdiff_t to_stride;
  const char* from;
  std::ptrdiff_t from_stride, rows, bytes;
};

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

MSHADOW_SCALAR_KERNEL inline void CopyRows(const RowsToCopy& c) {
  if (c.bytes == 1) return CopyRowsInOne<1>(c);
  if (c.bytes == 2) return CopyRowsInOne<2>(c);
  if (c.bytes == 4) return CopyRowsInOne<4>(c);
  if (c.bytes == 8) return CopyRowsInOne<8>(c);
  if (c.bytes == 16) return CopyRowsInOne<16>(c);
  if (c.bytes < 4) return CopyRowsInTwo<2>(c);
  if (c.bytes < 8) return CopyRowsInTwo<4>(c);
  if (c.bytes < 16) return CopyRowsInTwo<8>(c);
  if (c.bytes <= 32) return CopyRowsInTwo<16>(c);
  CopyLongRows(c);
}

/// Rows of one element each, `cols` times; Bits has the size of T. What is written after a short
/// row is overwritten by the next.
template <typename Bits, typename T>
MSHADOW_SCALAR_KERNEL void RepeatElements(T* to, std::ptrdiff_t to_stride, const T* from,
                                          std::ptrdiff_t from_stride, std::ptrdiff_t rows,
                                          std::ptrdiff_t cols) {
#if MSHADOW_SIMD_DISPATCH && !defined(__CUDACC__)
  typedef Bits Vector __attribute__((vector_size(16)));  // no `using`: GCC drops the attribute
  constexpr std::ptrdiff_t kLanes = 16 / sizeof(Bits);
  const bool is_long = cols >= kLanes;
  for (; is_long ? rows > 0 : to_stride == cols && rows * cols >= kLanes;
       --rows, to += to_stride, from += from_stride) {
    Bits bits;
    std::memcpy(&bits, from, sizeof(Bits));
    const Vector all = Vector{} + bits;
    for (std::ptrdiff_t x = 0; x < cols - kLanes; x += kLanes) std::memcpy(to + x, &all, 16);
    std::memcpy(is_long ? to + cols - kLanes : to, &all, 16);
  }
#endif
  for (; rows > 0; --rows, to += to_stride, from += from_stride) {
    for (std::ptrdiff_t x = 0; x < cols; ++x) to[x] = *from;
  }
}

}  // namespace detail

/// to[y * to_stride + x] = from[y * from_stride + x * col_stride] for y < rows, x < cols; strides
/// in elements. What lies between rows is neither read nor written.
template <typename T>
inline void CopyRows(T* to, std::ptrdiff_t to_stride, const T* from, std::ptrdiff_t from_stride,
                     std::ptrdiff_t col_stride, std::ptrdiff_t rows, std::ptrdiff_t cols) {
  constexpr std::ptrdiff_t kSize = sizeof(T);
  if (col_stride == 1) {
    return detail::CopyRows({reinterpret_cast<char*>(to), to_stride * kSize,
                             reinterpret_cast<const char*>(from), from_stride * kSize, rows,
                             cols * kSize});
  }
  if (col_stride == 0) {
    if constexpr (kSize == 8) {
      return detail::RepeatElements<uint64_t>(to, to_stride, from, from_stride, rows, cols);
    } else if constexpr (kSize == 4) {
      return detail::RepeatElements<uint32_t>(to, to_stride, from, from_stride, rows, cols);
    } else if constexpr (kSize == 2) {
      return detail::RepeatElements<uint16_t>(to, to_stride, from, from_stride, rows, cols);
    } else if constexpr (kSize == 1) {
      return detail::RepeatElements<uint8_t>(to, to_stride, from, from_stride, rows, cols);
    }
  }
  for (std::ptrdiff_t y = 0; y < rows; ++y) {
    for (std::ptrdiff_t x = 0; x < cols; ++x) {
      to[y * to_stride + x] = from[y * from_stride + x * col_stride];
    }
  }
}

}  // namespace simd
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_SIMD_COPY_ROWS_H_
