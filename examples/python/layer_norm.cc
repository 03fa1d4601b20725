// SPDX-License-Identifier: Apache-2.0
// Layer normalisation and its gradient, for NumPy and PyTorch. https://arxiv.org/abs/1607.06450
#include "tensor_caster.h"

using namespace mshadow;
using namespace mshadow::expr;
template <typename T>
using Matrix = Tensor<cpu, 2, T>;
template <typename T>
using Vector = Tensor<cpu, 1, T>;

// A new tensor: each row of x minus its mean, over its standard deviation, times gain, plus bias.
template <typename T>
TensorContainer<cpu, 2, T> Forward(Matrix<const T> x, Vector<const T> gain, Vector<const T> bias) {
  return (x - mean<1>(x)) / sqrt(var<1>(x) + T(1e-5)) * gain + bias;
}

// Writes into the caller's arrays the gradients by x, gain and bias, from dy, that by the result.
template <typename T>
void Backward(Matrix<T> dx, Vector<T> dgain, Vector<T> dbias, Matrix<const T> dy, Matrix<const T> x,
              Vector<const T> gain) {
  const TensorContainer<cpu, 2, T> normal = (x - mean<1>(x)) / sqrt(var<1>(x) + T(1e-5));
  const TensorContainer<cpu, 2, T> g = dy * gain;
  dgain = sum<0>(dy * normal);
  dbias = sum<0>(dy);
  dx = (g - mean<1>(g) - normal * mean<1>(g * normal)) / sqrt(var<1>(x) + T(1e-5));
}

// A new tensor: x summed along its rows, whatever the strides of x are.
template <typename T>
TensorContainer<cpu, 1, T> RowSums(View<cpu, 2, const T> x) {
  return sum<1>(x);
}

template <typename T>
void Bind(pybind11::module_& m) {
  using namespace pybind11::literals;
  const pybind11::call_guard<pybind11::gil_scoped_release> unlocked;  // other threads may run
  m.def("forward", &Forward<T>, unlocked, "x"_a, "gain"_a, "bias"_a);
  m.def("backward", &Backward<T>, unlocked, "dx"_a, "dgain"_a, "dbias"_a, "dy"_a, "x"_a, "gain"_a);
  m.def("row_sums", &RowSums<T>, unlocked, "x"_a);
}

PYBIND11_MODULE(layer_norm, m) {
  BindTensors(m);  // what tensor_caster.h needs in every module
  Bind<float>(m);
  Bind<double>(m);
}
