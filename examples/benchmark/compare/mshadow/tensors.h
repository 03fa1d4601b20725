// SPDX-License-Identifier: Apache-2.0
// The operands and the result of a job as tensors.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_COMPARE_MSHADOW_TENSORS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_COMPARE_MSHADOW_TENSORS_H_

#include <mshadow/tensor.h>

#include "../parts.h"

namespace compare {

template <int dim>
mshadow::Shape<dim> ShapeOf(const Extents& extents) {
  mshadow::Shape<dim> shape;
  for (int i = 0; i < dim; ++i) shape[i] = static_cast<mshadow::index_t>(extents[i]);
  return shape;
}

template <int dim>
using Floats = mshadow::Tensor<mshadow::cpu, dim, float>;

template <int dim>
Floats<dim> In(const Job& job, int i) {
  return Floats<dim>(job.in(i), ShapeOf<dim>(job.what().in[i].shape));
}
template <int dim>
Floats<dim> Out(const Job& job) {
  return Floats<dim>(job.out(), ShapeOf<dim>(job.what().ResultShape()));
}
inline mshadow::Tensor<mshadow::cpu, 1, std::int32_t> Indices(const Job& job, int i) {
  return {job.indices(i), mshadow::Shape1(static_cast<mshadow::index_t>(job.count(i)))};
}

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_COMPARE_MSHADOW_TENSORS_H_
