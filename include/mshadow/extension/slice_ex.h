// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SLICE_EX_H_
#define MSHADOW_EXTENSION_SLICE_EX_H_

#include "slice.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {
/// Every step-th column, from `first` on.
struct SteppedColumns : ShiftedColumns {
  static constexpr bool kContiguous = false, kFills = true;
  std::ptrdiff_t step;
  MSHADOW_XINLINE SteppedColumns(std::ptrdiff_t first_column, bool whole, std::ptrdiff_t steps)
      : ShiftedColumns(first_column, whole), step(steps) {}
  template <typename C>
  MSHADOW_XINLINE StrideCursor<C> Of(const C& row) const {
    return StrideCursor<C>{row, step, first};
  }
  template <typename P, typename DType>
  MSHADOW_FORCE_INLINE void Fill(const P& src, DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if (step == 1) return ShiftedColumns::Fill(src, to, stride, y, end_y, x, end);
    for (; y < end_y; ++y, to += stride) WriteShortRow(Of(RowOf(src, y)), x, end, to);
  }
};
}  // namespace detail

/// The box [begin_, end_) of src_, of `stepped` ones every step_-th element. It can be assigned to,
/// and then writes into src_, unless Device is void.
template <typename SrcExp, typename Device, typename DType, int srcdim, bool stepped = false>
struct SliceExExp
    : public detail::SourceView<SliceExExp<SrcExp, Device, DType, srcdim, stepped>, SrcExp, Device,
                                srcdim, DType> {
  using Base = detail::SourceView<SliceExExp, SrcExp, Device, srcdim, DType>;
  using Base::shape_;
  using Base::src_;
  using Base::operator=;
  Shape<srcdim> src_shape_, begin_, end_, step_;

  SliceExExp(const SrcExp& src, const Shape<srcdim>& begin, const Shape<srcdim>& end,
             const Shape<srcdim>& step)
      : Base(src), src_shape_(shape_), step_(step) {
    for (int i = 0; i < srcdim; ++i) {
      begin_[i] = detail::SliceBound("begin", begin[i], 0, src_shape_[i], i);
      end_[i] = detail::SliceBound("end", end[i], begin_[i], src_shape_[i], i);
      detail::CheckPositive("slice", "step", static_cast<std::make_signed_t<index_t>>(step[i]));
      shape_[i] = end_[i] == begin_[i] ? 0 : (end_[i] - begin_[i] - 1) / step[i] + 1;
      // The step of a single element is any: rows of one element then follow each other as those
      // of the source do.
      if (shape_[i] <= 1) step_[i] = 1;
    }
  }
  SliceExExp(const SliceExExp&) = default;
  /// Assigns the elements, as all other right-hand sides do.
  SliceExExp& operator=(const SliceExExp& exp) { return this->__assign(exp); }
  static constexpr detail::View kView = stepped ? detail::View::kAny : detail::View::kRows;
  void Move(const detail::OperandViews& operands) const {
    for (int i = 0; i < srcdim; ++i) {
      operands.Slice(i, static_cast<std::ptrdiff_t>(begin_[i]),
                     static_cast<std::ptrdiff_t>(step_[i]));
    }
  }
  /// The rows of the source that the box takes.
  RowMap<srcdim> Rows() const {
    std::ptrdiff_t first = 0;
    for (int i = 0; i < srcdim - 1; ++i) {
      first = first * static_cast<std::ptrdiff_t>(src_shape_[i]) +
              static_cast<std::ptrdiff_t>(begin_[i]);
    }
    RowMap<srcdim> rows(first);
    for (int i = 0; i < srcdim - 1; ++i) {
      rows.Append(static_cast<std::ptrdiff_t>(shape_[i]),
                  static_cast<std::ptrdiff_t>(step_[i]) *
                      static_cast<std::ptrdiff_t>(src_shape_.CheckedProdShape(i + 1, srcdim - 1)));
    }
    return rows;
  }
  /// Its columns.
  auto Columns() const {
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(begin_[srcdim - 1]);
    const bool all = shape_[srcdim - 1] == src_shape_[srcdim - 1];
    if constexpr (stepped) {
      return detail::SteppedColumns(first, all, static_cast<std::ptrdiff_t>(step_[srcdim - 1]));
    } else {
      return detail::ShiftedColumns(first, all);
    }
  }
  /// The box itself where its rows are evenly spaced, else all rows between its first and last.
  WrittenView Written() const {
    WrittenView view = src_.Written();
    const index_t src_rows = src_shape_.CheckedProdShape(0, srcdim - 1);
    const index_t rows = shape_.CheckedProdShape(0, srcdim - 1);
    if (!view.same_layout || view.rows != static_cast<std::ptrdiff_t>(src_rows) || rows == 0) {
      view.same_layout = false;
      return view;
    }
    const RowMap<srcdim> map = Rows();
    const std::ptrdiff_t first = map(0);
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(sizeof(DType));
    view.begin += first * view.pitch + static_cast<std::ptrdiff_t>(begin_[srcdim - 1]) * size;
    view.width = static_cast<std::ptrdiff_t>(end_[srcdim - 1] - begin_[srcdim - 1]) * size;
    view.rows = map(static_cast<std::ptrdiff_t>(rows) - 1) - first + 1;
    view.same_layout = map.IsEven() && step_[srcdim - 1] == 1;
    if (map.IsEven() && rows > 1) {
      view.pitch *= map(1) - first;
      view.rows = static_cast<std::ptrdiff_t>(rows);
    }
    return view;
  }
};

