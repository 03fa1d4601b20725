// SPDX-License-Identifier: Apache-2.0
// ShiftCursor, StrideCursor: the columns of another cursor, moved, and some columns apart.
#ifndef MSHADOW_EXPR_CURSOR_SHIFT_CURSOR_H_
#define MSHADOW_EXPR_CURSOR_SHIFT_CURSOR_H_

#include "../plan.h"

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

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_CURSOR_SHIFT_CURSOR_H_
