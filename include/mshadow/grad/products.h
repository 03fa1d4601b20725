// SPDX-License-Identifier: Apache-2.0
// Rules of products: dot and batch_dot with every transpose, conv2d.
#ifndef MSHADOW_GRAD_PRODUCTS_H_
#define MSHADOW_GRAD_PRODUCTS_H_

#include "../extension/conv2d.h"
#include "rule.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename TA, typename TB, bool lt, bool rt, typename DType>
struct Gradient<DotExp<TA, TB, lt, rt, DType>> : GradientBase {
  using E = DotExp<TA, TB, lt, rt, DType>;
  using Operands = detail::TypeList<TA, TB>;
  static constexpr bool kInMemory = true;
  static constexpr Forward kForward = Forward::kEachOperand;
  static constexpr unsigned Reads(int i) { return i == 0 ? kB : kA; }
  template <typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.lhs_, e.rhs_);
  }
  template <typename A, typename B>
  static auto With(const E& e, const A& a, const B& b) {
    return detail::Product<lt, rt>(a, b, e.scale_);
  }
  template <int i, typename G, typename Y, typename A, typename B>
  static auto Vjp(const E& e, const G& g, const Y&, const A& a, const B& b) {
    using detail::Product;
    constexpr int kLeft = ExpInfo<TA>::kDim, kRight = ExpInfo<TB>::kDim;
    if constexpr (kLeft == 1 && kRight == 1) {  // an outer product
      if constexpr (i == 0)
        return Product<false, false>(g, b, e.scale_);
      else
        return Product<false, false>(a, g, e.scale_);
    } else if constexpr (kLeft == 1) {  // u op(B)
      if constexpr (i == 0)
        return Product<false, !rt>(g, b, e.scale_);
      else if constexpr (rt)
        return Product<true, false>(g, a, e.scale_);
      else
        return Product<true, false>(a, g, e.scale_);
    } else if constexpr (kRight == 1) {  // op(A) u
      if constexpr (i == 1)
        return Product<!lt, false>(a, g, e.scale_);
      else if constexpr (lt)
        return Product<true, false>(b, g, e.scale_);
      else
        return Product<true, false>(g, b, e.scale_);
    } else if constexpr (i == 0) {
      if constexpr (lt)
        return Product<rt, true>(b, g, e.scale_);
      else
        return Product<false, !rt>(g, b, e.scale_);
    } else {
      if constexpr (rt)
        return Product<true, lt>(g, a, e.scale_);
      else
        return Product<!lt, false>(a, g, e.scale_);
    }
  }
};

/// y = conv2d(x, w), dx = conv2d_grad_x(dy, w), dw = conv2d_grad_w(dy, x): sum(dy y) is the same
/// as sum(dx x) and sum(dw w). The gradients of each are therefore the other two.
template <typename Part, typename TA, typename TB, typename DType>
struct Gradient<Conv2dExp<Part, TA, TB, DType>> : GradientBase {
  using Operands = detail::TypeList<TA, TB>;
  static constexpr bool kInMemory = true;
  static constexpr Forward kForward = Forward::kEachOperand;
  static constexpr unsigned Reads(int i) { return i == 0 ? kB : kA; }
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.lhs_, e.rhs_);
  }
  template <typename E, typename A, typename B>
  static auto With(const E& e, const A& a, const B& b) {
    return Of<Part>(e, a, b);
  }
  template <int i, typename E, typename G, typename Y, typename A, typename B>
  static auto Vjp(const E& e, const G& g, const Y&, const A& a, const B& b) {
    using detail::ConvForward, detail::ConvGradX, detail::ConvGradW;
    if constexpr (std::is_same_v<Part, ConvForward>) {  // of (x, w)
      if constexpr (i == 0)
        return Of<ConvGradX>(e, g, b);
      else
        return Of<ConvGradW>(e, g, a);
    } else if constexpr (std::is_same_v<Part, ConvGradX>) {  // of (dy, w)
      if constexpr (i == 0)
        return Of<ConvForward>(e, g, b);
      else
        return Of<ConvGradW>(e, a, g);
    } else {  // of (dy, x)
      if constexpr (i == 0)
        return Of<ConvForward>(e, b, g);
      else
        return Of<ConvGradX>(e, a, g);
    }
  }

 private:
  template <typename P, typename E, typename A, typename B>
  static auto Of(const E& e, const A& a, const B& b) {
    return Conv2dExp<P, A, B, DType>(a, b, e.sizes_);
  }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_PRODUCTS_H_
