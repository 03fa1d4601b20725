// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace compare {
namespace {

Body Dot(Job& job) {
  return [o = Out<2>(job), a = In<2>(job, 0), b = In<2>(job, 1)]() mutable { o = dot(a, b); };
}

Body BatchDot(Job& job) {
  return [o = Out<3>(job), a = In<3>(job, 0), b = In<3>(job, 1)]() mutable {
    o = batch_dot<false, false>(a, b);
  };
}

Body Train(Job& job) {
  const index_t n = static_cast<index_t>(job.n());
  float* const p = job.out();
  Floats<2> w1(p + Network::kWeight1, Shape2(kInputs, kHidden));
  Floats<1> b1(p + Network::kBias1, Shape1(kHidden));
  Floats<2> w2(p + Network::kWeight2, Shape2(kHidden, kClasses));
  Floats<1> b2(p + Network::kBias2, Shape1(kClasses));
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

}  // namespace

std::vector<Entry> Products() { return {{"dot", Dot}, {"batch_dot", BatchDot}, {"train", Train}}; }

}  // namespace compare
