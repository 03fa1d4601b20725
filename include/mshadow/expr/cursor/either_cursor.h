// SPDX-License-Identifier: Apache-2.0
// EitherCursor: a row of one of two plans, which one is known when the row is.
#ifndef MSHADOW_EXPR_CURSOR_EITHER_CURSOR_H_
#define MSHADOW_EXPR_CURSOR_EITHER_CURSOR_H_

#include "../plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

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

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_CURSOR_EITHER_CURSOR_H_
