// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace compare {
namespace {

template <int dim>
Body Sgd(Job& job) {
  return [w = Out<dim>(job), g = In<dim>(job, 1)]() mutable { w = -kEta * (g + kLambda * w); };
}

Body Momentum(Job& job) {
  return [w = Out<1>(job), v = In<1>(job, 1), g = In<1>(job, 2)]() mutable {
    Fuse(lazy(v) = kMomentum * v - kEta * (g + kLambda * w), lazy(w) += v);
  };
}

template <typename Op>
Body Function(Job& job) {
  return [o = Out<1>(job), a = In<1>(job, 0)]() mutable { o = F<Op>(a); };
}

Body Chain(Job& job) {
  return [o = Out<1>(job), a = In<1>(job, 0), b = In<1>(job, 1)]() mutable {
    o = F<op::sigmoid>(F<op::tanh>(a) + F<op::exp>(b));
  };
}

template <int dim, int axis>
Body Bias(Job& job) {
  return [o = Out<dim>(job), a = In<dim>(job, 0), bias = In<1>(job, 1)]() mutable {
    o = a + broadcast<axis>(bias, a.shape_);
  };
}

Body ToHalf(Job& job) {
  Tensor<cpu, 1, half::half_t> o(reinterpret_cast<half::half_t*>(job.half_out()),
                                 In<1>(job, 0).shape_);
  return [o, a = In<1>(job, 0)]() mutable { o = tcast<half::half_t>(a); };
}

Body FromHalf(Job& job) {
  const Tensor<cpu, 1, half::half_t> a(reinterpret_cast<half::half_t*>(job.halves(0)),
                                       Out<1>(job).shape_);
  return [o = Out<1>(job), a]() mutable { o = tcast<float>(a); };
}

/// Rows of kColumns elements, kPitch apart.
Body Padded(Job& job) {
  const auto pad = [](const Floats<2>& whole) {
    return Floats<2>(whole.dptr_, Shape2(whole.size(0), kColumns), kPitch, nullptr);
  };
  return
      [w = pad(Out<2>(job)), g = pad(In<2>(job, 1))]() mutable { w = -kEta * (g + kLambda * w); };
}

Body Sliced(Job& job) {
  const auto columns = [](const Floats<2>& whole) {
    return slice<1>(whole, kFirstColumn, kFirstColumn + kColumns);
  };
  return [columns, w = Out<2>(job), g = In<2>(job, 1)]() mutable {
    columns(w) = -kEta * (columns(g) + kLambda * columns(w));
  };
}

}  // namespace

std::vector<Entry> Maps() {
  return {{"sgd", Sgd<1>},
          {"narrow_sgd", Sgd<2>},
          {"whole", Sgd<2>},
          {"momentum", Momentum},
          {"sigmoid", Function<op::sigmoid>},
          {"tanh", Function<op::tanh>},
          {"exp", Function<op::exp>},
          {"gelu", Function<op::gelu>},
          {"chain", Chain},
          {"bias0", Bias<2, 0>},
          {"bias1", Bias<4, 1>},
          {"bias_last", Bias<2, 1>},
          {"narrow_bias", Bias<2, 1>},
          {"to_half", ToHalf},
          {"from_half", FromHalf},
          {"padded", Padded},
          {"sliced", Sliced}};
}

}  // namespace compare
