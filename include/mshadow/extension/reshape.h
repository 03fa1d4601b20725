// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_RESHAPE_H_
#define MSHADOW_EXTENSION_RESHAPE_H_

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/aligned.h"
#include "../expr/make_tensor.h"
#include "../expr/plan/blocks.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int dimdst, int dimsrc>
struct ReshapeExp
    : public MakeTensorExp<ReshapeExp<SrcExp, DType, dimdst, dimsrc>, SrcExp, dimdst, DType> {
  static_assert(dimsrc > 0, "mshadow: reshape needs an expression with axes");
  SrcExp src_;
  Shape<dimsrc> src_shape_;
  ReshapeExp(const SrcExp& src, const Shape<dimdst>& shape)
      : src_(src), src_shape_(ShapeCheck<dimsrc, SrcExp>::Check(src)) {
    const index_t elements = shape.CheckedSize();
    MSHADOW_CHECK_EQ(src_shape_.CheckedSize(), elements)
        << "reshape size must match: source " << src_shape_ << ", oshape " << shape;
    this->shape_ = shape;
  }
  /// From a source that converts to SrcExp: one that owns its memory converts to its view.
  template <typename Other, typename = std::enable_if_t<std::is_convertible_v<Other, SrcExp>>>
  ReshapeExp(const ReshapeExp<Other, DType, dimdst, dimsrc>& e)  // NOLINT: implicit
      : ReshapeExp(e.src_, e.shape_) {}
};

/// out.flat[i] = src.flat[i], i counting elements in row-major order, padding aside;
/// src of any shape -> oshape; throws Error where the numbers of elements differ.
template <typename SrcExp, typename DType, int etype, int dimdst>
inline ReshapeExp<SrcExp, DType, dimdst, ExpInfo<SrcExp>::kDim> reshape(
    const Exp<SrcExp, DType, etype>& src, Shape<dimdst> oshape) {
  return ReshapeExp<SrcExp, DType, dimdst, ExpInfo<SrcExp>::kDim>(src.self(), oshape);
}

template <typename SrcExp, typename DType, int etype, typename... Extents,
          typename = std::enable_if_t<(... && std::is_arithmetic_v<Extents>)>>
inline auto reshape(const Exp<SrcExp, DType, etype>&, Extents...) {
  static_assert(sizeof(SrcExp) == 0,
                "mshadow: reshape(t, shape) takes one Shape: reshape(t, Shape2(3, 2))");
}
MSHADOW_OWNS_TEMPORARIES_(reshape)

namespace detail {
/// e as a tensor, which is aligned at the last axes: not a reduction, repeated along those it lost.
template <typename E>
inline auto WithoutLostAxes(const E& e) {
  if constexpr (LostAxes<E>::kLostAxes != 0) {
    return reshape(e, ShapeCheck<ExpInfo<E>::kDim, E>::Check(e));
  } else {
    return e;
  }
}
}  // namespace detail

// Rows of the source that can be joined form spans: within a span, a row of the result is a shifted
// row of the source. Flat memory is one span, and so is a row of a padded tensor.
template <typename SrcExp, typename DType, int dimdst, int dimsrc>
class Plan<ReshapeExp<SrcExp, DType, dimdst, dimsrc>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(kCostOf<Src>);

  explicit Plan(const ReshapeExp<SrcExp, DType, dimdst, dimsrc>& e)
      : src_(MakePlan(e.src_)), cols_(static_cast<std::ptrdiff_t>(e.shape_[dimdst - 1])) {
    const Shape<2> flat = e.src_shape_.CheckedFlatTo2D();
    const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(flat[0]);
    const std::ptrdiff_t src_cols = static_cast<std::ptrdiff_t>(flat[1]);
    group_ = rows > 1 ? Gcd(expr::FlatRows(src_, src_cols), rows) : 1;
    span_ = FastDivmod(src_cols * group_);
    one_span_ = group_ >= rows;
    // Of an empty tensor no element is asked for.
    nested_ = cols_ == 0 || span_ % cols_ == 0;
  }

  struct Cursor {
    using Row = RowCursor<Src>;
    const Src& src_;
    Row row_;
    std::ptrdiff_t first_;  // of this row, in the flat order
    std::ptrdiff_t shift_;  // of this row, in its span
    FastDivmod span_;
    std::ptrdiff_t group_;
    bool nested_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      if (nested_) return row_.Eval(x + shift_);
      const std::ptrdiff_t span = FloorDiv(first_ + x, span_);
      return RowOf(src_, span * group_).Eval(first_ + x - span * span_);
    }
  };

  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const std::ptrdiff_t first = y * cols_;
    const std::ptrdiff_t span = one_span_ ? 0 : FloorDiv(first, span_);
    return Cursor{src_,  RowOf(src_, span * group_), first, first - span * span_, span_,
                  group_, nested_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  /// Span by span.
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (; y < end_y; ++y, to += stride) {
      for (std::ptrdiff_t i = y * cols_ + x, last = i + (end - x), n; i < last; i += n) {
        const std::ptrdiff_t span = one_span_ ? 0 : FloorDiv(i, span_);
        const std::ptrdiff_t first = i - span * span_, row = span * group_;
        n = span_ - first < last - i ? span_ - first : last - i;
        FillBlock(src_, to + (end - x) - (last - i), 0, row, row + 1, first, first + n);
      }
    }
  }
  /// Rows within one span are joined.
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const PlanLayout layout = LayoutOf(src_, cols);
    const std::ptrdiff_t join = one_span_ ? 0 : nested_ && cols > 0 ? span_ / cols : 1;
    return {join, layout.tile_step == 0 ? 0 : 1, layout.reads};
  }

 private:
  Src src_;
  std::ptrdiff_t cols_;   // of the result
  FastDivmod span_;       // elements of the source that follow each other
  std::ptrdiff_t group_;  // its rows in a span
  bool one_span_;
  bool nested_;  // no row of the result crosses the end of a span
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_RESHAPE_H_
