// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

namespace compare {
namespace {

template <int rank>
Body Sgd(Job& job) {
  return Into<rank>(
      job, [](auto& w, auto& g) { xt::noalias(w) = -kEta * (g + kLambda * w); }, In<rank>(job, 1));
}
Body Momentum(Job& job) {
  return Into<1>(
      job,
      [](auto& w, auto& v, auto& g) {
        xt::noalias(v) = kMomentum * v - kEta * (g + kLambda * w);
        xt::noalias(w) += v;
      },
      In<1>(job, 1), In<1>(job, 2));
}
Body Sigmoid(Job& job) {
  return Into<1>(
      job, [](auto& o, auto& a) { xt::noalias(o) = 1.0f / (1.0f + xt::exp(-a)); }, In<1>(job, 0));
}
Body Tanh(Job& job) {
  return Into<1>(
      job, [](auto& o, auto& a) { xt::noalias(o) = xt::tanh(a); }, In<1>(job, 0));
}
Body Exp(Job& job) {
  return Into<1>(
      job, [](auto& o, auto& a) { xt::noalias(o) = xt::exp(a); }, In<1>(job, 0));
}
Body Gelu(Job& job) {
  return Into<1>(
      job, [](auto& o, auto& a) { xt::noalias(o) = 0.5f * a * (1.0f + xt::erf(a * 0.70710678f)); },
      In<1>(job, 0));
}
Body Chain(Job& job) {
  return Into<1>(
      job,
      [](auto& o, auto& a, auto& b) {
        xt::noalias(o) = 1.0f / (1.0f + xt::exp(-(xt::tanh(a) + xt::exp(b))));
      },
      In<1>(job, 0), In<1>(job, 1));
}
/// Extents of 1 are broadcast.
template <int rank, int axis>
Body Bias(Job& job) {
  Extents shape(rank, 1);
  shape[axis] = job.count(1);
  return Into<rank>(
      job, [](auto& o, auto& a, auto& bias) { xt::noalias(o) = a + bias; }, In<rank>(job, 0),
      In<rank>(job, 1, shape));
}
Body BiasLast(Job& job) {
  return Into<2>(
      job, [](auto& o, auto& a, auto& bias) { xt::noalias(o) = a + bias; }, In<2>(job, 0),
      In<1>(job, 1));
}
template <long first>
Body View(Job& job) {
  return Into<2>(
      job,
      [](auto& w, auto& g) {
        auto columns = xt::range(first, first + kColumns);
        auto to = xt::view(w, xt::all(), columns);
        xt::noalias(to) = -kEta * (xt::view(g, xt::all(), columns) + kLambda * to);
      },
      In<2>(job, 1));
}

}  // namespace

std::vector<Entry> Maps() {
  return {{"sgd", Sgd<1>},
          {"narrow_sgd", Sgd<2>},
          {"whole", Sgd<2>},
          {"momentum", Momentum},
          {"sigmoid", Sigmoid},
          {"tanh", Tanh},
          {"exp", Exp},
          {"gelu", Gelu},
          {"chain", Chain},
          {"bias0", Bias<2, 0>},
          {"bias1", Bias<4, 1>},
          {"bias_last", BiasLast},
          {"narrow_bias", BiasLast},
          {"padded", View<0>},
          {"sliced", View<kFirstColumn>}};
}

}  // namespace compare
