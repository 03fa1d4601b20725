// SPDX-License-Identifier: Apache-2.0
// Powers, roots and logarithms of integers that double does not hold, exactly.
#ifndef MSHADOW_OP_MATH_INTEGER_H_
#define MSHADOW_OP_MATH_INTEGER_H_

#include <cstdint>
#include <type_traits>

#include "real.h"
#include "wrap.h"

MSHADOW_NAMESPACE_BEGIN
namespace op::math {

/// a^b by squaring, which wraps around. For b < 0 it is 1 / a^-b truncated: 0 but for a = 1 and
/// a = -1, and 0 for a = 0 as a division by 0 gives; 0^0 = 1.
template <typename DType>
MSHADOW_XINLINE DType IntegerPower(DType a, DType b) {
  using Unsigned = Wrapping<DType>;
  if constexpr (std::is_signed_v<DType>) {
    if (b < 0) {
      const DType odd = (b & 1) != 0 ? a : DType(1);
      return a == 1 || a == -1 ? odd : DType(0);
    }
  }
  Unsigned base = static_cast<Unsigned>(a), power = 1;
  for (Unsigned rest = static_cast<Unsigned>(b); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) power *= base;
    base *= base;
  }
  return static_cast<DType>(power);
}

/// x^n for n = 2, 3.
template <int n>
MSHADOW_XINLINE uint64_t SmallPower(uint64_t x) {
  return n == 2 ? x * x : x * x * x;
}

/// The largest r >= 0 with r^n <= a, given one that is 1 off at most; n = 2 or 3.
template <int n>
MSHADOW_XINLINE uint64_t RootFrom(uint64_t guess, uint64_t a) {
  constexpr uint64_t kMax = n == 2 ? 4294967295u : 2642245u;  // of 64 bits
  uint64_t root = guess < kMax ? guess : kMax;
  if (SmallPower<n>(root) > a) --root;
  if (root < kMax && SmallPower<n>(root + 1) <= a) ++root;
  return root;
}

/// `log`, the logarithm of a as double gives it, less 1 where rounding took a to the next power of
/// the base: that concerns integers of 64 bits only.
template <int base, typename DType>
MSHADOW_XINLINE DType WholeLog([[maybe_unused]] DType a, DType log) {
  if constexpr (kWraps<DType> && sizeof(DType) == 8) {
    if (a <= DType(1)) return log;
    constexpr DType kMax = base == 2 ? 63 : 19;
    if (log > kMax) log = kMax;
    const uint64_t power = IntegerPower<uint64_t>(base, static_cast<uint64_t>(log));
    if (power > static_cast<uint64_t>(a)) log = static_cast<DType>(log - 1);
  }
  return log;
}

}  // namespace op::math
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_OP_MATH_INTEGER_H_
