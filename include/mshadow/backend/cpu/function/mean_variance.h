// SPDX-License-Identifier: Apache-2.0
// Mean and variance of channels on the host: one reduction gives both.
#ifndef MSHADOW_BACKEND_CPU_FUNCTION_MEAN_VARIANCE_H_
#define MSHADOW_BACKEND_CPU_FUNCTION_MEAN_VARIANCE_H_

#include <cstddef>

#include "../../../core/axis_groups.h"
#include "../reduce/reduce_groups.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// The mean and the variance of the same elements.
template <typename DType>
struct MeanAndVariance : statistic::Var<DType> {
  using Mean = statistic::MeanOfVar<DType>;
  using Variance = statistic::Var<DType>;
  struct Out {
    DType mean, variance;
  };
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t n) {
    return {Mean::Finish(total, n), Variance::Finish(total, n)};
  }
  static bool IsSuspect(const Out& result) {
    return Mean::IsSuspect(result.mean) || Variance::IsSuspect(result.variance);
  }
  static Out Again(const statistic::Moments& m) { return {Mean::Again(m), Variance::Again(m)}; }
};

/// Where mean and variance of each channel go.
template <typename DType>
struct ChannelMoments {
  DType* mean;
  DType* variance;

  /// groups: the axes of the source.
  template <typename E>
  void Compute(const E& src, const expr::AxisGroups& groups) {
    using Kind = MeanAndVariance<DType>;
    using Out = typename Kind::Out;
    const FoldSink sink{
        this, [](void* target, const void* from, std::ptrdiff_t c, std::ptrdiff_t n) {
          const ChannelMoments& moments = *static_cast<const ChannelMoments*>(target);
          const Out* const results = static_cast<const Out*>(from);
          for (std::ptrdiff_t k = 0; k < n; ++k) {
            moments.mean[c + k] = results[k].mean;
            moments.variance[c + k] = results[k].variance;
          }
        }};
    ReduceGroups<Kind>(expr::detail::ReadBy<cpu, Kind>(src), groups, sink);
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FUNCTION_MEAN_VARIANCE_H_
