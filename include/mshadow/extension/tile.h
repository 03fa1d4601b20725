// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_TILE_H_
#define MSHADOW_EXTENSION_TILE_H_

#include <cstdint>

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "../expr/plan/strided_plan.h"

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
  /// The rows of the source, again and again.
  RowMap<2 * srcdim> Rows() const {
    RowMap<2 * srcdim> rows;
    for (int i = 0; i < srcdim - 1; ++i) {
      rows.Append(static_cast<std::ptrdiff_t>(reps_[i]), 0);
      rows.Append(static_cast<std::ptrdiff_t>(src_shape_[i]),
                  static_cast<std::ptrdiff_t>(src_shape_.CheckedProdShape(i + 1, srcdim - 1)));
    }
    return rows;
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
MSHADOW_OWNS_TEMPORARIES_(tile)

}  // namespace adl

namespace detail {
/// A row again and again.
template <typename A>
struct TileCursor {
  A row_;
  FastDivmod period_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const { return row_.Eval(DivMod(x, period_).rem); }
};
/// Columns again and again: `period` of them; kOnce: only once.
struct TiledColumns : SameColumns {
  static constexpr int kCost = 1;
  static constexpr bool kContiguous = false, kFills = true;
  /// More than any row has, joined ones too.
  static constexpr std::ptrdiff_t kOnce = PTRDIFF_MAX / 2;
  FastDivmod period;
  MSHADOW_XINLINE explicit TiledColumns(std::ptrdiff_t n) : period(n) {}
  template <typename C>
  MSHADOW_XINLINE TileCursor<C> Of(const C& row) const {
    return TileCursor<C>{row, period};
  }
  MSHADOW_XINLINE bool AreAll() const { return period == kOnce; }
  /// The first period, from one column or two; then twice as much again and again.
  template <typename P, typename DType>
  MSHADOW_FORCE_INLINE void Fill(const P& src, DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    const std::ptrdiff_t begin = DivMod(x, period).rem, count = end - x;
    for (; y < end_y; ++y, to += stride) {
      for (std::ptrdiff_t i = 0, from = begin, n; i < count && i < period; i += n, from = 0) {
        n = period - (i == 0 ? begin : i);
        if (n > count - i) n = count - i;
        FillBlock(src, to + i, 0, y, y + 1, from, from + n);
      }
      for (std::ptrdiff_t i = period, n; i < count; i += n) {
        n = i < count - i ? i : count - i;
        CopyRow(to, n, to + i);
      }
    }
  }
};
}  // namespace detail

template <typename SrcExp, typename DType, int srcdim>
class Plan<adl::TileExp<SrcExp, DType, srcdim>, DType>
    : public detail::StridedOperand<RereadPlan<SrcExp, DType>, RowMap<2 * srcdim>,
                                    detail::TiledColumns> {
 public:
  explicit Plan(const adl::TileExp<SrcExp, DType, srcdim>& e)
      : Plan::StridedOperand(e.src_, e.Rows(),
                          detail::TiledColumns(
                              e.reps_[srcdim - 1] == 1
                                  ? detail::TiledColumns::kOnce
                                  : static_cast<std::ptrdiff_t>(e.src_shape_[srcdim - 1]))) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_TILE_H_
