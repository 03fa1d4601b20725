// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_TRANSPOSE_INDICES_H_
#define MSHADOW_EXTENSION_TRANSPOSE_INDICES_H_

#include "../expr/call.h"
#include "transpose.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// src_indices_ hold positions in a tensor of src_shape_; out are those in the tensor transposed.
template <typename SrcExp, typename DType, int dimsrc, int etype>
struct TransposeIndicesExp
    : public Exp<TransposeIndicesExp<SrcExp, DType, dimsrc, etype>, DType, etype> {
  static constexpr int kRank = ExpInfo<SrcExp>::kDim;
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask;
  SrcExp src_indices_;
  Shape<dimsrc> src_shape_, axes_;
  TransposeIndicesExp(const SrcExp& src_indices, const Shape<dimsrc>& src_shape,
                      const Shape<dimsrc>& axes)
      : src_indices_(src_indices),
        src_shape_(src_shape),
        axes_(detail::CheckPermutation("transpose_indices", axes)) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return ShapeCheck<dim, SrcExp>::Check(src_indices_);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(src_indices_, written, same_index);
  }
};

/// out[i] = where element src_indices[i] of a tensor of src_shape lies in transpose(tensor, axes),
/// both counted in row-major order; src_indices of any shape -> the same shape. Indices are clipped
/// to [0, src_shape.Size() - 1] (NaN to 0). Throws Error where axes is no permutation.
template <typename SrcExp, typename DType, int dimsrc, int etype>
inline TransposeIndicesExp<SrcExp, DType, dimsrc, etype> transpose_indices(
    const Exp<SrcExp, DType, etype>& src_indices, Shape<dimsrc> src_shape, Shape<dimsrc> axes) {
  return TransposeIndicesExp<SrcExp, DType, dimsrc, etype>(src_indices.self(), src_shape, axes);
}
MSHADOW_OWNS_TEMPORARIES_(transpose_indices)

namespace detail {
/// The function of an index: the extents of the source, and the strides of its axes in the result.
/// A quotient of whole numbers a / n is a double away from the next whole number as long as
/// a < 2^51 and half is added to a: no division, and the compiler makes vectors of it.
template <int dimsrc>
struct IndexTransposer {
  static constexpr int kCost = 8 * dimsrc;
  double extent[dimsrc], inverse[dimsrc], stride[dimsrc], last;
  IndexTransposer(const Shape<dimsrc>& shape, const Shape<dimsrc>& axes) {
    double step = 1;  // of axis axes[i] in the result
    for (int i = dimsrc - 1; i >= 0; --i) {
      const int axis = static_cast<int>(axes[i]);
      extent[axis] = static_cast<double>(shape[axis]);
      inverse[axis] = extent[axis] > 0 ? 1 / extent[axis] : 0;
      stride[axis] = step;
      step *= extent[axis];
    }
    last = step > 0 ? step - 1 : 0;
  }
  template <typename DType>
  MSHADOW_XINLINE double operator()(DType source_index) const {
    const double index = static_cast<double>(source_index);
    const double clipped = index > 0 ? (index < last ? index : last) : 0;
    double rest = Truncated(clipped);
    double result = 0;
    for (int axis = dimsrc - 1; axis > 0; --axis) {
      const double outer = Truncated((rest + 0.5) * inverse[axis]);
      result += (rest - outer * extent[axis]) * stride[axis];
      rest = outer;
    }
    return result + rest * stride[0];
  }
  MSHADOW_XINLINE static double Truncated(double value) {
    return static_cast<double>(static_cast<int64_t>(value));
  }
};
template <int dimsrc>
using IndexTransposerPlan = FunctionPlan<IndexTransposer<dimsrc>>;
/// Call, inlined without optimisation too.
struct TransposeIndex {
  static constexpr int kCost = 0;
  template <typename Transposer, typename DType>
  MSHADOW_XINLINE static double Map(const Transposer& f, DType index) {
    return f(index);
  }
};
}  // namespace detail

template <typename SrcExp, typename DType, int dimsrc, int etype>
class Plan<TransposeIndicesExp<SrcExp, DType, dimsrc, etype>, DType>
    : public detail::MapPlan<detail::TransposeIndex, DType, detail::IndexTransposerPlan<dimsrc>,
                             PlanOf<SrcExp>> {
 public:
  explicit Plan(const TransposeIndicesExp<SrcExp, DType, dimsrc, etype>& e)
      : Plan::MapPlanOf(detail::IndexTransposerPlan<dimsrc>{{e.src_shape_, e.axes_}},
                        e.src_indices_) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_TRANSPOSE_INDICES_H_
