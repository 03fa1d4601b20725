// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_FILL_H_
#define MSHADOW_EXTENSION_FILL_H_

#include "../core/element_index.h"
#include "../expr/plan/blocks.h"
#include "../expr/plan/plan.h"
#include "../expr/traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename ValExp, typename IndexExp, typename DType>
struct MatFillRowElementExp
    : public Exp<MatFillRowElementExp<SrcExp, ValExp, IndexExp, DType>, DType, type::kChainer> {
  static_assert(ExpInfo<SrcExp>::kDim == 2 && ExpInfo<ValExp>::kDim == 1 &&
                    ExpInfo<IndexExp>::kDim == 1,
                "mshadow: mat_fill_row_element(src, val, index) needs a matrix, and values and an "
                "index of one axis");
  static constexpr int kRank = 2;
  static constexpr int kDevices =
      ExpInfo<SrcExp>::kDevMask & ExpInfo<ValExp>::kDevMask & ExpInfo<IndexExp>::kDevMask;
  SrcExp src_;
  ValExp val_;
  IndexExp index_;
  MatFillRowElementExp(const SrcExp& src, const ValExp& val, const IndexExp& index)
      : src_(src), val_(val), index_(index) {
    const Shape<2> src_shape = ShapeCheck<2, SrcExp>::Check(src_);
    const Shape<1> val_shape = ShapeCheck<1, ValExp>::Check(val_);
    const Shape<1> index_shape = ShapeCheck<1, IndexExp>::Check(index_);
    MSHADOW_CHECK(src_shape[0] == val_shape[0] && src_shape[0] == index_shape[0])
        << "mat_fill_row_element: one value and one index for each row are needed, source "
        << src_shape << ", val " << val_shape << ", index " << index_shape;
  }
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == 2, "mshadow: mat_fill_row_element gives a matrix");
    return ShapeCheck<dim, SrcExp>::Check(src_);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(src_, written, same_index) || expr::Overlaps(val_, written, false) ||
           expr::Overlaps(index_, written, false);
  }
};

/// out[i][j] = j == index[i] ? val[i] : src[i][j]; src (n, cols), val (n), index (n) of any element
/// type, truncated -> (n, cols). A row whose index is out of range, or NaN, is a copy. Throws Error
/// where val or index has not n elements.
template <typename SrcExp, typename DType, typename ValExp, typename IndexExp, typename IDType,
          int e1, int e2, int e3>
inline MatFillRowElementExp<SrcExp, ValExp, IndexExp, DType> mat_fill_row_element(
    const Exp<SrcExp, DType, e1>& src, const Exp<ValExp, DType, e2>& val,
    const Exp<IndexExp, IDType, e3>& index) {
  return MatFillRowElementExp<SrcExp, ValExp, IndexExp, DType>(src.self(), val.self(),
                                                               index.self());
}
MSHADOW_OWNS_TEMPORARIES_(mat_fill_row_element)

namespace detail {
/// A, but for one element.
template <typename A, typename DType>
struct FillCursor {
  A a_;
  DType value_;
  std::ptrdiff_t column_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    const DType element = a_.Eval(x);
    return x == column_ ? value_ : element;
  }
};
}  // namespace detail

template <typename SrcExp, typename ValExp, typename IndexExp, typename DType>
class Plan<MatFillRowElementExp<SrcExp, ValExp, IndexExp, DType>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(1 + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const MatFillRowElementExp<SrcExp, ValExp, IndexExp, DType>& e)
      : src_(MakePlan(e.src_)), val_(MakePlan(e.val_)), index_(MakePlan(e.index_)) {}
  using Cursor = detail::FillCursor<RowCursor<Src>, DType>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{RowOf(src_, y), RowOf(val_, 0).Eval(y),
                  detail::ToIndex(RowOf(index_, 0).Eval(y))};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    FillBlock(src_, to, stride, y, end_y, x, end);
    for (; y < end_y; ++y, to += stride) {
      const std::ptrdiff_t column = detail::ToIndex(RowOf(index_, 0).Eval(y));
      if (x <= column && column < end) to[column - x] = RowOf(val_, 0).Eval(y);
    }
  }

 private:
  Src src_;
  PlanOf<ValExp> val_;
  PlanOf<IndexExp> index_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_FILL_H_
