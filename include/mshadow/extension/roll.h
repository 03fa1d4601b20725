// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_ROLL_H_
#define MSHADOW_EXTENSION_ROLL_H_

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/cursor/shift_cursor.h"
#include "../expr/make_tensor.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace adl {

template <typename SrcExp, typename DType, int srcdim>
struct RollExp : public MakeTensorExp<RollExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 1, "mshadow: roll needs an expression with axes");
  SrcExp src_;
  int axis_;
  index_t shift_;  // brought into [0, extent)
  RollExp(const SrcExp& src, long long shift, int axis)
      : src_(src), axis_(detail::CheckAxis("roll", axis, srcdim)) {
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    const long long extent = static_cast<long long>(this->shape_[axis_]);
    const long long rest = extent == 0 ? 0 : shift % extent;
    shift_ = static_cast<index_t>(rest < 0 ? rest + extent : rest);
  }
};

/// out[..][i][..] = src[..][(i - shift) mod n][..] along `axis` of n: what leaves at one end comes
/// in at the other, as NumPy's roll; src -> the same shape. shift may be negative, or exceed n; a
/// negative axis counts from the end. Throws Error where it is no axis of src.
template <typename SrcExp, typename DType, int etype>
inline RollExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> roll(const Exp<SrcExp, DType, etype>& src,
                                                          long long shift, int axis) {
  return RollExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), shift, axis);
}

}  // namespace adl

template <typename SrcExp, typename DType, int srcdim>
class Plan<adl::RollExp<SrcExp, DType, srcdim>, DType> {
  using Src = ReorderedPlan<SrcExp, DType>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(1 + kCostOf<Src>);
  explicit Plan(const adl::RollExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlanOf<Src>(e.src_)), cols_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 1])) {
    const std::ptrdiff_t shift = static_cast<std::ptrdiff_t>(e.shift_);
    if (e.axis_ == srcdim - 1) {
      col_shift_ = shift;
    } else if constexpr (srcdim > 1) {  // of one axis GCC warns of what is never reached
      rows_ = FastDivmod(
          static_cast<std::ptrdiff_t>(e.shape_.CheckedProdShape(e.axis_ + 1, srcdim - 1)));
      extent_ = FastDivmod(static_cast<std::ptrdiff_t>(e.shape_[e.axis_]));
      row_shift_ = shift;
    }
  }

  /// The end of the source's row, then its begin.
  struct Cursor {
    static constexpr bool kRuns = true;
    RowCursor<Src> row_;
    std::ptrdiff_t shift_, cols_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return row_.Eval(x < shift_ ? x - shift_ + cols_ : x - shift_);
    }
    MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
      const bool wraps = x < shift_;
      if (wraps && *end > shift_) *end = shift_;
      return RunOf(ShiftCursor<RowCursor<Src>>{row_, wraps ? cols_ - shift_ : -shift_}, x, end);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    if (row_shift_ != 0) {
      const std::ptrdiff_t i = DivMod(FloorDiv(y, rows_), extent_).rem;
      y += (i < row_shift_ ? extent_ - row_shift_ : -row_shift_) * rows_;
    }
    return Cursor{RowOf(src_, y), col_shift_, cols_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const PlanLayout layout = LayoutOf(src_, cols);
    if (col_shift_ != 0 || layout.join != 0) return layout.Joined(1);
    return layout.Joined(row_shift_ == 0 ? 0 : std::ptrdiff_t{rows_});
  }

 private:
  Src src_;
  std::ptrdiff_t cols_;
  std::ptrdiff_t col_shift_ = 0;
  FastDivmod rows_, extent_;  // rows that an index of the axis has
  std::ptrdiff_t row_shift_ = 0;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_ROLL_H_
