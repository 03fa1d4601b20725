// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace compare {
namespace {

Body SumRows(Job& job) {
  return [o = Out<1>(job), a = In<2>(job, 0)]() mutable { o = sum_rows(a); };
}

template <int dim, int axis>
Body SumExcept(Job& job) {
  return [o = Out<1>(job), a = In<dim>(job, 0)]() mutable { o = sumall_except_dim<axis>(a); };
}

/// A vector is one row of a matrix.
Body SumAll(Job& job) {
  const Floats<2> a(job.in(0), Shape2(1, static_cast<index_t>(job.n())));
  return [o = Out<1>(job), a]() mutable { o = sumall_except_dim<0>(a); };
}

Body MeanVariance(Job& job) {
  const index_t channels = static_cast<index_t>(kChannels);
  Floats<1> mean(job.out(), Shape1(channels)), variance(job.out() + channels, mean.shape_);
  return [=, a = In<4>(job, 0)]() mutable { mshadow::MeanVariance<1>(mean, variance, a); };
}

Body SoftmaxRows(Job& job) {
  return [o = Out<2>(job), a = In<2>(job, 0)]() mutable { Softmax(o, a); };
}

}  // namespace

std::vector<Entry> Reductions() {
  return {
      {"sum_rows", SumRows}, {"sum_columns", SumExcept<2, 0>}, {"sum_channels", SumExcept<4, 1>},
      {"sum_all", SumAll},   {"mean_variance", MeanVariance},  {"softmax", SoftmaxRows}};
}

}  // namespace compare
