// SPDX-License-Identifier: Apache-2.0
// Numbers in files: little-endian ones, and elements whose bytes are in reverse order.
#ifndef MSHADOW_INTEROP_BYTES_H_
#define MSHADOW_INTEROP_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../core/logging.h"

MSHADOW_NAMESPACE_BEGIN
namespace interop {

inline bool IsLittleEndian() {
  const std::uint16_t one = 1;
  return *reinterpret_cast<const unsigned char*>(&one) == 1;
}

/// The number in `size` bytes, the lowest first.
inline std::uint64_t LittleEndian(const unsigned char* bytes, int size) {
  std::uint64_t value = 0;
  for (int i = size - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}
inline void AppendLittleEndian(std::string* bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes->push_back(static_cast<char>(value >> 8 * i & 0xff));
}

/// Reverses the bytes of each of `count` elements.
inline void SwapBytes(void* elements, std::size_t count, std::size_t element_size) {
  unsigned char* element = static_cast<unsigned char*>(elements);
  for (std::size_t i = 0; i < count; ++i, element += element_size) {
    for (std::size_t a = 0, b = element_size - 1; a < b; ++a, --b) {
      const unsigned char byte = element[a];
      element[a] = element[b];
      element[b] = byte;
    }
  }
}

/// element_size times all extents, or false where that does not fit 64 bits. An extent of 0 makes
/// it 0, whatever the others are.
inline bool BytesOf(const std::vector<std::uint64_t>& shape, std::uint64_t element_size,
                    std::uint64_t* bytes) {
  *bytes = element_size;
  for (const std::uint64_t extent : shape) {
    if (extent == 0) {
      *bytes = 0;
      return true;
    }
  }
  for (const std::uint64_t extent : shape) {
    if (*bytes > (std::numeric_limits<std::uint64_t>::max)() / extent) return false;
    *bytes *= extent;
  }
  return true;
}

/// "(3,4)"
inline std::string ShapeText(const std::vector<std::uint64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  }
  return text + ")";
}

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_BYTES_H_
