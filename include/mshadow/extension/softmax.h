// SPDX-License-Identifier: Apache-2.0
// softmax<axis>(x), log_softmax<axis>(x), layer_norm(x, gamma, beta): steps of networks as parts of
// expressions.
#ifndef MSHADOW_EXTENSION_SOFTMAX_H_
#define MSHADOW_EXTENSION_SOFTMAX_H_

#include <type_traits>

#include "../expr/functions.h"
#include "../expr/overlap.h"
#include "../expr/typecast.h"
#include "reduction.h"
#include "reshape.h"

MSHADOW_NAMESPACE_BEGIN

template <typename Device>
struct FunctionApi;

namespace expr {

/// dst[..][i][..] = exp(src[..][i][..]) / sum_j exp(src[..][j][..]) along `axis`; src -> its shape.
template <typename SrcExp, typename DType, int rank, int axis>
struct SoftmaxExp : public Exp<SoftmaxExp<SrcExp, DType, rank, axis>, DType, type::kComplex> {
  static constexpr int kRank = rank;
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask;
  SrcExp src_;
  explicit SoftmaxExp(const SrcExp& src) : src_(src) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return ShapeCheck<dim, SrcExp>::Check(src_);
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return written.first && expr::Overlaps(src_, written, false);
  }
};

template <typename SrcExp, typename DType, int rank, int axis>
class Plan<SoftmaxExp<SrcExp, DType, rank, axis>, DType>
    : public detail::MaterialisedPlan<SoftmaxExp<SrcExp, DType, rank, axis>, DType> {
 public:
  explicit Plan(const SoftmaxExp<SrcExp, DType, rank, axis>& e) : Plan::MaterialisedPlan(e) {}
};

namespace detail {

/// A tensor as the back end takes it: a matrix whose rows are along the last axis, or three axes
/// whose middle one is `axis`. There is no such view of padded rows where more than one axis
/// follows `axis`.
template <int axis, typename Device, int rank, typename DType>
inline bool HasAxisView(const Tensor<Device, rank, DType>& t) {
  return axis >= rank - 2 || t.CheckContiguous();
}
template <int axis, typename Device, int rank, typename DType>
inline auto AxisView(const Tensor<Device, rank, DType>& t) {
  if constexpr (axis == rank - 1) {
    return t.FlatTo2D();
  } else {
    const index_t inner = t.shape_.CheckedProdShape(axis + 1, rank);
    return Tensor<Device, 3, DType>(
        t.dptr_, Shape3(t.shape_.CheckedProdShape(0, axis), t.shape_[axis], inner),
        axis == rank - 2 ? t.stride_ : inner, t.stream_);
  }
}

}  // namespace detail

template <typename Saver, typename R, typename SrcExp, typename DType, int rank, int axis>
struct ExpComplexEngine<Saver, R, SoftmaxExp<SrcExp, DType, rank, axis>, DType> {
  using E = SoftmaxExp<SrcExp, DType, rank, axis>;
  template <typename Device>
  static void EvalOn(TRValue<R, Device, rank, DType>* dst, const E& e) {
    static_assert((E::kDevices & Device::kDevMask) != 0,
                  "mshadow: softmax and the tensor it is assigned to live on different devices; "
                  "use Copy(dst, src)");
    using Target = Tensor<Device, rank, DType>;
    const Shape<rank> eshape = e.template GetShape<rank>();
    const Shape<rank> dshape = ShapeCheck<rank, R>::Check(dst->self());
    if (!MSHADOW_LIKELY(eshape == dshape)) mshadow::detail::ThrowAssignMismatch(eshape, dshape);
    Stream<Device>* const stream = StreamInfo<Device, R>::Get(dst->self());
    if constexpr (std::is_same_v<Saver, sv::saveto> && std::is_same_v<R, Target>) {
      if (detail::HasAxisView<axis>(dst->self())) return Into(dst->ptrself(), e.src_);
    }
    mshadow::detail::Temporary<Device, rank, DType> result(dshape, stream);
    Into(&result.tensor(), e.src_);
    ExpEngine<Saver, R, DType>::Eval(dst->ptrself(), result.tensor());
  }
  static void Eval(R* dst, const E& e) {
    static_assert(ExpInfo<R>::kDim == rank,
                  "mshadow: softmax is assigned to a tensor of another number of axes");
    if constexpr (ExpInfo<R>::kDim == rank) EvalOn(dst, e);
  }

