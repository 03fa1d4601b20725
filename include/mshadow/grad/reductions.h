// SPDX-License-Identifier: Apache-2.0
// Rules of reductions, and of operands of fewer axes, which are their opposite.
#ifndef MSHADOW_GRAD_REDUCTIONS_H_
#define MSHADOW_GRAD_REDUCTIONS_H_

#include "../extension.h"
#include "rule.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int rank, int mask>
struct Gradient<AlignedExp<SrcExp, DType, rank, mask>> : detail::OfMoved<SrcExp> {
  MSHADOW_GRADIENT_WITH_(AlignedExp<V, DType, rank, mask>(v, e.shape_))
  MSHADOW_GRADIENT_VJP_(detail::SumOver<static_cast<unsigned>(mask)>(g))
};
template <typename SrcExp, typename DType, int rank, int m_cast>
struct Gradient<Broadcast1DExp<SrcExp, DType, rank, m_cast>> : detail::OfMoved<SrcExp> {
  MSHADOW_GRADIENT_WITH_(Broadcast1DExp<V, DType, rank, m_cast>(v, e.shape_))
  MSHADOW_GRADIENT_VJP_(detail::SumOver<((1u << rank) - 1) ^ 1u << (rank - m_cast)>(g))
};

namespace detail {
/// The number of elements that become one.
template <typename E, int rank>
inline std::size_t Reduced(const E& e, const Shape<rank>& full) {
  const auto left = static_cast<std::size_t>(ShapeOf(e).Size());
  return static_cast<std::size_t>(full.Size()) / (std::max<std::size_t>)(1, left);
}
/// a / n as a T, which may not hold n.
template <typename T>
inline T Over(double a, std::size_t n) {
  return static_cast<T>(a / static_cast<double>(n));
}
/// e where y is not 0, else 0: there is no slope at the end of a norm.
template <typename Y, typename E>
inline auto WhereNot0(const Y& y, const E& e) {
  using T = ElementOfExp<E>;
  return MakeExp<op::where>(y, e, ScalarExp<T>(T(0)));
}
/// argmax, any and all have none, as comparisons have none.
struct NoGradient : GradientBase {};
/// By kind: Reads, and Vjp from the repeated gradient and result.
template <template <typename> class Kind>
struct ReductionGradient : NoGradient {};
template <>
struct ReductionGradient<statistic::Sum> : GradientBase {
  static constexpr bool kReadsOnce = true;
  template <unsigned mask, typename E, typename G, typename Y, typename V>
  static auto Of(const E& e, const G& g, const Y&, const V&) {
    return Repeat<mask>(g, ShapeOf(e.src_));
  }
};
template <>
struct ReductionGradient<statistic::Mean> : GradientBase {
  static constexpr bool kReadsOnce = true;
  template <unsigned mask, typename E, typename G, typename Y, typename V>
  static auto Of(const E& e, const G& g, const Y&, const V&) {
    using T = ElementOfExp<E>;
    const auto full = ShapeOf(e.src_);
    return Repeat<mask>(g * Over<T>(1, Reduced(e, full)), full);
  }
};
template <>
struct ReductionGradient<statistic::Var> : GradientBase {
  static constexpr unsigned Reads(int) { return kA; }
  template <unsigned mask, typename E, typename G, typename Y, typename V>
  static auto Of(const E& e, const G& g, const Y&, const V& v) {
    using T = ElementOfExp<E>;
    const auto full = ShapeOf(e.src_);
    using Means = ReductionExp<statistic::Mean, V, T, ExpInfo<V>::kDim, mask>;
    return Repeat<mask>(g * Over<T>(2, Reduced(e, full)), full) *
           (v - Repeat<mask>(Means(v), full));
  }
};
template <>
struct ReductionGradient<statistic::Stddev> : GradientBase {
  static constexpr unsigned Reads(int) { return kA | kResult; }
  template <unsigned mask, typename E, typename G, typename Y, typename V>
  static auto Of(const E& e, const G& g, const Y& y, const V& v) {
    using T = ElementOfExp<E>;
    const auto full = ShapeOf(e.src_);
    using Means = ReductionExp<statistic::Mean, V, T, ExpInfo<V>::kDim, mask>;
    return Repeat<mask>(WhereNot0(y, g * Over<T>(1, Reduced(e, full)) / y), full) *
           (v - Repeat<mask>(Means(v), full));
  }
};
template <>
struct ReductionGradient<statistic::Norm> : GradientBase {
  static constexpr unsigned Reads(int) { return kA | kResult; }
  template <unsigned mask, typename E, typename G, typename Y, typename V>
  static auto Of(const E& e, const G& g, const Y& y, const V& v) {
    return Repeat<mask>(WhereNot0(y, g / y), ShapeOf(e.src_)) * v;
  }
};
template <>
struct ReductionGradient<statistic::Logsumexp> : GradientBase {
  static constexpr unsigned Reads(int) { return kA | kResult; }
  template <unsigned mask, typename E, typename G, typename Y, typename V>
  static auto Of(const E& e, const G& g, const Y& y, const V& v) {
    const auto full = ShapeOf(e.src_);
    return Repeat<mask>(g, full) * exp(v - Repeat<mask>(y, full));
  }
};
template <>
struct ReductionGradient<statistic::Prod> : GradientBase {
  static constexpr unsigned Reads(int) { return kA; }
  /// The product of all others: none that is 0, the one that is, or several.
  template <unsigned mask, typename E, typename G, typename Y, typename V>
  static auto Of(const E& e, const G& g, const Y&, const V& v) {
    using T = ElementOfExp<E>;
    const auto full = ShapeOf(e.src_);
    const auto is_zero = v == T(0);
    const auto not_zero = MakeExp<op::where>(is_zero, ScalarExp<T>(T(1)), v);
    using Products =
        ReductionExp<statistic::Prod, std::decay_t<decltype(not_zero)>, T, ExpInfo<V>::kDim, mask>;
    const auto zeros = SumOver<mask>(is_zero);
    return Repeat<mask>(g * Products(not_zero), full) *
           MakeExp<op::where>(is_zero, Repeat<mask>(zeros == T(1), full),
                              Repeat<mask>(zeros == T(0), full) / not_zero);
  }
};
/// Elements that are the largest share the gradient.
struct ExtremeGradient : GradientBase {
  static constexpr unsigned Reads(int) { return kA | kResult; }
  template <unsigned mask, typename E, typename G, typename Y, typename V>
  static auto Of(const E& e, const G& g, const Y& y, const V& v) {
    const auto full = ShapeOf(e.src_);
    const auto is_it = v == Repeat<mask>(y, full);
    return is_it * Repeat<mask>(g / SumOver<mask>(is_it), full);
  }
};
template <>
struct ReductionGradient<statistic::Max> : ExtremeGradient {};
template <>
struct ReductionGradient<statistic::Min> : ExtremeGradient {};
}  // namespace detail

