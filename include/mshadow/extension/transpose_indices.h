// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_TRANSPOSE_INDICES_H_
#define MSHADOW_EXTENSION_TRANSPOSE_INDICES_H_

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

template <typename SrcExp, typename DType, int dimsrc, int etype>
class Plan<TransposeIndicesExp<SrcExp, DType, dimsrc, etype>, DType> {
  using Src = ReorderedPlan<SrcExp, DType>;

 public:
  static constexpr PlanFacts kFacts =
      FactsOver<Access::kSame, Src>(4 * dimsrc + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const TransposeIndicesExp<SrcExp, DType, dimsrc, etype>& e)
      : src_(MakePlanOf<Src>(e.src_indices_)) {
    double stride = 1;  // of axis axes_[i] in the result
    for (int i = dimsrc - 1; i >= 0; --i) {
      const int axis = static_cast<int>(e.axes_[i]);
      digits_.extent[axis] = static_cast<double>(e.src_shape_[axis]);
      digits_.inverse[axis] = digits_.extent[axis] > 0 ? 1 / digits_.extent[axis] : 0;
      digits_.stride[axis] = stride;
      stride *= digits_.extent[axis];
    }
    digits_.last = stride > 0 ? stride - 1 : 0;
  }

  /// The extents of the source, and the strides of its axes in the result. A quotient of whole
  /// numbers a / n is a double away from the next whole number as long as a < 2^51 and half is
  /// added to a: no division, and the compiler makes vectors of it.
  struct Digits {
    double extent[dimsrc], inverse[dimsrc], stride[dimsrc], last;
    MSHADOW_XINLINE double operator()(double index) const {
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
  template <typename A>
  struct Cursor {
    static constexpr bool kSpecializes = kSpecializesOf<A>;
    static constexpr bool kRuns = kRunsOf<A>;
    A a_;
    Digits digits_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return static_cast<DType>(digits_(static_cast<double>(a_.Eval(x))));
    }
    MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
      return Cursor<RunCursor<A>>{RunOf(a_, x, end), digits_};
    }
    template <typename F>
    MSHADOW_FORCE_INLINE void Specialize(const F& f) const {
      expr::Specialize(a_, [&](const auto& a) MSHADOW_INLINE_LAMBDA {
        f(Cursor<std::decay_t<decltype(a)>>{a, digits_});
      });
    }
  };
  MSHADOW_XINLINE Cursor<RowCursor<Src>> Row(std::ptrdiff_t y) const {
    return Cursor<RowCursor<Src>>{RowOf(src_, y), digits_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }

 private:
  Src src_;
  Digits digits_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_TRANSPOSE_INDICES_H_
