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
  static constexpr bool kRuns = kRunsOf<A>;
  static constexpr bool kSpecializes = kSpecializesOf<A>;
  A a_;
  std::ptrdiff_t shift_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const { return a_.Eval(x + shift_); }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) { return a_.REval(x + shift_); }
  template <typename C = A>
  MSHADOW_XINLINE auto Pointer(std::ptrdiff_t x) const
      -> decltype(std::declval<const C&>().Pointer(x)) {
    return a_.Pointer(x + shift_);
  }
  MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    std::ptrdiff_t a_end = *end + shift_;
    ShiftCursor<RunCursor<A>> run{RunOf(a_, x + shift_, &a_end), shift_};
    *end = a_end - shift_;
    return run;
  }
  template <typename F>
  MSHADOW_FORCE_INLINE void Specialize(const F& f) const {
    expr::Specialize(a_, [&](const auto& a) MSHADOW_INLINE_LAMBDA {
      f(ShiftCursor<std::decay_t<decltype(a)>>{a, shift_});
    });
  }
};

namespace detail {
/// Element x is element x * stride + shift of `A`.
template <typename A, int stride>
struct FixedStrideCursor {
  A a_;
  std::ptrdiff_t shift_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const { return a_.Eval(x * stride + shift_); }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) { return a_.REval(x * stride + shift_); }
};
}  // namespace detail

/// Element x is element x * stride + shift of `A`; strides of 1 and 2 are made constants.
template <typename A>
struct StrideCursor {
  static constexpr bool kRuns = kRunsOf<A>;
  static constexpr bool kSpecializes = true;
  A a_;
  std::ptrdiff_t stride_, shift_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const { return a_.Eval(x * stride_ + shift_); }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) { return a_.REval(x * stride_ + shift_); }
  MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    const std::ptrdiff_t last = (*end - 1) * stride_ + shift_;
    std::ptrdiff_t a_end = last + 1;
    StrideCursor<RunCursor<A>> run{RunOf(a_, x * stride_ + shift_, &a_end), stride_, shift_};
    if (a_end <= last) *end = (a_end - 1 - shift_) / stride_ + 1;
    return run;
  }
  template <typename F>
  MSHADOW_FORCE_INLINE void Specialize(const F& f) const {
    expr::Specialize(a_, [&](const auto& a) MSHADOW_INLINE_LAMBDA {
      using Special = std::decay_t<decltype(a)>;
      if (stride_ == 1) {
        f(ShiftCursor<Special>{a, shift_});
      } else if (stride_ == 2) {
        f(detail::FixedStrideCursor<Special, 2>{a, shift_});
      } else {
        f(StrideCursor<Special>{a, stride_, shift_});
      }
    });
  }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_CURSOR_SHIFT_CURSOR_H_
