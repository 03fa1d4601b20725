// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/function/softmax_grad.h>

#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

// Two images of 3 classes of `cols` pixels, more than are dealt with at a time, in rows with a gap;
// labels that are no class and labels that are ignored among them; into a copy and in place.
TEST(SoftmaxGrad, OfImages) {
  testing::ForEachIsa([] {
    for (std::ptrdiff_t cols : {1, 5, 256, 259, 600}) {
      const std::ptrdiff_t stride = cols + 2, size = 2 * 3 * stride;
      std::vector<float> src(size), dst(size, -7.0f), label(2 * cols);
      for (std::ptrdiff_t i = 0; i < size; ++i) src[i] = static_cast<float>(i % 16) / 16;
      for (std::ptrdiff_t i = 0; i < 2 * cols; ++i) label[i] = static_cast<float>(i % 6) - 1;
      for (bool in_place : {false, true}) {
        const std::vector<float> before = in_place ? src : dst, from = src;
        float* const to = in_place ? src.data() : dst.data();
        detail::SoftmaxGradKernel<float, float> kernel{};
        kernel.dst = to;
        kernel.src = src.data();
        kernel.label = label.data();
        kernel.dst_stride = kernel.src_stride = stride;
        kernel.label_stride = cols;
        kernel.classes = 3;
        kernel.cols = cols;
        kernel.other = 0.125f;
        kernel.hit = 0.75f;
        kernel.ignores = true;
        kernel.ignored = 1;
        kernel.three_axes = true;
        kernel.begin = 0;
        kernel.end = 2;
        simd::Dispatch(kernel);
        for (std::ptrdiff_t i = 0; i < size; ++i) {
          const std::ptrdiff_t x = i % stride, k = i / stride % 3, image = i / stride / 3;
          float expected = before[i];  // the gap
          if (x < cols) {
            const float l = label[image * cols + x];
            expected = l == 1 ? 0 : from[i] - (l == static_cast<float>(k) ? 0.75f : 0.125f);
          }
          ASSERT_EQ(to[i], expected) << cols << " columns, element " << i;
        }
      }
    }
  });
}

}  // namespace
}  // namespace mshadow
