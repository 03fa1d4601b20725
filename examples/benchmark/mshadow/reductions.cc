// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tensors.h"

namespace compare {
namespace {

/// A vector is one row of a matrix.
void SumAll(Job& j) {
  Out<1>(j) = sumall_except_dim<0>(Tensor<cpu, 2>(j.in(0), Shape2(1, In<1>(j).size(0))));
}
void Moments(Job& j) {
  const index_t channels = static_cast<index_t>(j.size(1));
  Tensor<cpu, 1> mean(j.out(), Shape1(channels)), variance(j.out() + channels, mean.shape_);
  MeanVariance<1>(mean, variance, In<4>(j));
}

/// log(sum of exp(x)), as a user writes it.
struct LogSumExp {
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& dst) {
    dst = DType(0);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, DType src) {
    dst = dst + std::exp(src);
  }
  template <typename DType>
  MSHADOW_XINLINE static void Merge(volatile DType& dst, volatile DType& src) {
    dst = dst + src;
  }
  template <typename DType>
  MSHADOW_XINLINE static void Finalize(volatile DType& dst) {
    const DType sum = dst;
    dst = std::log(sum);
  }
};

const Entries entries{
    {"sum_rows", [](Job& j) { Out<1>(j) = sum_rows(In<2>(j)); }},
    {"sum_columns", [](Job& j) { Out<1>(j) = sumall_except_dim<0>(In<2>(j)); }},
    {"sum_channels", [](Job& j) { Out<1>(j) = sumall_except_dim<1>(In<4>(j)); }},
    {"sum_all", SumAll},
    {"mean_variance", Moments},
    {"softmax", [](Job& j) { Softmax(Out<2>(j), In<2>(j)); }},
    {"reduce_1", [](Job& j) { Out<3>(j) = reduce_with_axis<red::sum, false>(In<4>(j), 1); }},
    {"reduce_3", [](Job& j) { Out<3>(j) = reduce_with_axis<red::sum, false>(In<4>(j), 3); }},
    {"reduce_2", [](Job& j) { Out<4>(j) = reduce_keepdim<red::sum, false>(In<4>(j), 2); }},
    {"sum_squares",
     [](Job& j) { Out<2>(j) = reduce_with_axis<red::sum, false>(In<3>(j) * In<3>(j), 2); }},
    {"user_logsumexp", [](Job& j) { Out<1>(j) = reduce_with_axis<LogSumExp, false>(In<2>(j), 1); }},
    {"argmax_1", [](Job& j) { Out<3>(j) = argmax<float>(In<4>(j), 1); }},
    {"argmax_3", [](Job& j) { Out<3>(j) = argmax<float>(In<4>(j), 3); }},
    {"cumsum_1", [](Job& j) { Out<4>(j) = cumsum(In<4>(j), 1); }},
    {"cumsum_3", [](Job& j) { Out<4>(j) = cumsum(In<4>(j), 3); }},
};

}  // namespace
}  // namespace compare
