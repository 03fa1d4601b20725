// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_FLIP_H_
#define MSHADOW_EXTENSION_FLIP_H_

#include "../core/argument.h"
#include "../expr/plan/cursors.h"
#include "../expr/source_view.h"
#include "mirror.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// src_ with axis dim_ reversed. It can be assigned to, and then writes into src_, unless Device is
/// void.
template <typename SrcExp, typename Device, typename DType, int srcdim>
struct FlipExp
    : public detail::SourceView<FlipExp<SrcExp, Device, DType, srcdim>, SrcExp, Device, srcdim,
                                DType> {
  using Base = detail::SourceView<FlipExp, SrcExp, Device, srcdim, DType>;
  using Base::shape_;
  using Base::src_;
  using Base::operator=;
  int dim_;
  FlipExp(const SrcExp& src, int dim)
      : Base(src), dim_(detail::CheckAxis("flip", dim, srcdim)) {}
  FlipExp(const FlipExp&) = default;
  /// Assigns the elements, as all other right-hand sides do.
  FlipExp& operator=(const FlipExp& exp) { return this->__assign(exp); }
  /// The rows of the source in the order of the result.
  RowMap<3> Rows() const {
    if (dim_ == srcdim - 1) return RowMap<3>();
    const std::ptrdiff_t extent = static_cast<std::ptrdiff_t>(shape_[dim_]);
    const std::ptrdiff_t inner =
        static_cast<std::ptrdiff_t>(shape_.CheckedProdShape(dim_ + 1, srcdim - 1));
    RowMap<3> rows((extent - 1) * inner);
    rows.Append(static_cast<std::ptrdiff_t>(shape_.CheckedProdShape(0, dim_)), extent * inner);
    rows.Append(extent, -inner);
    rows.Append(inner, 1);
    return rows;
  }
  static constexpr detail::View kView = detail::View::kAny;
  void Move(const detail::OperandViews& operands) const { operands.Reverse(dim_, shape_[dim_]); }
  WrittenView Written() const {
    WrittenView view = src_.Written();
    view.same_layout = false;
    return view;
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return expr::Overlaps(src_, written, false);
  }
};

/// out[..][i][..] = src[..][n - 1 - i][..] along axis dim of n; src a tensor or another view that
/// can be assigned to -> the same shape. Can be assigned to: flip(a, 1) = b. A negative dim counts
/// from the end; throws Error where it is no axis of src.
template <typename SrcExp, typename Device, int srcdim, typename DType>
inline FlipExp<SrcExp, Device, DType, srcdim> flip(
    const TRValue<SrcExp, Device, srcdim, DType>& src, int dim) {
  return FlipExp<SrcExp, Device, DType, srcdim>(src.self(), dim);
}
/// The same of any expression; it cannot be assigned to.
template <typename SrcExp, typename DType, int etype>
inline FlipExp<SrcExp, void, DType, ExpInfo<SrcExp>::kDim> flip(
    const Exp<SrcExp, DType, etype>& src, int dim) {
  return FlipExp<SrcExp, void, DType, ExpInfo<SrcExp>::kDim>(src.self(), dim);
}
MSHADOW_OWNS_TEMPORARIES_(flip)

namespace detail {
/// Columns from the last to the first, if `mirrors`.
struct FlippedColumns : MirroredColumns {
  static constexpr bool kFills = true;
  bool mirrors;
  MSHADOW_XINLINE FlippedColumns(std::ptrdiff_t last_column, bool flips)
      : MirroredColumns(last_column), mirrors(flips) {}
  template <typename C>
  MSHADOW_XINLINE EitherCursor<MirrorCursor<C>, C> Of(const C& row) const {
    return EitherCursor<MirrorCursor<C>, C>{MirroredColumns::Of(row), row, mirrors};
  }
  MSHADOW_XINLINE bool AreAll() const { return !mirrors; }
  template <typename P, typename DType>
  MSHADOW_FORCE_INLINE void Fill(const P& src, DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if (!mirrors) return FillBlock(src, to, stride, y, end_y, x, end);
    for (; y < end_y; ++y, to += stride) {
      WriteShortRow(MirroredColumns::Of(RowOf(src, y)), x, end, to);
    }
  }
};
}  // namespace detail

template <typename SrcExp, typename Device, typename DType, int srcdim>
class Plan<FlipExp<SrcExp, Device, DType, srcdim>, DType>
    : public detail::StridedOperand<ReorderedPlan<SrcExp, DType>, RowMap<3>,
                                    detail::FlippedColumns> {
 public:
  explicit Plan(const FlipExp<SrcExp, Device, DType, srcdim>& e)
      : Plan::StridedOperand(
            e.src_, e.Rows(),
            detail::FlippedColumns(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 1]) - 1,
                                   e.dim_ == srcdim - 1)) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_FLIP_H_
