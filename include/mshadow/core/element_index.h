// SPDX-License-Identifier: Apache-2.0
// Elements of tensors that are indices: of any element type, and of any value.
#ifndef MSHADOW_CORE_ELEMENT_INDEX_H_
#define MSHADOW_CORE_ELEMENT_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "config.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// `value` truncated to an integer; the nearest one of what exceeds all, the lowest of NaN.
template <typename T>
MSHADOW_XINLINE std::ptrdiff_t ToIndex(T value) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(std::ptrdiff_t)) {
      if (value > static_cast<T>(PTRDIFF_MAX)) return PTRDIFF_MAX;
    }
    return static_cast<std::ptrdiff_t>(value);
  } else {
    // 16-bit floats have no faster way to an integer.
    using Float = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const Float number = static_cast<Float>(value);
    constexpr Float kBeyond = static_cast<Float>(9.2e18);
    if (number >= kBeyond) return PTRDIFF_MAX;
    return number > -kBeyond ? static_cast<std::ptrdiff_t>(number) : PTRDIFF_MIN;
  }
}

/// ToIndex(value), or the nearest of 0, .., n - 1; NaN gives 0.
template <typename T>
MSHADOW_XINLINE std::ptrdiff_t ClipIndex(T value, std::ptrdiff_t n) {
  const std::ptrdiff_t i = ToIndex(value);
  return i < 0 ? 0 : i < n ? i : n - 1;
}

/// `value` truncated to an integer, modulo n > 0: in [0, n).
template <typename T>
MSHADOW_XINLINE std::ptrdiff_t WrapIndex(T value, std::ptrdiff_t n) {
  if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) {
    return static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(value) %
                                       static_cast<std::uint64_t>(n));
  } else {
    const std::ptrdiff_t rest = ToIndex(value) % n;
    return rest < 0 ? rest + n : rest;
  }
}

/// `value` as a number that is compared with classes: unsigned labels beyond them all become
/// negative ones, each another.
template <typename T>
MSHADOW_XINLINE std::ptrdiff_t ToLabel(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::ptrdiff_t>(value);
  } else {
    return ToIndex(value);
  }
}

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_ELEMENT_INDEX_H_
