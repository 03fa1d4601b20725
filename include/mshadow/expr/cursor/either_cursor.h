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
  static constexpr bool kRuns = kRunsOf<A> || kRunsOf<B>;
  static constexpr bool kSpecializes = true;
  A a_;
  B b_;
  bool first_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const { return first_ ? a_.Eval(x) : b_.Eval(x); }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) {
    return first_ ? a_.REval(x) : b_.REval(x);
  }
  MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    // The cursor that is not asked for may have no element x, and its run may read what it is to
    // hold: it gets one of nothing.
    std::ptrdiff_t none = 0;
    return EitherCursor<RunCursor<A>, RunCursor<B>>{RunOf(a_, first_ ? x : 0, first_ ? end : &none),
                                                    RunOf(b_, first_ ? 0 : x, first_ ? &none : end),
                                                    first_};
  }
  template <typename F>
  MSHADOW_FORCE_INLINE void Specialize(const F& f) const {
    if (first_) {
      expr::Specialize(a_, f);
    } else {
      expr::Specialize(b_, f);
    }
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