 private:
  /// *dst = softmax(src); what is no tensor is computed into *dst first.
  template <typename Device>
  static void Into(Tensor<Device, rank, DType>* dst, const SrcExp& src) {
    const auto to = detail::AxisView<axis>(*dst);
    if constexpr (std::is_same_v<SrcExp, Tensor<Device, rank, DType>>) {
      if (detail::HasAxisView<axis>(src)) {
        mshadow::detail::OnOperand(to, detail::AxisView<axis>(src), true, [&to](const auto& from) {
          FunctionApi<Device>::Softmax(to, from);
        });
        return;
      }
    }
    ExpEngine<sv::saveto, Tensor<Device, rank, DType>, DType>::Eval(dst, src);
    FunctionApi<Device>::Softmax(to, to);
  }
};

namespace detail {

/// `axis` counted from the front; -1 where a Rank has no such axis.
constexpr int AxisFromFront(int axis, int rank) {
  return -rank <= axis && axis < rank ? (axis < 0 ? axis + rank : axis) : -1;
}

/// True if the operand of one of these steps may be E; else the error says why not.
template <typename E, typename DType, int axis>
constexpr bool IsStepOperand() {
  constexpr int kDim = ExpInfo<E>::kDim;
  constexpr bool kFractions = std::is_floating_point_v<DType> || float16::kIsFloat16<DType>;
  static_assert(kDim > 0, "mshadow: softmax, log_softmax and layer_norm take an expression with "
                          "axes whose operands fit each other");
  static_assert(kDim <= 0 || AxisFromFront(axis, kDim) >= 0,
                "mshadow: softmax along an axis that the expression does not have; axes are 0, 1, "
                "..., and -1, -2, ... from the end");
  static_assert(kFractions,
                "mshadow: softmax, log_softmax and layer_norm take real numbers and give "
                "fractions; convert integers with tcast<float>(x)");
  return kDim > 0 && AxisFromFront(axis, kDim) >= 0 && kFractions;
}

/// As statistic::Max, but -inf over nothing, where max throws.
template <typename DType>
struct Largest : statistic::Extreme<red::maximum, DType> {};

/// f(x) for an expression of two axes or more, of float where x has 16-bit elements, whose
/// differences and squares would lose digits and overflow. A vector is a matrix of one row there:
/// its reductions are expressions, too.
template <typename E, typename DType, int etype, typename F>
inline auto InWideRows(const Exp<E, DType, etype>& x, const F& f) {
  if constexpr (ExpInfo<E>::kDim == 1) {
    const Shape<1> shape = ShapeCheck<1, E>::Check(x.self());
    return reshape(InWideRows(reshape(x, Shape2(1, shape[0])), f), shape);
  } else if constexpr (float16::kIsFloat16<DType>) {
    return tcast<DType>(f(tcast<float>(WithoutLostAxes(x.self()))));
  } else {
    return f(WithoutLostAxes(x.self()));
  }
}
/// A vector beside x there.
template <typename E, typename DType, int etype>
inline auto Widened(const Exp<E, DType, etype>& e) {
  if constexpr (float16::kIsFloat16<DType>) {
    return tcast<float>(WithoutLostAxes(e.self()));
  } else {
    return WithoutLostAxes(e.self());
  }
}

}  // namespace detail

