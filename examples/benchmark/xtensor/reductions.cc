// SPDX-License-Identifier: Apache-2.0
#include <xtensor/xreducer.hpp>

#include "tensors.h"

namespace compare {
namespace {

constexpr auto kNow = xt::evaluation_strategy::immediate;

Body SumRows(Job& job) {
  return Of<1, 2>(job, [](auto& a) { return xt::sum(a, {0}, kNow); });
}
Body SumColumns(Job& job) {
  return Of<1, 2>(job, [](auto& a) { return xt::sum(a, {1}, kNow); });
}
Body SumChannels(Job& job) {
  return Of<1, 4>(job, [](auto& a) { return xt::sum(a, {0, 2, 3}, kNow); });
}
Body SumAll(Job& job) {
  return Into<1>(
      job, [](auto& o, auto& a) { o(0) = xt::sum<float>(a, kNow)(); }, In<1>(job));
}
Body MeanVariance(Job& job) {
  const long channels = job.size(1);
  const float scale = static_cast<float>(channels) / static_cast<float>(job.count(0));
  return With<2>(
      job, {2, channels},
      [scale](auto& o, auto& a) {
        const Tensor<1> mean = scale * xt::sum(a, {0, 2, 3}, kNow);
        const auto centred =
            a - xt::view(mean, xt::newaxis(), xt::all(), xt::newaxis(), xt::newaxis());
        xt::row(o, 0) = mean;
        xt::row(o, 1) = scale * xt::sum(centred * centred, {0, 2, 3}, kNow);
      },
      In<4>(job));
}
/// Row by row, which is several times as fast as broadcasting what the rows share.
Body Softmax(Job& job) {
  return Into<2>(
      job,
      [](auto& o, auto& a) {
        const Tensor<1> most = xt::amax(a, {1}, kNow);
        for (std::size_t y = 0; y < o.shape(0); ++y) {
          auto row = xt::view(o, y, xt::all());
          xt::noalias(row) = xt::exp(xt::view(a, y, xt::all()) - most(y));
        }
        const Tensor<1> factor = 1.0f / xt::sum(o, {1}, kNow);
        for (std::size_t y = 0; y < o.shape(0); ++y) {
          auto row = xt::view(o, y, xt::all());
          row *= factor(y);
        }
      },
      In<2>(job));
}

const Entries entries{{"sum_rows", SumRows},           {"sum_columns", SumColumns},
                      {"sum_channels", SumChannels},   {"sum_all", SumAll},
                      {"mean_variance", MeanVariance}, {"softmax", Softmax}};

}  // namespace
}  // namespace compare
