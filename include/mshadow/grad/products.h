// SPDX-License-Identifier: Apache-2.0
// Rules of products: dot and batch_dot with every transpose, convolutions, attention.
#ifndef MSHADOW_GRAD_PRODUCTS_H_
#define MSHADOW_GRAD_PRODUCTS_H_

#include <tuple>

#include "../extension/attention.h"
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
    const DType scale = detail::ConjugateOf(e.scale_);
    constexpr int kLeft = ExpInfo<TA>::kDim, kRight = ExpInfo<TB>::kDim;
    if constexpr (kLeft == 1 && kRight == 1) {  // an outer product
      if constexpr (i == 0)
        return Product<false, false>(g, b, scale);
      else
        return Product<false, false>(a, g, scale);
    } else if constexpr (kLeft == 1) {  // u op(B)
      if constexpr (i == 0)
        return Product<false, !rt>(g, b, scale);
      else if constexpr (rt)
        return Product<true, false>(g, a, scale);
      else
        return Product<true, false>(a, g, scale);
    } else if constexpr (kRight == 1) {  // op(A) u
      if constexpr (i == 1)
        return Product<!lt, false>(a, g, scale);
      else if constexpr (lt)
        return Product<true, false>(b, g, scale);
      else
        return Product<true, false>(g, b, scale);
    } else if constexpr (i == 0) {
      if constexpr (lt)
        return Product<rt, true>(b, g, scale);
      else
        return Product<false, !rt>(g, b, scale);
    } else {
      if constexpr (rt)
        return Product<true, lt>(g, a, scale);
      else
        return Product<!lt, false>(a, g, scale);
    }
  }
};

/// y of x and w, x of y and w, w of y and x: a convolution, its transpose, its gradient by w.
template <typename Part, typename TA, typename TB, typename DType, int rank>
struct Gradient<ComputedExp<detail::ConvFunction<Part, rank>, DType, rank, TA, TB>> : GradientBase {
  using Operands = detail::TypeList<TA, TB>;
  static constexpr bool kInMemory = true;
  static constexpr Forward kForward = Forward::kEachOperand;
  static constexpr unsigned Reads(int i) { return i == 0 ? kB : kA; }
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return std::apply(f, e.operands_);
  }
  template <typename E, typename A, typename B>
  static auto With(const E& e, const A& a, const B& b) {
    return Make<Part>(e, a, b);
  }
  template <int i, typename E, typename G, typename Y, typename A, typename B>
  static auto Vjp(const E& e, const G& g, const Y&, const A& a, const B& b) {
    using detail::ConvForward, detail::ConvGradX, detail::ConvGradW;
    if constexpr (std::is_same_v<Part, ConvForward>) {  // of x and w
      if constexpr (i == 0)
        return Make<ConvGradX>(e, g, b);
      else
        return Make<ConvGradW>(e, g, a);
    } else if constexpr (std::is_same_v<Part, ConvGradX>) {  // of y and w
      if constexpr (i == 0)
        return Make<ConvForward>(e, g, b);
      else
        return Make<ConvGradW>(e, a, g);
    } else {  // of y and x
      if constexpr (i == 0)
        return Make<ConvForward>(e, b, g);
      else
        return Make<ConvGradX>(e, a, g);
    }
  }

 private:
  template <typename P, typename E, typename A, typename B>
  static auto Make(const E& e, const A& a, const B& b) {
    return ComputedExp<detail::ConvFunction<P, rank>, DType, rank, A, B>({e.function_.sizes}, a, b);
  }
};

/// p, the softmax of the scores, is computed again for each of the three gradients.
template <typename DType, int rank, bool is_masked, typename TQ, typename TK, typename TV,
          typename... Mask>
struct Gradient<
    ComputedExp<detail::AttentionFunction<detail::AttentionPart::kOut, rank, is_masked>, DType,
                rank, TQ, TK, TV, Mask...>> : GradientBase {
  static_assert(!(... || detail::kVaries<Mask>),
                "mshadow: the mask of scaled_dot_product_attention has no gradient: take .value");
  using Operands = detail::TypeList<TQ, TK, TV>;
  static constexpr bool kInMemory = true;
  static constexpr unsigned Reads(int) { return kA | kB | kC; }
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(std::get<0>(e.operands_), std::get<1>(e.operands_), std::get<2>(e.operands_));
  }
  template <typename E, typename A, typename B, typename C>
  static auto With(const E& e, const A& a, const B& b, const C& c) {
    return Make<detail::AttentionPart::kOut>(e, e.function_.result, a, b, c);
  }
  template <int i, typename E, typename G, typename Y, typename A, typename B, typename C>
  static auto Vjp(const E& e, const G& g, const Y&, const A& a, const B& b, const C& c) {
    using detail::AttentionPart, detail::ShapeOf;
    if constexpr (i == 0) return Make<AttentionPart::kGradQ>(e, ShapeOf(a), a, b, c, g);
    if constexpr (i == 1) return Make<AttentionPart::kGradK>(e, ShapeOf(b), a, b, c, g);
    if constexpr (i == 2) return Make<AttentionPart::kGradV>(e, ShapeOf(c), a, b, c, g);
  }

 private:
  template <detail::AttentionPart part, typename E, typename... Operand>
  static auto Make(const E& e, const Shape<rank>& shape, const Operand&... operands) {
    using Function = detail::AttentionFunction<part, rank, is_masked>;
    const Function function{e.function_.sizes, shape};
    if constexpr (is_masked) {
      return ComputedExp<Function, DType, rank, Operand..., Mask...>(function, operands...,
                                                                     std::get<3>(e.operands_));
    } else {
      return ComputedExp<Function, DType, rank, Operand...>(function, operands...);
    }
  }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_PRODUCTS_H_
