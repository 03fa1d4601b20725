// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

#include <cstdio>

namespace compare {
namespace {

template <bool trans_b>
Body Dot(Job& job) {
  // Once a program, beside the times of a BLAS that is not used.
  [[maybe_unused]] static const bool said =
      Blas<cpu>::Replaces() &&
      std::fprintf(stderr, "products by %s\n", Blas<cpu>::Name().c_str()) > 0;
  return [o = Out<2>(job), a = In<2>(job), b = In<2>(job, 1)]() mutable {
    if constexpr (trans_b) {
      o = dot(a, b.T());
    } else {
      o = dot(a, b);
    }
  };
}
void BuiltinGemm(Job& j) {
  const index_t n = In<2>(j).size(0);
  blas::Builtin::Gemm(false, false, n, n, n, 1.0f, j.in(0), n, j.in(1), n, 0.0f, j.out(), n);
}

Body Train(Job& job) {
  const index_t n = static_cast<index_t>(job.size(0));
  float* const p = job.out();
  Tensor<cpu, 2> w1(p + Network::kWeight1, Shape2(kInputs, kHidden));
  Tensor<cpu, 1> b1(p + Network::kBias1, Shape1(kHidden));
  Tensor<cpu, 2> w2(p + Network::kWeight2, Shape2(kHidden, kClasses));
  Tensor<cpu, 1> b2(p + Network::kBias2, Shape1(kClasses));
  TensorContainer<cpu, 2> hidden(Shape2(n, kHidden)), output(Shape2(n, kClasses));
  TensorContainer<cpu, 2> grad(hidden.shape_);
  const auto label = Indices(job, 2);
  const float rate = kEta / static_cast<float>(n);
  return [=, x = In<2>(job, 1)]() mutable {
    hidden = dot(x, w1);
    hidden = F<op::relu>(hidden + repmat(b1, n));
    output = dot(hidden, w2);
    output += repmat(b2, n);
    Softmax(output, output);
    SoftmaxGrad(output, output, label);
    grad = dot(output, w2.T());
    grad *= F<op::gt>(hidden, 0.0f);
    w2 -= rate * dot(hidden.T(), output);
    b2 -= rate * sum_rows(output);
    w1 -= rate * dot(x.T(), grad);
    b1 -= rate * sum_rows(grad);
  };
}

const Entries entries{
    {"dot", Dot<false>},
    {"dot_transposed", Dot<true>},
    {"builtin_gemm", BuiltinGemm},
    {"implicit_dot", [](Job& j) { Out<2>(j) = implicit_dot(In<2>(j), In<2>(j, 1)); }},
    {"batch_dot", [](Job& j) { Out<3>(j) = batch_dot<false, false>(In<3>(j), In<3>(j, 1)); }},
    {"train", Train},
};

}  // namespace
}  // namespace compare
