// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_TILE_H_
#define MSHADOW_EXTENSION_TILE_H_

#include <cstdint>

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/cursor/shift_cursor.h"
#include "../expr/make_tensor.h"
#include "../expr/row_map.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace adl {

template <typename SrcExp, typename DType, int srcdim>
struct TileExp : public MakeTensorExp<TileExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 1, "mshadow: tile needs an expression with axes");
  SrcExp src_;
  Shape<srcdim> reps_, src_shape_;
  TileExp(const SrcExp& src, const Shape<srcdim>& reps)
      : src_(src), reps_(reps), src_shape_(ShapeCheck<srcdim, SrcExp>::Check(src_)) {
    for (int i = 0; i < srcdim; ++i) {
      const long long most = src_shape_[i] == 0 ? 0x7fffffff : 0x7fffffff / src_shape_[i];
      detail::CheckArgument("tile", "reps", reps[i], 0, most, ", what an extent may become");
      this->shape_[i] = src_shape_[i] * reps[i];
    }
  }
};

/// out[i0]..[ik] = src[i0 mod s0]..[ik mod sk]: src side by side, reps[i] times along axis i, as
/// NumPy's tile; src (s0, .., sk) -> (reps[0] s0, .., reps[k] sk).
template <typename SrcExp, typename DType, int etype, int dim>
inline TileExp<SrcExp, DType, dim> tile(const Exp<SrcExp, DType, etype>& src, Shape<dim> reps) {
  static_assert(ExpInfo<SrcExp>::kDim == dim,
                "mshadow: tile needs as many repetitions as the source has axes; reshape puts "
                "axes of extent 1 in front");
  return TileExp<SrcExp, DType, dim>(src.self(), reps);
}

}  // namespace adl

template <typename SrcExp, typename DType, int srcdim>
class Plan<adl::TileExp<SrcExp, DType, srcdim>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(1 + kCostOf<Src>);
  explicit Plan(const adl::TileExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlan(e.src_)),
        period_(e.reps_[srcdim - 1] == 1 ? kOnce
                                         : static_cast<std::ptrdiff_t>(e.src_shape_[srcdim - 1])) {
    for (int i = 0; i < srcdim - 1; ++i) {
      rows_.Append(static_cast<std::ptrdiff_t>(e.reps_[i]), 0);
      rows_.Append(static_cast<std::ptrdiff_t>(e.src_shape_[i]),
                   static_cast<std::ptrdiff_t>(e.src_shape_.CheckedProdShape(i + 1, srcdim - 1)));
    }
  }

  /// The source's row again and again.
  struct Cursor {
    static constexpr bool kRuns = true;
    RowCursor<Src> row_;
    FastDivmod period_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const { return row_.Eval(DivMod(x, period_).rem); }
    MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
      const std::ptrdiff_t begin = x - DivMod(x, period_).rem;
      if (*end > begin + period_) *end = begin + period_;
      return RunOf(ShiftCursor<RowCursor<Src>>{row_, -begin}, x, end);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{RowOf(src_, rows_(y)), period_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const PlanLayout rows = rows_.Layout(LayoutOf(src_, cols));
    return period_ == kOnce ? rows : rows.Joined(1);
  }

 private:
  /// More than any row has, joined ones too.
  static constexpr std::ptrdiff_t kOnce = PTRDIFF_MAX / 2;

  Src src_;
  FastDivmod period_;  // of a row
  RowMap<2 * srcdim> rows_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_TILE_H_
