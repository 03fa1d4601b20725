// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_CHOOSE_H_
#define MSHADOW_EXTENSION_CHOOSE_H_

#include "../core/element_index.h"
#include "../expr/plan/plan.h"
#include "../expr/traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename IndexExp, typename DType>
struct MatChooseRowElementExp
    : public Exp<MatChooseRowElementExp<SrcExp, IndexExp, DType>, DType, type::kChainer> {
  static_assert(ExpInfo<SrcExp>::kDim == 2 && ExpInfo<IndexExp>::kDim == 1,
                "mshadow: mat_choose_row_element(src, index) needs a matrix and an index of one "
                "axis");
  static constexpr int kRank = 1;
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask & ExpInfo<IndexExp>::kDevMask;
  SrcExp src_;
  IndexExp index_;
  Shape<2> src_shape_;
  MatChooseRowElementExp(const SrcExp& src, const IndexExp& index)
      : src_(src), index_(index), src_shape_(ShapeCheck<2, SrcExp>::Check(src_)) {
    const Shape<1> index_shape = ShapeCheck<1, IndexExp>::Check(index_);
    MSHADOW_CHECK(src_shape_[0] == index_shape[0] && (src_shape_[1] != 0 || src_shape_[0] == 0))
        << "mat_choose_row_element: no element of each row of a source of shape " << src_shape_
        << " by an index of shape " << index_shape;
  }
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == 1, "mshadow: mat_choose_row_element gives a tensor of one axis");
    return Shape1(src_shape_[0]);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(src_, written, false) || expr::Overlaps(index_, written, same_index);
  }
};

/// out[i] = src[i][index[i]]; src (n, cols), index (n) of any element type, truncated -> (n).
/// Indices are clipped to [0, cols - 1], NaN to 0. Throws Error where src has not n rows, or no
/// columns.
template <typename SrcExp, typename DType, typename IndexExp, typename IDType, int e1, int e2>
inline MatChooseRowElementExp<SrcExp, IndexExp, DType> mat_choose_row_element(
    const Exp<SrcExp, DType, e1>& src, const Exp<IndexExp, IDType, e2>& index) {
  return MatChooseRowElementExp<SrcExp, IndexExp, DType>(src.self(), index.self());
}
MSHADOW_OWNS_TEMPORARIES_(mat_choose_row_element)

template <typename SrcExp, typename IndexExp, typename DType>
class Plan<MatChooseRowElementExp<SrcExp, IndexExp, DType>, DType> {
  using Src = PlanOf<SrcExp>;
  using Index = PlanOf<IndexExp>;

 public:
  // The elements lie in cache lines of their own.
  static constexpr int kCost = 16 + kCostOf<Src> + kCostOf<Index>;
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const MatChooseRowElementExp<SrcExp, IndexExp, DType>& e)
      : src_(MakePlan(e.src_)),
        index_(MakePlan(e.index_)),
        cols_(static_cast<std::ptrdiff_t>(e.src_shape_[1])) {}
  struct Cursor {
    const Src& src_;
    RowCursor<Index> index_;
    std::ptrdiff_t cols_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return RowOf(src_, x).Eval(detail::ClipIndex(index_.Eval(x), cols_));
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t) const {
    return Cursor{src_, RowOf(index_, 0), cols_};
  }
  MSHADOW_XINLINE DType Eval(index_t, index_t x) const { return Row(0).Eval(x); }

 private:
  Src src_;
  Index index_;
  std::ptrdiff_t cols_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CHOOSE_H_
