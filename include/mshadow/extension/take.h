// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_TAKE_H_
#define MSHADOW_EXTENSION_TAKE_H_

#include "../core/element_index.h"
#include "../expr/plan/plan.h"
#include "../expr/traits.h"
#include "reshape.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename IndexExp, typename SrcExp, typename DType>
struct TakeExp : public Exp<TakeExp<IndexExp, SrcExp, DType>, DType, type::kChainer> {
  static_assert(ExpInfo<IndexExp>::kDim == 1 && ExpInfo<SrcExp>::kDim == 2,
                "mshadow: take(index, src) needs an index of one axis, and a vector or a matrix");
  static constexpr int kRank = 2;
  static constexpr int kDevices = ExpInfo<IndexExp>::kDevMask & ExpInfo<SrcExp>::kDevMask;
  IndexExp index_;
  SrcExp src_;
  Shape<2> src_shape_, shape_;
  TakeExp(const IndexExp& index, const SrcExp& src)
      : index_(index), src_(src), src_shape_(ShapeCheck<2, SrcExp>::Check(src_)) {
    shape_ = Shape2(ShapeCheck<1, IndexExp>::Check(index_)[0], src_shape_[1]);
    MSHADOW_CHECK(src_shape_[0] != 0 || shape_[0] == 0 || shape_[1] == 0)
        << "take: no row can be taken of a source of shape " << src_shape_;
  }
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == 2, "mshadow: take gives a matrix");
    return shape_;
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return expr::Overlaps(index_, written, false) || expr::Overlaps(src_, written, false);
  }
};

/// out[i][j] = src[index[i]][j]; index (n) of any element type, truncated, src (rows, cols) ->
/// (n, cols). For a vector, out[i] = src[index[i]]; src (rows) -> (n). Indices are clipped to
/// [0, rows - 1], NaN to 0, as NumPy does with mode='clip'. Throws Error where there is no row to
/// take.
template <typename IndexExp, typename IDType, typename SrcExp, typename DType, int e1, int e2>
inline auto take(const Exp<IndexExp, IDType, e1>& index, const Exp<SrcExp, DType, e2>& src) {
  if constexpr (ExpInfo<SrcExp>::kDim == 1) {
    const index_t rows = ShapeCheck<1, SrcExp>::Check(src.self())[0];
    const auto column = take(index, reshape(src, Shape2(rows, 1)));
    return reshape(column, Shape1(column.shape_[0]));
  } else {
    return TakeExp<IndexExp, SrcExp, DType>(index.self(), src.self());
  }
}
MSHADOW_OWNS_TEMPORARIES_(take)

template <typename IndexExp, typename SrcExp, typename DType>
class Plan<TakeExp<IndexExp, SrcExp, DType>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(1 + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const TakeExp<IndexExp, SrcExp, DType>& e)
      : index_(MakePlan(e.index_)),
        src_(MakePlan(e.src_)),
        rows_(static_cast<std::ptrdiff_t>(e.src_shape_[0])) {}
  MSHADOW_XINLINE auto Row(std::ptrdiff_t y) const {
    return RowOf(src_, detail::ClipIndex(RowOf(index_, 0).Eval(y), rows_));
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  /// Where the source does.
  template <bool fills = kFillsOf<Src>>
  MSHADOW_FORCE_INLINE auto Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const
      -> std::enable_if_t<fills> {
    for (; y < end_y; ++y, to += stride) {
      const std::ptrdiff_t row = detail::ClipIndex(RowOf(index_, 0).Eval(y), rows_);
      FillBlock(src_, to, 0, row, row + 1, x, end);
    }
  }

 private:
  PlanOf<IndexExp> index_;
  Src src_;
  std::ptrdiff_t rows_;  // of the source
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_TAKE_H_
