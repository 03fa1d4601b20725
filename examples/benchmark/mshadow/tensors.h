// SPDX-License-Identifier: Apache-2.0
// The operands and the result of a job as tensors.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_MSHADOW_TENSORS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_MSHADOW_TENSORS_H_

#include <mshadow/tensor.h>

#include "../peer.h"

namespace compare {

using namespace mshadow;
using namespace mshadow::expr;

template <int dim>
Shape<dim> ShapeOf(const Extents& extents) {
  Shape<dim> shape;
  for (int i = 0; i < dim; ++i) shape[i] = static_cast<index_t>(extents[i]);
  return shape;
}

/// Operand i, and the result.
template <int dim, typename DType = float>
Tensor<cpu, dim, DType> In(const Job& job, int i = 0) {
  return {reinterpret_cast<DType*>(job.in(i)), ShapeOf<dim>(job.what().in[i].shape)};
}
template <int dim, typename DType = float>
Tensor<cpu, dim, DType> Out(const Job& job) {
  return {reinterpret_cast<DType*>(job.out()), ShapeOf<dim>(job.what().ResultShape())};
}
inline Tensor<cpu, 1, std::int32_t> Indices(const Job& job, int i = 0) {
  return In<1, std::int32_t>(job, i);
}
/// The columns that the size names, of a matrix of longer rows.
inline Tensor<cpu, 2> Columns(const Job& job, const Tensor<cpu, 2>& whole) {
  const index_t cols = static_cast<index_t>(job.size(1));
  return {whole.dptr_, Shape2(whole.size(0), cols), whole.stride_, nullptr};
}

/// o = F<Op>(a)
template <typename Op>
Body Function(Job& job) {
  return [o = Out<1>(job), a = In<1>(job)]() mutable { o = F<Op>(a); };
}

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_MSHADOW_TENSORS_H_
