// SPDX-License-Identifier: Apache-2.0
// Gradients of softmax as a plan, which any executor evaluates.
#ifndef MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_GRAD_H_
#define MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_GRAD_H_

#include "../../../core/dtype.h"
#include "../../../core/element_index.h"
#include "../../../core/fast_divmod.h"
#include "../../../expr/plan/plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// out = src - other, but src - hit at the label; 0 where the label is `ignored`. With two axes
/// (rows, classes) the label belongs to the row; with three, (n, classes, m), to (n, column).
template <typename DType, typename LType>
struct SoftmaxGradPlan {
  using Acc = Accumulator<DType>;
  const DType* src;
  const LType* label;
  std::ptrdiff_t src_stride, label_stride, classes;
  Acc other, hit;
  bool ignores, three_axes;
  std::ptrdiff_t ignored;

  struct Cursor {
    const DType* row;
    const LType* labels;     // of three axes
    std::ptrdiff_t label;    // of two
    std::ptrdiff_t c;        // the class of the row, of three
    Acc other, hit;
    bool ignores, three_axes;
    std::ptrdiff_t ignored;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      const std::ptrdiff_t k = three_axes ? expr::detail::ToLabel(labels[x]) : label;
      if (ignores && k == ignored) return static_cast<DType>(Acc(0));
      const bool hits = k == (three_axes ? c : x);
      return static_cast<DType>(static_cast<Acc>(row[x]) - (hits ? hit : other));
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const std::ptrdiff_t image = three_axes ? FloorDiv(y, classes) : 0;
    return Cursor{src + y * src_stride, label + image * label_stride,
                  three_axes ? 0 : expr::detail::ToLabel(label[y]), y - image * classes, other, hit,
                  ignores, three_axes, ignored};
  }
};

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_FUNCTION_SOFTMAX_GRAD_H_
