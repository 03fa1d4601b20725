// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SLICE_H_
#define MSHADOW_EXTENSION_SLICE_H_

#include "../core/argument.h"
#include "../expr/plan/strided_plan.h"
#include "../expr/source_view.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

/// A bound of a slice of an axis of n, counted from the end where negative.
inline index_t SliceBound(const char* argument, index_t value, index_t least, index_t n, int axis) {
  const long long given = SignedArgument(value, n);
  const long long extent = static_cast<long long>(n);
  const long long bound = given < 0 ? given + extent : given;
  if (!MSHADOW_LIKELY(static_cast<long long>(least) <= bound && bound <= extent)) {
    throw Error(std::string("slice: The slice went out of range: ") + argument + " = " +
                std::to_string(given) + " is not one of " + std::to_string(least) + " to " +
                std::to_string(n) + ", the extent of axis " + std::to_string(axis));
  }
  return static_cast<index_t>(bound);
}

/// The rows of `shape` in a source of the extent `old` at `axis`, not the last: those from `begin`
/// on.
template <int dim>
inline RowMap<2> SlicedRows(const Shape<dim>& shape, int axis, index_t begin, index_t old) {
  const std::ptrdiff_t inner =
      static_cast<std::ptrdiff_t>(shape.CheckedProdShape(axis + 1, dim - 1));
  RowMap<2> rows(static_cast<std::ptrdiff_t>(begin) * inner);
  rows.Append(static_cast<std::ptrdiff_t>(shape.CheckedProdShape(0, axis)),
              static_cast<std::ptrdiff_t>(old) * inner);
  rows.Append(static_cast<std::ptrdiff_t>(shape[axis]) * inner, 1);
  return rows;
}

}  // namespace detail

/// src_ from ch_begin_ on, shape_ long, along the axis dimsrc - dimsrc_m_slice. It can be assigned
/// to, and then writes into src_, unless Device is void.
template <typename SrcExp, typename Device, typename DType, int srcdim, int dimsrc_m_slice>
struct SliceExp
    : public detail::SourceView<SliceExp<SrcExp, Device, DType, srcdim, dimsrc_m_slice>, SrcExp,
                                Device, srcdim, DType> {
  static constexpr int kAxis = srcdim - dimsrc_m_slice;
  using Base = detail::SourceView<SliceExp, SrcExp, Device, srcdim, DType>;
  using Base::shape_;
  using Base::src_;
  using Base::operator=;
  index_t ch_begin_, ch_old_;

  SliceExp(const SrcExp& src, index_t begin, index_t end) : Base(src) {
    ch_old_ = shape_[kAxis];
    ch_begin_ = detail::SliceBound("begin", begin, 0, ch_old_, kAxis);
    shape_[kAxis] = detail::SliceBound("end", end, ch_begin_, ch_old_, kAxis) - ch_begin_;
  }
  SliceExp(const SliceExp&) = default;
  /// Assigns the elements, as all other right-hand sides do.
  SliceExp& operator=(const SliceExp& exp) { return this->__assign(exp); }
  static constexpr detail::View kView = detail::View::kRows;
  void Move(const detail::OperandViews& operands) const {
    operands.Slice(kAxis, static_cast<std::ptrdiff_t>(ch_begin_));
  }
  /// Rows or parts of them where these are evenly spaced, else one long row for each index of the
  /// axes before kAxis: what lies between such rows belongs to other slices.
  WrittenView Written() const {
    WrittenView view = src_.Written();
    Shape<srcdim> src_shape = shape_;
    src_shape[kAxis] = ch_old_;
    const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(ch_begin_);
    const std::ptrdiff_t length = static_cast<std::ptrdiff_t>(shape_[kAxis]);
    const std::ptrdiff_t old = static_cast<std::ptrdiff_t>(ch_old_);
    const std::ptrdiff_t outer = static_cast<std::ptrdiff_t>(shape_.CheckedProdShape(0, kAxis));
    if (!view.same_layout ||
        view.rows != static_cast<std::ptrdiff_t>(src_shape.CheckedProdShape(0, srcdim - 1))) {
      view.same_layout = false;
    } else if constexpr (kAxis == srcdim - 1) {
      view.begin += begin * static_cast<std::ptrdiff_t>(sizeof(DType));
      view.width = length * static_cast<std::ptrdiff_t>(sizeof(DType));
    } else {
      const std::ptrdiff_t inner =
          static_cast<std::ptrdiff_t>(shape_.CheckedProdShape(kAxis + 1, srcdim - 1));
      view.begin += begin * inner * view.pitch;
      if (outer == 1 || length * inner == 0) {
        view.rows = length * inner;
      } else {
        view.width += (length * inner - 1) * view.pitch;
        view.pitch *= old * inner;
        view.rows = outer;
      }
    }
    return view;
  }
};

/// out[..][i][..] = src[..][begin + i][..] along axis sdim; src of any rank, a tensor or another
/// view that can be assigned to -> the same shape with end - begin at axis sdim. Can be assigned
/// to: slice<1>(a, 0, 2) += b. A negative sdim, begin or end counts from the end. Throws Error
/// where not 0 <= begin <= end <= extent.
template <int sdim, typename SrcExp, typename Device, typename DType, int srcdim>
inline auto slice(const TRValue<SrcExp, Device, srcdim, DType>& src, index_t begin, index_t end) {
  constexpr int kAxis = sdim < 0 ? sdim + srcdim : sdim;
  static_assert(0 <= kAxis && kAxis < srcdim,
                "mshadow: slice<sdim>: sdim must be an axis of the source");
  return SliceExp<SrcExp, Device, DType, srcdim, srcdim - kAxis>(src.self(), begin, end);
}
/// The same of any expression; it cannot be assigned to.
template <int sdim, typename SrcExp, typename DType, int etype>
inline auto slice(const Exp<SrcExp, DType, etype>& src, index_t begin, index_t end) {
  constexpr int kDim = ExpInfo<SrcExp>::kDim, kAxis = sdim < 0 ? sdim + kDim : sdim;
  static_assert(0 <= kAxis && kAxis < kDim,
                "mshadow: slice<sdim>: sdim must be an axis of the source");
  return SliceExp<SrcExp, void, DType, kDim, kDim - kAxis>(src.self(), begin, end);
}
MSHADOW_OWNS_TEMPORARIES_OF_(int, slice)

template <typename SrcExp, typename Device, typename DType, int srcdim, int dimsrc_m_slice>
class Plan<SliceExp<SrcExp, Device, DType, srcdim, dimsrc_m_slice>, DType>
    : public detail::StridedOperand<PlanOf<SrcExp>, RowMap<2>, detail::SameColumns> {
 public:
  explicit Plan(const SliceExp<SrcExp, Device, DType, srcdim, dimsrc_m_slice>& e)
      : Plan::StridedOperand(
            e.src_, detail::SlicedRows(e.shape_, e.kAxis, e.ch_begin_, e.ch_old_), {}) {}
};

/// The last axis: every row is a part of a row.
template <typename SrcExp, typename Device, typename DType, int srcdim>
class Plan<SliceExp<SrcExp, Device, DType, srcdim, 1>, DType>
    : public detail::StridedOperand<PlanOf<SrcExp>, RowMap<0>, detail::ShiftedColumns> {
 public:
  explicit Plan(const SliceExp<SrcExp, Device, DType, srcdim, 1>& e)
      : Plan::StridedOperand(e.src_, {},
                             detail::ShiftedColumns(static_cast<std::ptrdiff_t>(e.ch_begin_))) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SLICE_H_
