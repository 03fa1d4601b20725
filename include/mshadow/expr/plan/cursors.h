// SPDX-License-Identifier: Apache-2.0
// Cursors that wrap others: EitherCursor, one of two; ShiftCursor and StrideCursor, columns moved and
// some apart; BufferCursor, elements that were computed in advance. CopyRow: a row that is there.
#ifndef MSHADOW_EXPR_PLAN_CURSORS_H_
#define MSHADOW_EXPR_PLAN_CURSORS_H_

#include <cstddef>

#include "../../simd/isa.h"
#include "plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// Element x is element x + shift of `A`.
template <typename A>
struct ShiftCursor {
  A a_;
  std::ptrdiff_t shift_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const { return a_.Eval(x + shift_); }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) { return a_.REval(x + shift_); }
  template <typename C = A>
  MSHADOW_XINLINE auto Pointer(std::ptrdiff_t x) const
      -> decltype(std::declval<const C&>().Pointer(x)) {
    return a_.Pointer(x + shift_);
  }
};

/// Element x is element x * stride + shift of `A`.
template <typename A>
struct StrideCursor {
  A a_;
  std::ptrdiff_t stride_, shift_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const { return a_.Eval(x * stride_ + shift_); }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) { return a_.REval(x * stride_ + shift_); }
};

namespace detail {

/// `a_` if `first_`, else `b_`.
template <typename A, typename B>
struct EitherCursor {
  A a_;
  B b_;
  bool first_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const { return first_ ? a_.Eval(x) : b_.Eval(x); }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) {
    return first_ ? a_.REval(x) : b_.REval(x);
  }
};

/// `a` if `first`, else `b`.
template <typename A>
MSHADOW_XINLINE A Either(bool first, const A& a, const A& b) {
  return first ? a : b;
}
template <typename A, typename B>
MSHADOW_XINLINE EitherCursor<A, B> Either(bool first, const A& a, const B& b) {
  return EitherCursor<A, B>{a, b, first};
}

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

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_CURSORS_H_
