// SPDX-License-Identifier: Apache-2.0
// FloorDiv, FastDivmod: division of indices.
#ifndef MSHADOW_CORE_FAST_DIVMOD_H_
#define MSHADOW_CORE_FAST_DIVMOD_H_

#include <cstddef>
#include <cstdint>

#include "config.h"

MSHADOW_NAMESPACE_BEGIN
/// n / d, rounded down, for n >= 0 and d > 0. Steps of 1 and 2 are the common ones, and a division
/// of 32 bits takes a third of the time of one of 64 on many processors.
MSHADOW_XINLINE std::ptrdiff_t FloorDiv(std::ptrdiff_t n, std::ptrdiff_t d) {
  if (d == 1) return n;
  if (d == 2) return n >> 1;
  if (((n | d) >> 31) == 0) {
    return static_cast<std::ptrdiff_t>(static_cast<uint32_t>(n) / static_cast<uint32_t>(d));
  }
  return n / d;
}

/// n / d and n % d.
struct DivModResult {
  std::ptrdiff_t quot, rem;
};

/// A divisor used in every row: multiplies by its inverse (T. Granlund, P. L. Montgomery, "Division
/// by invariant integers using multiplication", 1994). Where the compiler sees that n has 31 bits
/// at most, a GPU takes three instructions.
class FastDivmod {
 public:
  MSHADOW_XINLINE explicit FastDivmod(std::ptrdiff_t d = 1) : d_(d), inverse_(0), shift_(0) {
    if (d <= 0 || d >> 31 != 0) return;
      // 2^shift_ is the least power of two that is no less than d.
#ifdef __CUDA_ARCH__
    shift_ = 64 - static_cast<uint32_t>(__clzll(d - 1));
#elif MSHADOW_PLAIN_CXX
    while (uint64_t{1} << shift_ < static_cast<uint64_t>(d)) ++shift_;
#else
    if (d > 1) shift_ = 64 - static_cast<uint32_t>(__builtin_clzll(static_cast<uint64_t>(d - 1)));
#endif
    const uint64_t scale = uint64_t(1) << (31 + shift_);
    inverse_ =
        static_cast<uint32_t>((scale + static_cast<uint64_t>(d) - 1) / static_cast<uint64_t>(d));
  }
  MSHADOW_XINLINE operator std::ptrdiff_t() const { return d_; }

  MSHADOW_XINLINE friend std::ptrdiff_t FloorDiv(std::ptrdiff_t n, const FastDivmod& divisor) {
    return n >> 31 != 0 ? divisor.Divide(n) : divisor.Multiply(n);
  }
  /// {n / d, n % d}
  MSHADOW_XINLINE friend DivModResult DivMod(std::ptrdiff_t n, const FastDivmod& divisor) {
    const std::ptrdiff_t quotient = FloorDiv(n, divisor);
#ifdef __CUDA_ARCH__
    if (n >> 31 == 0) {
      const uint32_t rest = static_cast<uint32_t>(n) -
                            static_cast<uint32_t>(quotient) * static_cast<uint32_t>(divisor.d_);
      __builtin_assume(rest >> 31 == 0);
      return DivModResult{quotient, static_cast<std::ptrdiff_t>(rest)};
    }
#endif
    return DivModResult{quotient, n - quotient * divisor.d_};
  }

 private:
  // The quotient for n < 2^31. For d < 2^31, inverse_ d exceeds 2^(31 + shift_) by less than
  // d <= 2^shift_, so that n inverse_ / 2^(31 + shift_) exceeds n / d by less than 1 / d. Larger d
  // have the inverse 0.
  MSHADOW_XINLINE std::ptrdiff_t Multiply(std::ptrdiff_t n) const {
#ifdef __CUDA_ARCH__
    const uint32_t quotient = __umulhi(2 * static_cast<uint32_t>(n), inverse_) >> shift_;
    __builtin_assume(quotient >> 31 == 0);
    return static_cast<std::ptrdiff_t>(quotient);
#else
    return static_cast<std::ptrdiff_t>((static_cast<uint64_t>(n) * inverse_) >> (31 + shift_));
#endif
  }

  /// The quotient for any n, which is rare.
  MSHADOW_XINLINE std::ptrdiff_t Divide(std::ptrdiff_t n) const {
#ifdef __CUDA_ARCH__
    // A call: the compiler adds no path for 32 bits to it.
    std::ptrdiff_t quotient;
    asm("div.s64 %0, %1, %2;" : "=l"(quotient) : "l"(n), "l"(d_));
    return quotient;
#else
    return n / d_;
#endif
  }

  std::ptrdiff_t d_;
  uint32_t inverse_, shift_;
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_FAST_DIVMOD_H_