template <template <typename> class Kind, typename SrcExp, typename DType, int dimsrc,
          unsigned mask>
struct Gradient<ReductionExp<Kind, SrcExp, DType, dimsrc, mask>> : detail::ReductionGradient<Kind> {
  using Operands =
      std::conditional_t<std::is_base_of_v<detail::NoGradient, detail::ReductionGradient<Kind>>,
                         detail::TypeList<>, detail::TypeList<SrcExp>>;
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.src_);
  }
  MSHADOW_GRADIENT_WITH_(ReductionExp<Kind, V, DType, dimsrc, mask>(v))
  static constexpr Forward kForward = Forward::kJvp;
  template <typename E, typename X, typename Y, typename V>
  static auto Jvp(const E& e, const X& dx, [[maybe_unused]] const Y& y,
                  [[maybe_unused]] const V& v) {
    if constexpr (detail::ReductionGradient<Kind>::kReadsOnce) {  // sums and means: linear
      return With(e, dx);
    } else {
      return detail::SumOver<mask>(Gradient::Vjp<0>(e, MakeExp<detail::ConstantOp<1>>(y), y, v) *
                                   dx);
    }
  }
  MSHADOW_GRADIENT_VJP_(detail::ReductionGradient<Kind>::template Of<mask>(e, g, y, v))
};
template <typename SrcExp, typename DType, int m_keep>
struct Gradient<ReduceTo1DExp<SrcExp, DType, red::sum, m_keep>> : detail::OfSource<SrcExp> {
  static constexpr bool kReadsOnce = true;
  MSHADOW_GRADIENT_WITH_(ReduceTo1DExp<V, DType, red::sum, m_keep>(v, e.scale_))
  MSHADOW_GRADIENT_VJP_(
      detail::Repeat<static_cast<unsigned>(E::kLostAxes)>(
          g * detail::ConjugateOf(e.scale_), detail::ShapeOf(e.src_)))
};
/// Over an axis known when it runs: red::sum, and the extremes, which share as max does.
template <typename Reducer, typename SrcExp, typename DType, int dimsrc, bool mask, int dimdst>
struct Gradient<ReduceWithAxisExp<Reducer, SrcExp, DType, dimsrc, mask, dimdst>> : GradientBase {
  using Operands = std::conditional_t<mask, detail::TypeList<>, detail::TypeList<SrcExp>>;
  static constexpr bool kSum = std::is_same_v<Reducer, red::sum>;
  static constexpr bool kReadsOnce = kSum;
  static constexpr unsigned Reads(int) { return kSum ? kNone : kA | kResult; }
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.src_);
  }
  MSHADOW_GRADIENT_WITH_(Reduce<Reducer>(v, e.axis_))
  MSHADOW_GRADIENT_JVP_(
      Reduce<red::sum>(Gradient::Vjp<0>(e, MakeExp<detail::ConstantOp<1>>(y), y, v) * dx, e.axis_))
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y& y, const V& v) {
    static_assert(
        kSum || std::is_same_v<Reducer, red::maximum> || std::is_same_v<Reducer, red::minimum>,
        "mshadow: reduce_with_axis of this reducer has no gradient; of red::sum, "
        "red::maximum and red::minimum it has");
    if constexpr (kSum) {
      return Repeat(e, g);
    } else {
      const auto is_it = v == Repeat(e, y);
      return is_it * Repeat(e, g / Reduce<red::sum>(is_it, e.axis_));
    }
  }

 private:
  template <typename R, typename V>
  static auto Reduce(const V& v, int axis) {
    return ReduceWithAxisExp<R, V, DType, dimsrc, false, dimdst>("reduce_with_axis", v, axis);
  }
  template <typename E, typename V>
  static auto Repeat(const E& e, const V& v) {
    return BroadcastWithAxisExp<V, DType, dimdst, dimsrc>(
        v, dimdst == dimsrc ? e.axis_ : e.axis_ - 1, e.src_shape_[e.axis_]);
  }
};
/// An index over such an axis.
template <typename Extreme, typename SrcExp, typename DType, int dimsrc, typename Index>
struct Gradient<ArgExtremeExp<Extreme, SrcExp, DType, dimsrc, Index>> : detail::NoGradient {
  using Operands = detail::TypeList<>;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_REDUCTIONS_H_
