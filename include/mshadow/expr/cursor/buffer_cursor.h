// SPDX-License-Identifier: Apache-2.0
// BufferCursor: a run whose elements were computed in advance; CopyRow: a row that is there
// already.
#ifndef MSHADOW_EXPR_CURSOR_BUFFER_CURSOR_H_
#define MSHADOW_EXPR_CURSOR_BUFFER_CURSOR_H_

#include <cstddef>

#include "../../core/config.h"
#include "../../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// Elements [begin_, begin_ + kMax) at most, in a memory of its own.
template <typename DType, typename Value, std::ptrdiff_t bytes = 2048>
struct BufferCursor {
  /// Loops over a buffer may run up to a multiple of this, so that they need no scalar rest.
  static constexpr std::ptrdiff_t kStep = 16;
  static constexpr std::ptrdiff_t kMax = bytes / sizeof(Value);
  static_assert(kMax % kStep == 0, "whole steps");
  Value value_[kMax];
  std::ptrdiff_t begin_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    return static_cast<DType>(value_[x - begin_]);
  }
  MSHADOW_XINLINE static std::ptrdiff_t RoundUp(std::ptrdiff_t n) {
    return (n + kStep - 1) / kStep * kStep;
  }
};

/// to[i] = from[i] for i < n: what was written once is written again.
template <typename DType>
MSHADOW_FORCE_INLINE void CopyRow(const DType* from, std::ptrdiff_t n, DType* to) {
  MSHADOW_IVDEP
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const DType element = from[i];  // assigned as it is, GCC would copy a half_t by itself
    to[i] = element;
  }
}

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_CURSOR_BUFFER_CURSOR_H_
