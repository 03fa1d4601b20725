// SPDX-License-Identifier: Apache-2.0
// Rules of what works on rows: softmax, take, a chosen element; cross entropy.
#ifndef MSHADOW_GRAD_ROWS_H_
#define MSHADOW_GRAD_ROWS_H_

#include <cstdint>
#include <limits>
#include <type_traits>

#include "../nn.h"
#include "reductions.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {
template <>
struct ReductionGradient<Largest> : ExtremeGradient {};  // of log_softmax

/// n - 1 as an I, or the largest I.
template <typename I>
inline I LastIndex(index_t n) {
  if constexpr (std::is_integral_v<I>) {
    constexpr I kMost = (std::numeric_limits<I>::max)();
    if (n > 0 && static_cast<std::uintmax_t>(n - 1) > static_cast<std::uintmax_t>(kMost))
      return kMost;
  }
  return static_cast<I>(n - 1);
}
/// An index as take reads it: one that is out of range is the first or the last.
template <typename IndexExp>
inline auto Clipped(const IndexExp& index, index_t n) {
  using I = ElementOfExp<IndexExp>;
  return MakeExp<op::clip>(index, ScalarExp<I>(I(0)), ScalarExp<I>(LastIndex<I>(n)));
}
/// 1 for a label of n classes, 0 for any other number, as a T.
template <typename T, typename LabelExp>
inline auto IsLabel(const LabelExp& label, index_t n) {
  using L = ElementOfExp<LabelExp>;
  if constexpr (std::is_integral_v<L>) {
    return tcast<T>((label >= L(0)) * (label <= LastIndex<L>(n)));
  } else {
    return tcast<T>((label >= L(0)) * (label < static_cast<L>(n)));
  }
}
template <typename X, typename LabelExp>
inline auto CrossEntropy(const X& x, const LabelExp& label) {
  return (adl::logsumexp<1>(x) - mat_choose_row_element(x, label)) *
         IsLabel<ElementOfExp<X>>(label, ShapeOf(x)[1]);
}
}  // namespace detail

template <typename SrcExp, typename DType, int rank, int axis>
struct Gradient<SoftmaxExp<SrcExp, DType, rank, axis>> : detail::OfSource<SrcExp> {
  static constexpr unsigned Reads(int) { return kResult; }
  MSHADOW_GRADIENT_WITH_(SoftmaxExp<V, DType, rank, axis>(v))
  MSHADOW_GRADIENT_JVP_(Gradient::Vjp<0>(e, dx, y, v))  // its matrix is symmetric
  MSHADOW_GRADIENT_VJP_(y*(g - detail::Repeat<1u << axis>(detail::SumOver<1u << axis>(g * y),
                                                          y.shape_)))
};

template <typename IndexExp, typename SrcExp, typename DType>
struct Gradient<TakeExp<IndexExp, SrcExp, DType>> : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(TakeExp<IndexExp, V, DType>(e.index_, v))
  MSHADOW_GRADIENT_VJP_(take_grad(detail::Clipped(e.index_, e.src_shape_[0]), g, e.src_shape_[0]))
};
template <typename IndexExp, typename SrcExp, typename DType>
struct Gradient<TakeGradExp<IndexExp, SrcExp, DType>> : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(TakeGradExp<IndexExp, V, DType>(e.index_, v, e.input_dim_))
  MSHADOW_GRADIENT_VJP_(take(e.index_, g) *
                        detail::Repeat<2u>(detail::IsLabel<DType>(e.index_, e.input_dim_),
                                           e.src_shape_))
};
template <typename IndexExp, typename SrcExp, typename DType>
struct Gradient<MaskExp<IndexExp, SrcExp, DType>> : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(MaskExp<IndexExp, V, DType>(e.index_, v))
  MSHADOW_GRADIENT_VJP_(MaskExp<IndexExp, G, DType>(e.index_, g))
};
template <typename SrcExp, typename IndexExp, typename DType>
struct Gradient<MatChooseRowElementExp<SrcExp, IndexExp, DType>> : detail::OfSource<SrcExp> {
  MSHADOW_GRADIENT_WITH_(MatChooseRowElementExp<V, IndexExp, DType>(v, e.index_))
  MSHADOW_GRADIENT_VJP_(tcast<DType>(one_hot_encode(detail::Clipped(e.index_, e.src_shape_[1]),
                                                    e.src_shape_[1])) *
                        detail::Repeat<2u>(g, e.src_shape_))
};
template <typename SrcExp, typename ValExp, typename IndexExp, typename DType>
struct Gradient<MatFillRowElementExp<SrcExp, ValExp, IndexExp, DType>> : GradientBase {
  using Operands = detail::TypeList<SrcExp, ValExp>;
  static constexpr Forward kForward = Forward::kLinear;
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.src_, e.val_);
  }
  template <typename E, typename V, typename W>
  static auto With(const E& e, const V& v, const W& w) {
    return MatFillRowElementExp<V, W, IndexExp, DType>(v, w, e.index_);
  }
  template <int i, typename E, typename G, typename Y, typename V, typename W>
  static auto Vjp(const E& e, const G& g, const Y&, const V&, const W&) {
    const auto here = tcast<DType>(one_hot_encode(e.index_, detail::ShapeOf(e)[1]));
    if constexpr (i == 0) {
      return g * (DType(1) - here);
    } else {
      return detail::SumOver<2u>(g * here);
    }
  }
};

