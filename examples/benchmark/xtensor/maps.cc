// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <xtensor/xtensor_config.hpp>

#include "tensors.h"

namespace compare {

std::string Description() {
  return std::to_string(XTENSOR_VERSION_MAJOR) + "." + std::to_string(XTENSOR_VERSION_MINOR) + "." +
         std::to_string(XTENSOR_VERSION_PATCH) + " with " + COMPARE_FLAGS;
}
void UseThreads(int) {}

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
  return Of<1>(job, [](auto& a) { return 1.0f / (1.0f + xt::exp(-a)); });
}
Body Gelu(Job& job) {
  return Of<1>(job, [](auto& a) { return 0.5f * a * (1.0f + xt::erf(a * 0.70710678f)); });
}
Body Chain(Job& job) {
  return Into<1>(
      job,
      [](auto& o, auto& a, auto& b) {
        xt::noalias(o) = 1.0f / (1.0f + xt::exp(-(xt::tanh(a) + xt::exp(b))));
      },
      In<1>(job), In<1>(job, 1));
}
/// Extents of 1 are broadcast.
template <int rank, int axis>
Body Bias(Job& job) {
  Extents shape(rank - axis, 1);
  shape[0] = job.count(1);
  return Into<rank>(
      job, [](auto& o, auto& a, auto& bias) { xt::noalias(o) = a + bias; }, In<rank>(job),
      In<rank - axis>(job, 1, shape));
}
template <long first>
Body View(Job& job) {
  return Into<2>(
      job,
      [cols = job.size(1)](auto& w, auto& g) {
        auto columns = xt::range(first, first + cols);
        auto to = xt::view(w, xt::all(), columns);
        xt::noalias(to) = -kEta * (xt::view(g, xt::all(), columns) + kLambda * to);
      },
      In<2>(job, 1));
}

const Entries entries{
    {"sgd", Sgd<1>},
    {"sgd_matrix", Sgd<2>},
    {"momentum", Momentum},
    {"sigmoid", Sigmoid},
    {"user_sigmoid", Sigmoid},
    {"tanh", [](Job& j) { return Of<1>(j, [](auto& a) { return xt::tanh(a); }); }},
    {"exp", [](Job& j) { return Of<1>(j, [](auto& a) { return xt::exp(a); }); }},
    {"gelu", Gelu},
    {"chain", Chain},
    {"bias0", Bias<2, 0>},
    {"bias1", Bias<4, 1>},
    {"bias_last", Bias<2, 1>},
    {"sgd_padded", View<0>},
    {"sgd_columns", View<3>},
};

}  // namespace
}  // namespace compare