namespace adl {

/// out[..][i][..] = exp(x[..][i][..]) / sum_j exp(x[..][j][..]) along `axis`, the last one where
/// none is named; -1, -2, ... count from the end. x any expression of floating-point numbers -> its
/// shape. The largest element is subtracted first, so that nothing overflows; NaN or +inf in a row
/// makes the row NaN. As an operand of a larger expression it is computed first.
template <int axis = -1, typename E>
inline auto softmax(const AdlTag<E>& src) {
  const E& x = static_cast<const E&>(src);
  using DType = detail::ElementOfExp<E>;
  if constexpr (detail::IsStepOperand<E, DType, axis>()) {
    constexpr int kDim = ExpInfo<E>::kDim, kAxis = detail::AxisFromFront(axis, kDim);
    if constexpr (kDim == 1) {
      const Shape<1> shape = ShapeCheck<1, E>::Check(x.self());
      return reshape(softmax<1>(reshape(x, Shape2(1, shape[0]))), shape);
    } else {
      return SoftmaxExp<E, DType, kDim, kAxis>(x.self());
    }
  } else {
    return x;  // so that the sentence is the only error
  }
}
MSHADOW_OWNS_TEMPORARIES_OF_(int, softmax)

/// out[..][i][..] = x[..][i][..] - log(sum_j exp(x[..][j][..])) along `axis`: the logarithm of
/// softmax<axis>(x), without its underflow. x any expression of floating-point numbers -> its
/// shape. Computes x up to three times: eval(x) first where it is expensive. (Products
/// and reductions in x are computed once anyway.)
template <int axis = -1, typename E>
inline auto log_softmax(const AdlTag<E>& x) {
  if constexpr (detail::IsStepOperand<E, detail::ElementOfExp<E>, axis>()) {
    return detail::InWideRows(static_cast<const E&>(x), [](const auto& e) {
      constexpr int kRank = ExpInfo<std::decay_t<decltype(e)>>::kDim;
      constexpr int kAxis =
          ExpInfo<E>::kDim == 1 ? 1 : detail::AxisFromFront(axis, ExpInfo<E>::kDim);
      static_assert(kAxis < kRank);
      const auto shifted = e - detail::Reduced<detail::Largest, kAxis>(e);
      return shifted - log(sum<kAxis>(exp(shifted)));
    });
  } else {
    return static_cast<const E&>(x);
  }
}
MSHADOW_OWNS_TEMPORARIES_OF_(int, log_softmax)

/// out[..][i] = gamma[i] * (x[..][i] - mean) / sqrt(var + eps) + beta[i], mean and (population)
/// variance being those of the row x[..]; x of any rank, gamma and beta vectors of its last extent
/// -> the shape of x. Throws Error with both shapes where they do not fit. Elements of 16 bits are
/// computed in float. Computes x up to three times: eval(x) first where it is expensive.
/// J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer normalization", 2016.
template <typename E, typename DType, typename G, typename B, int etype, int gtype, int btype>
inline auto layer_norm(const Exp<E, DType, etype>& x, const Exp<G, DType, gtype>& gamma,
                       const Exp<B, DType, btype>& beta, double eps = 1e-5) {
  if constexpr (detail::IsStepOperand<E, DType, -1>()) {
    static_assert(ExpInfo<G>::kDim == 1 && ExpInfo<B>::kDim == 1,
                  "mshadow: gamma and beta of layer_norm are vectors of the last extent of x");
    return detail::InWideRows(x, [&](const auto& e) {
      using Wide = decltype(detail::DTypeOf(e));
      return (e - mean<-1>(e)) * rsqrt(var<-1>(e) + static_cast<Wide>(eps)) *
                 detail::Widened(gamma) +
             detail::Widened(beta);
    });
  } else {
    return x.self();
  }
}
MSHADOW_OWNS_TEMPORARIES_(layer_norm)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END

namespace mshadow_functions {
using mshadow::expr::adl::log_softmax;
using mshadow::expr::adl::softmax;
}  // namespace mshadow_functions
#endif  // MSHADOW_EXTENSION_SOFTMAX_H_
