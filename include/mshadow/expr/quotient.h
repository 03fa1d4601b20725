// SPDX-License-Identifier: Apache-2.0
// Quotient: the divisions that a row of a plan costs.
#ifndef MSHADOW_EXPR_QUOTIENT_H_
#define MSHADOW_EXPR_QUOTIENT_H_

#include <cstddef>
#include <cstdint>

#include "../core/config.h"

namespace mshadow {
namespace expr {

/// n / d, rounded down, for n >= 0 and d > 0. Steps of 1 and 2 are the common ones, and a division
/// of 32 bits takes a third of the time of one of 64 on many processors.
MSHADOW_XINLINE std::ptrdiff_t Quotient(std::ptrdiff_t n, std::ptrdiff_t d) {
  if (d == 1) return n;
  if (d == 2) return n >> 1;
  if (((n | d) >> 31) == 0) {
    return static_cast<std::ptrdiff_t>(static_cast<uint32_t>(n) / static_cast<uint32_t>(d));
  }
  return n / d;
}

/// A number that a plan divides by in every row: multiplies by its inverse of 63 bits instead
/// (D. Lemire, O. Kaser, N. Kurz, "Faster remainder by direct computation", 2019,
/// https://arxiv.org/abs/1902.01961).
class Divisor {
 public:
  MSHADOW_XINLINE explicit Divisor(std::ptrdiff_t d = 1)
      : d_(d), inverse_(d > 0 ? (uint64_t(1) << 63) / static_cast<uint64_t>(d) + 1 : 0) {}
  MSHADOW_XINLINE operator std::ptrdiff_t() const { return d_; }

  // inverse_ d exceeds 2^63 by at most d, so that n inverse_ / 2^63 exceeds n / d by less than 1 / d
  // where n d < 2^63.
  MSHADOW_XINLINE friend std::ptrdiff_t Quotient(std::ptrdiff_t n, const Divisor& divisor) {
    if (((n | divisor.d_) >> 31) != 0) return n / divisor.d_;
    const uint64_t twice = 2 * static_cast<uint64_t>(n);
#ifdef __CUDA_ARCH__
    return static_cast<std::ptrdiff_t>(__umul64hi(divisor.inverse_, twice));
#else
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::ptrdiff_t>((Wide(divisor.inverse_) * twice) >> 64);
#endif
  }

 private:
  std::ptrdiff_t d_;
  uint64_t inverse_;
};

}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXPR_QUOTIENT_H_
