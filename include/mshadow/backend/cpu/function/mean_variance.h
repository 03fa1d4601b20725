// SPDX-License-Identifier: Apache-2.0
// Mean and variance of channels on the host: one reduction gives both.
#ifndef MSHADOW_BACKEND_CPU_FUNCTION_MEAN_VARIANCE_H_
#define MSHADOW_BACKEND_CPU_FUNCTION_MEAN_VARIANCE_H_

#include <cstddef>

#include "../../../expr/axis_groups.h"
#include "../reduce/statistic_images.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// The mean and the variance of the same elements.
template <typename DType>
struct MeanAndVariance : statistic::Var<DType> {
  struct Out {
    DType mean, variance;
  };
  template <typename T>
  MSHADOW_XINLINE static Out Finish(const T& total, std::ptrdiff_t n) {
    return {statistic::MeanOfVar<DType>::Finish(total, n), statistic::Var<DType>::Finish(total, n)};
  }
};

/// Mean and variance of each channel: (y, x) of channel c in image n is the element
/// n * image_step + c * channel_step + y * row_step + x of src, y < rows, x < cols.
template <typename DType>
struct ChannelMoments {
  DType* mean;
  DType* variance;
  const DType* src;
  std::ptrdiff_t images, image_step, channel_step, rows, row_step, cols;

  /// plan: of src, whose axes are `groups`; last: channels are the last axis.
  template <bool last, typename Src>
  void Compute(const Src& plan, const expr::AxisGroups& groups) const {
    using Kind = MeanAndVariance<DType>;
    using Out = typename Kind::Out;
    void* const self = const_cast<ChannelMoments*>(this);
    const StatisticSink<Out> sink{
        self, [](void* target, const Out* results, std::ptrdiff_t c, std::ptrdiff_t n) {
          const ChannelMoments& moments = *static_cast<const ChannelMoments*>(target);
          for (std::ptrdiff_t k = 0; k < n; ++k) moments.Put(c + k, results[k]);
        }};
    ReduceGroups<Kind, !last>(plan, groups, sink);
  }

 private:
  static double ToDouble(DType x) {
    return static_cast<double>(static_cast<Accumulator<DType>>(x));
  }
  static DType FromDouble(double x) { return static_cast<DType>(static_cast<Accumulator<DType>>(x)); }
  void Put(std::ptrdiff_t c, const typename MeanAndVariance<DType>::Out& result) const {
    mean[c] = result.mean;
    variance[c] = result.variance;
    const double sum = ToDouble(result.mean) + ToDouble(result.variance);
    if (!MSHADOW_LIKELY(sum - sum == 0)) Repeat(c);
  }
  template <typename F>
  void ForEachElement(std::ptrdiff_t c, const F& f) const {
    for (std::ptrdiff_t n = 0; n < images; ++n) {
      for (std::ptrdiff_t y = 0; y < rows; ++y) {
        const DType* const row = src + n * image_step + c * channel_step + y * row_step;
        for (std::ptrdiff_t x = 0; x < cols; ++x) f(ToDouble(row[x]));
      }
    }
  }
  /// Computes a channel whose sums may have overflowed once more, in two passes in double, of
  /// elements that are scaled to [-1, 1] by a power of 2. One with an infinite element or a NaN
  /// stays as it is.
  MSHADOW_NOINLINE void Repeat(std::ptrdiff_t c) const {
    double most = 0;
    ForEachElement(c, [&most](double element) {
      const double size = element < 0 ? -element : element;
      most = size > most || size != size ? size : most;
    });
    const std::ptrdiff_t count = images * rows * cols;
    if (count == 0 || !(most - most == 0)) return;
    int exponent;
    MSHADOW_HOST_LIBM(frexp)(most, &exponent);
    const double scale = MSHADOW_HOST_LIBM(ldexp)(1.0, -exponent);
    const double share = 1 / static_cast<double>(count);
    // Deviations from the first element: those of equal ones are 0.
    const double first = ToDouble(src[c * channel_step]) * scale;
    double offset = 0, squares = 0, rest = 0;
    ForEachElement(c, [&](double element) { offset += element * scale - first; });
    offset *= share;
    ForEachElement(c, [&](double element) {
      const double deviation = element * scale - first - offset;
      rest += deviation;
      squares += deviation * deviation;
    });
    rest *= share;
    mean[c] = FromDouble(MSHADOW_HOST_LIBM(ldexp)(first + offset + rest, exponent));
    variance[c] = FromDouble(MSHADOW_HOST_LIBM(ldexp)(squares * share - rest * rest, 2 * exponent));
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FUNCTION_MEAN_VARIANCE_H_