/// out[i0][i1].. = src[begin0 + i0][begin1 + i1]..; src of any rank, a tensor or another view that
/// can be assigned to -> (end0 - begin0, end1 - begin1, ..). Can be assigned to. A negative begin
/// or end counts from the end. Throws Error where not 0 <= begin <= end <= extent on every axis.
template <typename SrcExp, typename Device, typename DType, int srcdim>
inline SliceExExp<SrcExp, Device, DType, srcdim> slice(
    const TRValue<SrcExp, Device, srcdim, DType>& src, Shape<srcdim> begin, Shape<srcdim> end) {
  Shape<srcdim> step;
  for (int i = 0; i < srcdim; ++i) step[i] = 1;
  return SliceExExp<SrcExp, Device, DType, srcdim>(src.self(), begin, end, step);
}
/// out[i0][i1].. = src[begin0 + i0 step0][begin1 + i1 step1]..; of axis i every step-th element of
/// [begin, end), as in NumPy: -> (.., (end - begin - 1) / step + 1, ..). Can be assigned to. Throws
/// Error as the form without steps, and where a step is not positive.
template <typename SrcExp, typename Device, typename DType, int srcdim>
inline SliceExExp<SrcExp, Device, DType, srcdim, true> slice(
    const TRValue<SrcExp, Device, srcdim, DType>& src, Shape<srcdim> begin, Shape<srcdim> end,
    Shape<srcdim> step) {
  return SliceExExp<SrcExp, Device, DType, srcdim, true>(src.self(), begin, end, step);
}

/// The same with numbers in braces, which may be negative, as a Shape's may not be:
/// slice(m, {1, -3}, {4, -1}).
template <typename SrcExp, typename Device, typename DType, int srcdim>
inline SliceExExp<SrcExp, Device, DType, srcdim> slice(
    const TRValue<SrcExp, Device, srcdim, DType>& src, const std::ptrdiff_t (&begin)[srcdim],
    const std::ptrdiff_t (&end)[srcdim]) {
  return slice(src, detail::AsShape("slice", "begin", begin), detail::AsShape("slice", "end", end));
}
template <typename SrcExp, typename Device, typename DType, int srcdim>
inline SliceExExp<SrcExp, Device, DType, srcdim, true> slice(
    const TRValue<SrcExp, Device, srcdim, DType>& src, const std::ptrdiff_t (&begin)[srcdim],
    const std::ptrdiff_t (&end)[srcdim], const std::ptrdiff_t (&step)[srcdim]) {
  return slice(src, detail::AsShape("slice", "begin", begin), detail::AsShape("slice", "end", end),
               detail::AsShape("slice", "step", step));
}

/// The same of any expression; these cannot be assigned to.
template <typename SrcExp, typename DType, int etype, int dim = ExpInfo<SrcExp>::kDim>
inline SliceExExp<SrcExp, void, DType, dim> slice(const Exp<SrcExp, DType, etype>& src,
                                                  Shape<ExpInfo<SrcExp>::kDim> begin,
                                                  Shape<ExpInfo<SrcExp>::kDim> end) {
  Shape<dim> step;
  for (int i = 0; i < dim; ++i) step[i] = 1;
  return SliceExExp<SrcExp, void, DType, dim>(src.self(), begin, end, step);
}
template <typename SrcExp, typename DType, int etype, int dim = ExpInfo<SrcExp>::kDim>
inline SliceExExp<SrcExp, void, DType, dim, true> slice(const Exp<SrcExp, DType, etype>& src,
                                                        Shape<ExpInfo<SrcExp>::kDim> begin,
                                                        Shape<ExpInfo<SrcExp>::kDim> end,
                                                        Shape<ExpInfo<SrcExp>::kDim> step) {
  return SliceExExp<SrcExp, void, DType, dim, true>(src.self(), begin, end, step);
}
template <typename SrcExp, typename DType, int etype, int dim>
inline SliceExExp<SrcExp, void, DType, dim> slice(const Exp<SrcExp, DType, etype>& src,
                                                  const std::ptrdiff_t (&begin)[dim],
                                                  const std::ptrdiff_t (&end)[dim]) {
  static_assert(dim == ExpInfo<SrcExp>::kDim, "mshadow: slice needs one number for each axis");
  return slice(src, detail::AsShape("slice", "begin", begin), detail::AsShape("slice", "end", end));
}
template <typename SrcExp, typename DType, int etype, int dim>
inline SliceExExp<SrcExp, void, DType, dim, true> slice(const Exp<SrcExp, DType, etype>& src,
                                                        const std::ptrdiff_t (&begin)[dim],
                                                        const std::ptrdiff_t (&end)[dim],
                                                        const std::ptrdiff_t (&step)[dim]) {
  static_assert(dim == ExpInfo<SrcExp>::kDim, "mshadow: slice needs one number for each axis");
  return slice(src, detail::AsShape("slice", "begin", begin), detail::AsShape("slice", "end", end),
               detail::AsShape("slice", "step", step));
}

template <typename SrcExp, typename Device, typename DType, int srcdim, bool stepped>
class Plan<SliceExExp<SrcExp, Device, DType, srcdim, stepped>, DType>
    : public detail::StridedOperand<
          PlanOf<SrcExp>, RowMap<srcdim>,
          std::conditional_t<stepped, detail::SteppedColumns, detail::ShiftedColumns>> {
 public:
  explicit Plan(const SliceExExp<SrcExp, Device, DType, srcdim, stepped>& e)
      : Plan::StridedOperand(e.src_, e.Rows(), e.Columns()) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SLICE_EX_H_