/// -log(softmax(x)[i][label[i]]): a node for its gradient, softmax(x) - one_hot(label).
template <typename SrcExp, typename LabelExp, typename DType>
struct CrossEntropyExp
    : public Exp<CrossEntropyExp<SrcExp, LabelExp, DType>, DType, type::kComplex> {
  static constexpr int kRank = 1;
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask;
  SrcExp src_;
  LabelExp label_;
  CrossEntropyExp(const SrcExp& src, const LabelExp& label) : src_(src), label_(label) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return Shape1(ShapeCheck<2, SrcExp>::Check(src_)[0]);
  }
};
template <typename SrcExp, typename LabelExp, typename DType>
struct Gradient<CrossEntropyExp<SrcExp, LabelExp, DType>> : detail::OfSource<SrcExp> {
  static constexpr unsigned Reads(int) { return kA; }
  MSHADOW_GRADIENT_WITH_(detail::CrossEntropy(v, e.label_))
  MSHADOW_GRADIENT_JVP_(
      detail::SumOver<2u>(Gradient::Vjp<0>(e, MakeExp<detail::ConstantOp<1>>(y), y, v) * dx))
  template <int i, typename E, typename G, typename Y, typename V>
  static auto Vjp(const E& e, const G& g, const Y&, const V& v) {
    const auto shape = detail::ShapeOf(e.src_);
    return (adl::softmax<1>(v) - tcast<DType>(one_hot_encode(e.label_, shape[1]))) *
           detail::Repeat<2u>(g * detail::IsLabel<DType>(e.label_, shape[1]), shape);
  }
};

}  // namespace expr

/// out[i] = -log softmax(x)[i][labels[i]]; x (n, classes), labels (n) -> (n). A row whose label is
/// no class, as -1, is left out: its loss and gradient are 0.
template <typename E, typename L, typename DType, typename LType, int etype, int ltype>
inline auto cross_entropy(const expr::Exp<E, DType, etype>& x,
                          const expr::Exp<L, LType, ltype>& labels) {
  static_assert(expr::ExpInfo<E>::kDim == 2 && expr::ExpInfo<L>::kDim == 1,
                "mshadow: cross_entropy takes a matrix and a vector of labels");
  if constexpr (expr::detail::kVaries<E>) {
    return expr::CrossEntropyExp<E, L, DType>(x.self(), labels.self());
  } else {
    return expr::detail::CrossEntropy(x.self(), labels.self());
  }
}
MSHADOW_OWNS_TEMPORARIES_(cross_entropy)
/// The sum, and the mean, of all elements as an expression: a vector of one. (sum(x) is a number.)
template <typename E, typename DType, int etype>
inline auto sum_all(const expr::Exp<E, DType, etype>& x) {
  const index_t n = static_cast<index_t>(expr::detail::ShapeOf(x.self()).Size());
  return expr::adl::sum<1>(reshape(x, Shape2(1, n)));
}
template <typename E, typename DType, int etype>
inline auto mean_all(const expr::Exp<E, DType, etype>& x) {
  const index_t n = static_cast<index_t>(expr::detail::ShapeOf(x.self()).Size());
  return expr::adl::mean<1>(reshape(x, Shape2(1, n)));
}
MSHADOW_OWNS_TEMPORARIES_(sum_all)
MSHADOW_OWNS_TEMPORARIES_(mean_all)
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_ROWS_H_
