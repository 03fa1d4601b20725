// SPDX-License-Identifier: Apache-2.0
// Extents, bounds and indices as callers write them: of any number type, checked before they become
// an index_t, which may be unsigned and then makes 4294967295 of -1.
#ifndef MSHADOW_CORE_BOUNDS_H_
#define MSHADOW_CORE_BOUNDS_H_

#include <cstdint>
#include <type_traits>

#include "config.h"
#include "error_text.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// `value` as an unsigned number of 64 bits, at least 2^63 where it is negative; enumerators and
/// objects convert as for a parameter of type index_t.
template <typename T>
MSHADOW_XINLINE uint64_t Widened(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value >= T(0) && value < T(9.2e18) ? static_cast<uint64_t>(value) : ~uint64_t{0};
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(value);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<uint64_t>(static_cast<std::underlying_type_t<T>>(value));
  } else {
    return static_cast<uint64_t>(static_cast<index_t>(value));
  }
}

template <typename T>
inline GivenNumber Given(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool negative = value < T(0);
    const T magnitude = negative ? -value : value;
    return GivenNumber{magnitude < T(9.2e18) ? static_cast<uint64_t>(magnitude) : ~uint64_t{0},
                       negative};
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>) {
      if (value < 0) return GivenNumber{0 - static_cast<uint64_t>(value), true};
    }
    return GivenNumber{static_cast<uint64_t>(value), false};
  } else if constexpr (std::is_enum_v<T>) {
    return Given(static_cast<std::underlying_type_t<T>>(value));
  } else {
    return Given(static_cast<index_t>(value));
  }
}

/// `value` as an extent. Throws Error "argument = value is out of range: .." where it is negative
/// or too large; not in device code, which cannot.
template <typename T>
MSHADOW_XINLINE index_t ToExtent([[maybe_unused]] const char* argument, T value) {
#ifndef __CUDA_ARCH__
  if (!MSHADOW_LIKELY(Widened(value) <= kMaxElements)) ThrowExtent(argument, Given(value));
#endif
  return static_cast<index_t>(value);
}

/// Throws Error, which names the argument and the extent, unless 0 <= begin <= end <= n.
template <typename B, typename E>
MSHADOW_XINLINE void CheckSlice([[maybe_unused]] B begin, [[maybe_unused]] E end,
                                [[maybe_unused]] index_t n) {
#ifndef __CUDA_ARCH__
  const uint64_t from = Widened(begin), to = Widened(end);
  if (!MSHADOW_LIKELY(from <= to && to <= static_cast<uint64_t>(n))) {
    ThrowSlice(Given(begin), Given(end), n);
  }
#endif
}

}  // namespace detail
MSHADOW_NAMESPACE_END

// Throws Error "argument = index is out of range: .." unless 0 <= index < n, with
// MSHADOW_BOUNDS_CHECK and not in device code; otherwise it is no code at all.
#if MSHADOW_BOUNDS_CHECK && !defined(__CUDA_ARCH__)
#define MSHADOW_CHECK_INDEX_(argument, index, n)                                                 \
  if (!MSHADOW_LIKELY(::mshadow::detail::Widened(index) < static_cast<uint64_t>(n)))             \
  ::mshadow::detail::ThrowIndex(argument, ::mshadow::detail::Given(index),                       \
                                static_cast<uint64_t>(n))
#else
#define MSHADOW_CHECK_INDEX_(argument, index, n) static_cast<void>(0)
#endif
#endif  // MSHADOW_CORE_BOUNDS_H_
