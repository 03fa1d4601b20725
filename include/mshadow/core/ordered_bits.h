// SPDX-License-Identifier: Apache-2.0
// OrderedBits: numbers as unsigned integers of the same order, as radix sorts want them.
#ifndef MSHADOW_CORE_ORDERED_BITS_H_
#define MSHADOW_CORE_ORDERED_BITS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bit_cast.h"
#include "dtype.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// The unsigned integer of `bytes` bytes; at least 16 bits, since 8 are promoted to int.
template <std::size_t bytes>
using SortBits = std::conditional_t<
    bytes <= 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>;

/// An unsigned integer in the order of `key`. Both zeros are equal; NaN is above all numbers.
/// Descending order complements the numbers, so that NaN stays last.
template <typename Key>
MSHADOW_XINLINE SortBits<sizeof(Key)> OrderedBits(Key key, bool ascending) {
  using Bits = SortBits<sizeof(Key)>;
  static_assert(float16::kIsScalar<Key>,
                "mshadow: keys are sorted by their bits: they are numbers");
  if constexpr (std::is_integral_v<Key>) {
    constexpr Bits kSign = std::is_signed_v<Key> ? Bits(Bits(1) << (8 * sizeof(Key) - 1)) : Bits(0);
    constexpr Bits kAll = static_cast<Bits>(~uint64_t{0} >> (64 - 8 * sizeof(Key)));
    const Bits bits = static_cast<Bits>((static_cast<Bits>(key) & kAll) ^ kSign);
    return ascending ? bits : static_cast<Bits>(bits ^ kAll);
  } else {
    constexpr Bits kSign = static_cast<Bits>(Bits(1) << (8 * sizeof(Key) - 1));
    constexpr Bits kAll = static_cast<Bits>(~Bits(0));
    if (isnan_typed::IsNan(key)) return kAll;
    Bits bits = BitCast<Bits>(key);
    if (bits == kSign) bits = 0;
    bits = static_cast<Bits>(bits & kSign ? ~bits : bits | kSign);
    return ascending ? bits : static_cast<Bits>(~bits);
  }
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_ORDERED_BITS_H_
