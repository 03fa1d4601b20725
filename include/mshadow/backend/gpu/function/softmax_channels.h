// SPDX-License-Identifier: Apache-2.0
// Softmax over the middle one of three axes on a CUDA device.
#ifndef MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_CHANNELS_H_
#define MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_CHANNELS_H_

#include <cstddef>

#include "../../../core/dtype.h"
#include "../../../op/long_sum.h"
#include "softmax_state.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// One thread's columns (n, x): dst[n][c][x] = softmax over c of src[n][c][x].
template <typename DType>
struct SoftmaxChannels {
  using Acc = Accumulator<DType>;
  DType* dst;
  const DType* src;
  std::ptrdiff_t dst_stride, src_stride, images, channels, cols;

  MSHADOW_XINLINE void operator()(std::ptrdiff_t thread, std::ptrdiff_t threads) const {
    for (std::ptrdiff_t i = thread; i < images * cols; i += threads) {
      const std::ptrdiff_t image = i / cols, x = i - image * cols;
      const DType* const from = src + image * channels * src_stride + x;
      DType* const to = dst + image * channels * dst_stride + x;
      const auto merge = [](SoftmaxState<Acc> a, const SoftmaxState<Acc>& b) {
        a.Merge(b);
        return a;
      };
      const SoftmaxState<Acc> state = red::CombineInBlocks<SoftmaxState<Acc>>(
          channels, SoftmaxState<Acc>::Empty(), merge, [&](std::ptrdiff_t c) {
            return SoftmaxState<Acc>{static_cast<Acc>(from[c * src_stride]), Acc(1)};
          });
      const Acc scale = state.Scale();
      for (std::ptrdiff_t c = 0; c < channels; ++c) {
        const Acc value = static_cast<Acc>(from[c * src_stride]);
        to[c * dst_stride] = static_cast<DType>(
            op::exp::Map(static_cast<Acc>(value - state.most)) * scale);
      }
    }
  }
};

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_CHANNELS_H_
