// SPDX-License-Identifier: Apache-2.0
// Copies short rows: whole ones, in as few moves as they take, and nothing between them.
#ifndef MSHADOW_SIMD_COPY_ROWS_H_
#define MSHADOW_SIMD_COPY_ROWS_H_

#include <cstddef>
#include <cstdint>
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
/// Single elements of type T, which follow each other in `to`: 8 bytes are one store.
template <typename T>
MSHADOW_FORCE_INLINE void CopyColumn(RowsToCopy c) {
  constexpr std::ptrdiff_t kSize = sizeof(T), kLanes = 8 / kSize;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  for (; c.rows >= kLanes; c.rows -= kLanes, c.to += 8) {
    uint64_t lanes = 0;
    for (std::ptrdiff_t i = 0; i < kLanes; ++i, c.from += c.from_stride) {
      T element;
      std::memcpy(&element, c.from, kSize);
      lanes |= uint64_t{element} << (8 * kSize * i);
    }
    std::memcpy(c.to, &lanes, 8);
  }
#endif
  CopyRowsInOne<kSize>(c);
}

#if MSHADOW_SIMD_DISPATCH && !defined(__CUDACC__)
using Bytes16 = char __attribute__((vector_size(16)));
using Bytes32 = char __attribute__((vector_size(32)));
using Bytes64 = char __attribute__((vector_size(64)));
#if defined(__clang__)
template <typename V>
using MaskedPointer = V*;
#else
template <typename V>
using MaskedPointer = char*;
#endif
#define MSHADOW_COPY_MASKED(size, Mask)                                                           \
  MSHADOW_TARGET("avx512f,avx512bw,avx512vl")                                                     \
  inline void CopyMasked(Bytes##size, char* to, const char* from, uint64_t mask) {                \
    using V = Bytes##size;                                                                        \
    const V all = __builtin_ia32_loaddquqi##Mask##_mask(                                          \
        reinterpret_cast<MaskedPointer<const V>>(const_cast<char*>(from)), V{},                   \
        static_cast<MaskOf##size>(mask));                                                         \
    __builtin_ia32_storedquqi##Mask##_mask(reinterpret_cast<MaskedPointer<V>>(to), all,           \
                                           static_cast<MaskOf##size>(mask));                      \
  }
using MaskOf16 = uint16_t;
using MaskOf32 = uint32_t;
using MaskOf64 = unsigned long long;
MSHADOW_COPY_MASKED(16, 128)
MSHADOW_COPY_MASKED(32, 256)
MSHADOW_COPY_MASKED(64, 512)
#undef MSHADOW_COPY_MASKED

/// Rows of at most sizeof(V) bytes, in one masked move each.
template <typename V>
MSHADOW_SCALAR_KERNEL MSHADOW_TARGET("avx512f,avx512bw,avx512vl") void CopyRowsMasked(
    const RowsToCopy& rows) {
  RowsToCopy c = rows;
  const uint64_t mask = ~uint64_t{0} >> (64 - c.bytes);
  // Two at a time: their moves do not wait for each other's addresses.
  for (; c.rows >= 2; c.rows -= 2, c.to += 2 * c.to_stride, c.from += 2 * c.from_stride) {
    CopyMasked(V{}, c.to, c.from, mask);
    CopyMasked(V{}, c.to + c.to_stride, c.from + c.from_stride, mask);
  }
  if (c.rows != 0) CopyMasked(V{}, c.to, c.from, mask);
}
#endif

MSHADOW_SCALAR_KERNEL inline void CopyRows(const RowsToCopy& c) {
  const bool packs = c.to_stride == c.bytes;
  if (c.bytes == 4) return packs ? CopyColumn<uint32_t>(c) : CopyRowsInOne<4>(c);
  if (c.bytes == 2) return packs ? CopyColumn<uint16_t>(c) : CopyRowsInOne<2>(c);
  if (c.bytes == 1) return packs ? CopyColumn<uint8_t>(c) : CopyRowsInOne<1>(c);
  if (c.bytes == 8) return CopyRowsInOne<8>(c);
  if (c.bytes == 16) return CopyRowsInOne<16>(c);
#if MSHADOW_SIMD_DISPATCH && !defined(__CUDACC__)
  if (ActiveIsa() == Isa::kAvx512 && c.bytes <= 64) {
    return c.bytes < 16    ? CopyRowsMasked<Bytes16>(c)
           : c.bytes <= 32 ? CopyRowsMasked<Bytes32>(c)
                           : CopyRowsMasked<Bytes64>(c);
  }
#endif
  if (c.bytes < 4) return CopyRowsInTwo<2>(c);
  if (c.bytes < 8) return CopyRowsInTwo<4>(c);
  if (c.bytes < 16) return CopyRowsInTwo<8>(c);
  if (c.bytes <= 32) return CopyRowsInTwo<16>(c);
  CopyLongRows(c);
}

/// Rows of one element each, `cols` times; Bits has the size of T. What is written after a short row
/// is overwritten by the next.
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

/// to[y * to_stride + x] = from[y * from_stride + x * col_stride] for y < rows, x < cols; strides in
/// elements. What lies between rows is neither read nor written.
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
