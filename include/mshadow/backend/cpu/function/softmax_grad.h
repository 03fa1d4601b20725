// SPDX-License-Identifier: Apache-2.0
// Gradients of softmax on the host.
#ifndef MSHADOW_BACKEND_CPU_FUNCTION_SOFTMAX_GRAD_H_
#define MSHADOW_BACKEND_CPU_FUNCTION_SOFTMAX_GRAD_H_

#include "../../../core/dtype.h"
#include "../../../simd/isa.h"
#include "row_index.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// dst[i] = src[i] - other, but - hit at the label; 0 where the label is `ignored`.
template <typename DType, typename LType>
struct SoftmaxGradKernel {
  using Acc = Accumulator<DType>;

  DType* dst;
  const DType* src;
  const LType* label;
  std::ptrdiff_t dst_stride, src_stride, label_stride;
  std::ptrdiff_t classes, cols;             // cols: of three axes
  Acc other, hit;
  bool ignores;
  std::ptrdiff_t ignored;
  bool three_axes;
  std::ptrdiff_t begin, end;                // rows, or images

  MSHADOW_FORCE_INLINE void Shift(const DType* from, DType* to, std::ptrdiff_t n) const {
    const Acc shift = other;
    MSHADOW_IVDEP
    for (std::ptrdiff_t x = 0; x < n; ++x) {
      to[x] = static_cast<DType>(static_cast<Acc>(from[x]) - shift);
    }
  }
  MSHADOW_FORCE_INLINE void Row(std::ptrdiff_t y) const {
    const DType* const from = src + y * src_stride;
    DType* const to = dst + y * dst_stride;
    const std::ptrdiff_t k = ToLabel(label[y]);
    if (ignores && k == ignored) {
      for (std::ptrdiff_t x = 0; x < classes; ++x) to[x] = DType(0);
      return;
    }
    // dst may be src: the value at the label is taken first.
    const bool hits = k >= 0 && k < classes;
    const Acc value = hits ? static_cast<Acc>(from[k]) - hit : Acc(0);
    Shift(from, to, classes);
    if (hits) to[k] = static_cast<DType>(value);
  }
  MSHADOW_FORCE_INLINE void Image(std::ptrdiff_t image) const {
    constexpr std::ptrdiff_t kBlock = 256;
    for (std::ptrdiff_t first = 0; first < cols; first += kBlock) {
      const std::ptrdiff_t n = cols - first < kBlock ? cols - first : kBlock;
      const DType* const from = src + image * classes * src_stride + first;
      DType* const to = dst + image * classes * dst_stride + first;
      std::ptrdiff_t k[kBlock];
      Acc value[kBlock];
      for (std::ptrdiff_t x = 0; x < n; ++x) {
        k[x] = ToLabel(label[image * label_stride + first + x]);
        const bool hits = k[x] >= 0 && k[x] < classes;
        value[x] = hits ? static_cast<Acc>(from[k[x] * src_stride + x]) - hit : Acc(0);
      }
      for (std::ptrdiff_t c = 0; c < classes; ++c) {
        Shift(from + c * src_stride, to + c * dst_stride, n);
      }
      for (std::ptrdiff_t x = 0; x < n; ++x) {
        if (ignores && k[x] == ignored) {
          for (std::ptrdiff_t c = 0; c < classes; ++c) to[c * dst_stride + x] = DType(0);
        } else if (k[x] >= 0 && k[x] < classes) {
          to[k[x] * dst_stride + x] = static_cast<DType>(value[x]);
        }
      }
    }
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    for (std::ptrdiff_t i = begin; i < end; ++i) {
      if (three_axes) {
        Image(i);
      } else {
        Row(i);
      }
    }
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FUNCTION_SOFTMAX_GRAD_H_
