// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_MASK_H_
#define MSHADOW_EXTENSION_MASK_H_

#include "../expr/plan/blocks.h"
#include "../expr/plan/plan.h"
#include "../expr/traits.h"
#include "../op/math/convert.h"
#include "../op/math/wrap.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename IndexExp, typename SrcExp, typename DType>
struct MaskExp : public Exp<MaskExp<IndexExp, SrcExp, DType>, DType, type::kChainer> {
  static_assert(ExpInfo<IndexExp>::kDim == 1 && ExpInfo<SrcExp>::kDim == 2,
                "mshadow: mask(index, src) needs a factor for each row, and a matrix");
  static constexpr int kRank = 2;
  static constexpr int kDevices = ExpInfo<IndexExp>::kDevMask & ExpInfo<SrcExp>::kDevMask;
  IndexExp index_;
  SrcExp src_;
  MaskExp(const IndexExp& index, const SrcExp& src) : index_(index), src_(src) {}
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == 2, "mshadow: mask gives a matrix");
    const Shape<2> shape = ShapeCheck<2, SrcExp>::Check(src_);
    const Shape<1> rows = ShapeCheck<1, IndexExp>::Check(index_);
    MSHADOW_CHECK_EQ(rows[0], shape[0])
        << "MaskExp require inputs in same first dimention: index " << rows << ", src " << shape;
    return shape;
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(index_, written, false) || expr::Overlaps(src_, written, same_index);
  }
};

/// out[i][j] = src[i][j] * index[i]; index (rows) of any element type, src (rows, cols) ->
/// (rows, cols). Throws Error where the rows differ in number.
template <typename IndexExp, typename IDType, typename SrcExp, typename DType, int e1, int e2>
inline MaskExp<IndexExp, SrcExp, DType> mask(const Exp<IndexExp, IDType, e1>& index,
                                             const Exp<SrcExp, DType, e2>& src) {
  return MaskExp<IndexExp, SrcExp, DType>(index.self(), src.self());
}
MSHADOW_OWNS_TEMPORARIES_(mask)

namespace detail {
/// Every element of A times a factor.
template <typename DType, typename A>
struct ScaledCursor {
  A a_;
  DType factor_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    return op::math::Mul(static_cast<DType>(a_.Eval(x)), factor_);
  }
};
}  // namespace detail

template <typename IndexExp, typename SrcExp, typename DType>
class Plan<MaskExp<IndexExp, SrcExp, DType>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(1 + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const MaskExp<IndexExp, SrcExp, DType>& e)
      : index_(MakePlan(e.index_)), src_(MakePlan(e.src_)) {}
  MSHADOW_XINLINE auto Row(std::ptrdiff_t y) const {
    return detail::ScaledCursor<DType, RowCursor<Src>>{
        RowOf(src_, y), op::math::Convert<DType>(RowOf(index_, 0).Eval(y))};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  /// Where the source does.
  template <bool fills = kFillsOf<Src>>
  MSHADOW_FORCE_INLINE auto Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const
      -> std::enable_if_t<fills> {
    const std::ptrdiff_t most = 1 + 1024 / (end - x);  // rows that are still in the cache
    while (y < end_y) {
      const std::ptrdiff_t stop = most < end_y - y ? y + most : end_y;
      FillBlock(src_, to, stride, y, stop, x, end);
      for (; y < stop; ++y, to += stride) {
        const DType factor = op::math::Convert<DType>(RowOf(index_, 0).Eval(y));
        MSHADOW_IVDEP
        for (std::ptrdiff_t i = 0; i < end - x; ++i) to[i] = op::math::Mul(to[i], factor);
      }
    }
  }

 private:
  PlanOf<IndexExp> index_;
  Src src_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_MASK_H_
