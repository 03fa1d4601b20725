// SPDX-License-Identifier: Apache-2.0
// Normalisations of networks as formulas: rms_norm, batch_norm, group_norm; and dropout.
#ifndef MSHADOW_EXTENSION_NORMALISE_H_
#define MSHADOW_EXTENSION_NORMALISE_H_

#include "../expr/functions.h"
#include "../expr/operators.h"
#include "../expr/typecast.h"
#include "broadcast.h"
#include "reduction.h"
#include "reshape.h"
#include "softmax.h"
#include "where.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {
template <typename E>
inline auto ShapeOfOperand(const E& e) {
  return ShapeCheck<ExpInfo<E>::kDim, E>::Check(e);
}
/// (x - mean) / sqrt(var + eps), mean and variance over <axes...>; of 16-bit floats in float, as
/// squares of theirs overflow.
template <int... axes, typename E>
inline auto Normalised(const E& x, double eps) {
  using DType = ElementOfExp<E>;
  if constexpr (float16::kIsFloat16<DType>) {
    return tcast<DType>(Normalised<axes...>(tcast<float>(x), eps));
  } else {
    return (x - Reduced<statistic::Mean, axes...>(x)) *
           rsqrt(Reduced<statistic::Var, axes...>(x) + static_cast<DType>(eps));
  }
}
/// x / sqrt(mean(x^2) + eps), the mean over the last axis.
template <typename E>
inline auto OfUnitSquare(const E& x, double eps) {
  return InWideRows(x, [eps](const auto& e) {
    using Wide = decltype(DTypeOf(e));
    return e * rsqrt(Reduced<statistic::Mean, -1>(square(e)) + static_cast<Wide>(eps));
  });
}
/// x gamma + beta. gamma and beta are vectors along axis 1 of x.
template <typename E, typename G, typename B, int dim>
inline auto ByChannel(const E& x, const G& gamma, const B& beta, const Shape<dim>& shape) {
  return x * broadcast<1>(gamma, shape) + broadcast<1>(beta, shape);
}
}  // namespace detail

namespace adl {

/// x / sqrt(mean(x^2) + eps) * gamma, the mean over the last axis, along which gamma is a vector; x
/// of any rank. Zhang and Sennrich, 2019: https://arxiv.org/abs/1910.07467
template <typename E, typename G, typename DType, int e1, int e2>
inline auto rms_norm(const Exp<E, DType, e1>& x, const Exp<G, DType, e2>& gamma,
                     double eps = 1e-6) {
  static_assert(ExpInfo<G>::kDim == 1, "mshadow: rms_norm takes a vector gamma");
  return detail::OfUnitSquare(x.self(), eps) * gamma;
}

/// (x - mean) / sqrt(var + eps) * gamma + beta by channel, axis 1 of x (n, c, y, x) or (n, c), with
/// the mean and the population variance of this batch. Throws Error where gamma or beta has another
/// extent than c. Ioffe and Szegedy, 2015: https://arxiv.org/abs/1502.03167
template <typename E, typename G, typename B, typename DType, int e1, int e2, int e3>
inline auto batch_norm(const Exp<E, DType, e1>& x, const Exp<G, DType, e2>& gamma,
                       const Exp<B, DType, e3>& beta, double eps = 1e-5) {
  constexpr int kDim = ExpInfo<E>::kDim;
  static_assert(kDim == 2 || kDim == 4, "mshadow: batch_norm takes (n, c) or (n, c, y, x)");
  const auto shape = detail::ShapeOfOperand(x.self());
  if constexpr (kDim == 2) {
    return detail::ByChannel(detail::Normalised<0>(x.self(), eps), gamma.self(), beta.self(),
                             shape);
  } else {
    return detail::ByChannel(detail::Normalised<0, 2, 3>(x.self(), eps), gamma.self(), beta.self(),
                             shape);
  }
}
/// The same with a mean and a variance for each channel, as in use after training.
template <typename E, typename M, typename V, typename G, typename B, typename DType, int e1,
          int e2, int e3, int e4, int e5>
inline auto batch_norm(const Exp<E, DType, e1>& x, const Exp<M, DType, e2>& mean,
                       const Exp<V, DType, e3>& var, const Exp<G, DType, e4>& gamma,
                       const Exp<B, DType, e5>& beta, double eps = 1e-5) {
  const auto shape = detail::ShapeOfOperand(x.self());
  const auto scale = gamma.self() * rsqrt(var.self() + static_cast<DType>(eps));
  return detail::ByChannel(x.self() - broadcast<1>(mean.self(), shape), scale, beta.self(), shape);
}
/// The same with means and variances over each of `groups` groups of channels of each image.
/// Throws Error where the channels are no multiple of `groups`. Wu and He, 2018:
/// https://arxiv.org/abs/1803.08494
template <typename E, typename G, typename B, typename DType, int e1, int e2, int e3>
inline auto group_norm(const Exp<E, DType, e1>& x, index_t groups, const Exp<G, DType, e2>& gamma,
                       const Exp<B, DType, e3>& beta, double eps = 1e-5) {
  static_assert(ExpInfo<E>::kDim == 4, "mshadow: group_norm takes (n, c, y, x)");
  const Shape<4> shape = detail::ShapeOfOperand(x.self());
  MSHADOW_CHECK(groups > 0 && shape[1] % groups == 0)
      << "group_norm: " << groups << " groups of the channels of " << shape;
  const auto rows = reshape(x, Shape2(shape[0] * groups, shape[1] / groups * shape[2] * shape[3]));
  return detail::ByChannel(reshape(detail::Normalised<1>(rows, eps), shape), gamma.self(),
                           beta.self(), shape);
}

/// x / (1 - p) with probability 1 - p, else 0; 0 <= p < 1. For training. `random` is a
/// Random<Device, DType>, of the device and element type of x: a call is a draw of it, and needs no
/// memory. Throws Error on another p. Srivastava et al., 2014:
/// https://jmlr.org/papers/v15/srivastava14a.html
template <typename E, typename DType, int etype, typename Generator>
inline auto dropout(const Exp<E, DType, etype>& x, double p, Generator* random) {
  MSHADOW_CHECK(0 <= p && p < 1) << "dropout: p = " << p << " is out of range: 0 to less than 1";
  return where(random->bernoulli(detail::ShapeOfOperand(x.self()), 1 - p),
               x * static_cast<DType>(1 / (1 - p)), DType(0));
}

MSHADOW_OWNS_TEMPORARIES_(rms_norm)
MSHADOW_OWNS_TEMPORARIES_(batch_norm)
MSHADOW_OWNS_TEMPORARIES_(group_norm)
MSHADOW_OWNS_TEMPORARIES_(dropout)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_NORMALISE_H_
