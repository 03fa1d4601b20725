// SPDX-License-Identifier: Apache-2.0
// Operands and results as tensors of xtensor, which hold their own memory.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_XTENSOR_TENSORS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_XTENSOR_TENSORS_H_

#include <algorithm>
#include <tuple>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "../peer.h"

namespace compare {

template <int rank>
using Tensor = xt::xtensor<float, rank>;

template <int rank>
Tensor<rank> Copied(const float* data, const Extents& extents) {
  typename Tensor<rank>::shape_type shape;
  std::copy(extents.begin(), extents.end(), shape.begin());
  Tensor<rank> tensor(shape);
  std::copy_n(data, Product(extents), tensor.data());
  return tensor;
}

/// Operand i; the same elements in another shape.
template <int rank>
Tensor<rank> In(const Job& job, int i, const Extents& shape) {
  return Copied<rank>(job.in(i), shape);
}
template <int rank>
Tensor<rank> In(const Job& job, int i = 0) {
  return In<rank>(job, i, job.what().in[i].shape);
}

/// What a statement works on: f(o, operands..) computes the result o, of some shape.
template <int rank, typename F, typename... Operands>
Body With(Job& job, const Extents& shape, F f, Operands... operands) {
  // Shared: a Body may be copied, its result may not move.
  const auto o = std::make_shared<Tensor<rank>>(Copied<rank>(job.out(), shape));
  job.ResultIsAt(o->data());
  const auto all = std::make_shared<std::tuple<Operands...>>(std::move(operands)...);
  return [o, all, f]() mutable { std::apply([&](auto&... each) { f(*o, each...); }, *all); };
}
template <int rank, typename F, typename... Operands>
Body Into(Job& job, F f, Operands... operands) {
  return With<rank>(job, job.what().ResultShape(), f, std::move(operands)...);
}
/// o = f(operand 0)
template <int rank, int rank_of_operand = rank, typename F>
Body Of(Job& job, F f) {
  return Into<rank>(
      job, [f](auto& o, auto& a) { xt::noalias(o) = f(a); }, In<rank_of_operand>(job));
}

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_XTENSOR_TENSORS_H_
