// SPDX-License-Identifier: Apache-2.0
// Products, reductions and operands of lower rank inside statements, as their formulas read.
#include <mshadow/nn.h>

#include <cmath>

#include "tensors.h"

namespace compare {
namespace {

void Dense(Job& j) {
  const auto x = In<2>(j), w = In<2>(j, 1);
  const auto b = In<1>(j, 2);
  Out<2>(j) = relu(dot(x, w) + b);
}
void Attention(Job& j) {
  const auto q = In<2>(j), k = In<2>(j, 1), v = In<2>(j, 2);
  const float scale = 1 / std::sqrt(static_cast<float>(q.size(1)));
  Out<2>(j) = dot(softmax<1>(dot(q, k.T()) * scale), v);
}
void Distances(Job& j) {
  const auto x = In<2>(j), c = In<2>(j, 1);
  const auto c2 = eval(sum<1>(c * c));
  Out<2>(j) = sum<1>(x * x) - 2 * dot(x, c.T()) + c2;
}
void SoftmaxFormula(Job& j) {
  const auto x = In<2>(j);
  const auto e = exp(x - max<1>(x));
  Out<2>(j) = e / sum<1>(e);
}
template <int axis>
void Normalise(Job& j) {
  const auto x = In<2>(j);
  const auto gamma = In<1>(j, 1), beta = In<1>(j, 2);
  Out<2>(j) = gamma * (x - mean<axis>(x)) / sqrt(var<axis>(x) + kEpsilon) + beta;
}
void NormaliseChannels(Job& j) {
  const auto x = In<4>(j);
  const auto gamma = broadcast<1>(In<1>(j, 1), x.shape_),
             beta = broadcast<1>(In<1>(j, 2), x.shape_);
  Out<4>(j) = gamma * (x - mean<0, 2, 3>(x)) / sqrt(var<0, 2, 3>(x) + kEpsilon) + beta;
}
void MeanAndVar(Job& j) {
  const auto x = In<2>(j);
  Tensor<cpu, 1> m(j.out(), Shape1(x.size(0))), v(j.out() + x.size(0), m.shape_);
  m = mean<1>(x);
  v = var<1>(x);
}

const Entries entries{
    {"dense", Dense},
    {"attention", Attention},
    {"distances", Distances},
    {"softmax_formula", SoftmaxFormula},
    {"layer_norm", Normalise<1>},
    {"batch_norm", Normalise<0>},
    {"batch_norm_images", NormaliseChannels},
    {"mean_and_var", MeanAndVar},
    {"sum_0", [](Job& j) { Out<1>(j) = sum<0>(In<2>(j)); }},
    {"sum_1", [](Job& j) { Out<1>(j) = sum<1>(In<2>(j)); }},
    {"var_1", [](Job& j) { Out<1>(j) = var<1>(In<2>(j)); }},
    {"logsumexp", [](Job& j) { Out<1>(j) = logsumexp<1>(In<2>(j)); }},
    {"argmax_rows", [](Job& j) { Out<1>(j) = tcast<float>(argmax<1>(In<2>(j))); }},
};

}  // namespace
}  // namespace compare
