// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_ROLL_H_
#define MSHADOW_EXTENSION_ROLL_H_

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../expr/plan/blocks.h"

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
MSHADOW_OWNS_TEMPORARIES_(roll)

}  // namespace adl

template <typename SrcExp, typename DType, int srcdim>
class Plan<adl::RollExp<SrcExp, DType, srcdim>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(1 + kCostOf<Src>);
  explicit Plan(const adl::RollExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlan(e.src_)), cols_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 1])) {
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
    RowCursor<Src> row_;
    std::ptrdiff_t shift_, cols_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return row_.Eval(x < shift_ ? x - shift_ + cols_ : x - shift_);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{RowOf(src_, y + RowShift(y, nullptr)), col_shift_, cols_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const PlanLayout layout = LayoutOf(src_, cols);
    if (col_shift_ != 0 || layout.join != 0) return layout.Joined(1);
    return layout.Joined(row_shift_ == 0 ? 0 : std::ptrdiff_t{rows_});
  }
  /// The end of the source's rows, then their begin.
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (std::ptrdiff_t last; y < end_y; to += (last - y) * stride, y = last) {
      last = end_y;
      const std::ptrdiff_t row = y + RowShift(y, &last);
      for (std::ptrdiff_t first = x, stop; first < end; first = stop) {
        const bool wraps = first < col_shift_;
        stop = wraps && col_shift_ < end ? col_shift_ : end;
        const std::ptrdiff_t shift = wraps ? cols_ - col_shift_ : -col_shift_;
        FillBlock(src_, to + (first - x), stride, row, row + (last - y), first + shift,
                  stop + shift);
      }
    }
  }

 private:
  /// How far the row of the source is behind row y; *end is lowered to where that changes.
  MSHADOW_XINLINE std::ptrdiff_t RowShift(std::ptrdiff_t y, std::ptrdiff_t* end) const {
    if (row_shift_ == 0) return 0;
    const std::ptrdiff_t index = FloorDiv(y, rows_), i = DivMod(index, extent_).rem;
    const bool wraps = i < row_shift_;
    const std::ptrdiff_t change = wraps ? row_shift_ : std::ptrdiff_t{extent_};
    const std::ptrdiff_t stop = (index - i + change) * rows_;
    if (end != nullptr && *end > stop) *end = stop;
    return (wraps ? extent_ - row_shift_ : -row_shift_) * rows_;
  }

  Src src_;
  std::ptrdiff_t cols_;
  std::ptrdiff_t col_shift_ = 0;
  FastDivmod rows_, extent_;  // rows that an index of the axis has
  std::ptrdiff_t row_shift_ = 0;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_ROLL_H_
