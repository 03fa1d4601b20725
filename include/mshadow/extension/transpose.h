// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_TRANSPOSE_H_
#define MSHADOW_EXTENSION_TRANSPOSE_H_

#include "../core/argument.h"
#include "../expr/make_tensor.h"
#include "../expr/plan/blocks.h"
#include "../expr/plan/row_map.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

/// `axes` counted from the front; throws Error where it is no permutation of 0, .., dim - 1.
template <int dim>
inline Shape<dim> CheckPermutation(const char* function, const Shape<dim>& axes) {
  Shape<dim> result;
  bool seen[dim] = {};
  for (int i = 0; i < dim; ++i) {
    const long long axis = SignedArgument(axes[i], dim - 1);
    if (!MSHADOW_LIKELY(-dim <= axis && axis < dim)) {
      ThrowArgument(function, ("axes[" + std::to_string(i) + "]").c_str(), axis, -dim, dim - 1,
                    ", the axes of the tensor");
    }
    const int from_front = static_cast<int>(axis < 0 ? axis + dim : axis);
    MSHADOW_CHECK(!seen[from_front])
        << function << ": axes " << axes << " names axis " << from_front << " twice";
    seen[from_front] = true;
    result[i] = static_cast<index_t>(from_front);
  }
  return result;
}

}  // namespace detail

template <typename SrcExp, typename DType, int dimsrc>
struct TransposeExExp
    : public MakeTensorExp<TransposeExExp<SrcExp, DType, dimsrc>, SrcExp, dimsrc, DType> {
  static_assert(dimsrc > 0, "mshadow: transpose needs an expression with axes");
  SrcExp src_;
  Shape<dimsrc> axes_, src_shape_;
  TransposeExExp(const SrcExp& src, const Shape<dimsrc>& axes)
      : src_(src),
        axes_(detail::CheckPermutation("transpose", axes)),
        src_shape_(ShapeCheck<dimsrc, SrcExp>::Check(src_)) {
    for (int i = 0; i < dimsrc; ++i) this->shape_[i] = src_shape_[static_cast<int>(axes_[i])];
  }
  static constexpr detail::View kView = detail::View::kAny;
  void Move(const detail::OperandViews& operands) const { operands.Permute(axes_, dimsrc); }
};

/// out[i0][i1].. = src[j0][j1].. with j[axes[d]] = i[d]: axis d of the result is axis axes[d] of
/// the source; src of any rank k -> (src.shape[axes[0]], .., src.shape[axes[k-1]]). Negative axes
/// count from the end. Throws Error where axes is no permutation of 0, .., k - 1.
template <typename SrcExp, typename DType, int etype>
inline TransposeExExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> transpose(
    const Exp<SrcExp, DType, etype>& src, Shape<ExpInfo<SrcExp>::kDim> axes) {
  return TransposeExExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), axes);
}
/// The same with axes in braces, which may be negative, as a Shape's may not be:
/// transpose(m, {-1, 0}).
template <typename SrcExp, typename DType, int etype, int dim>
inline TransposeExExp<SrcExp, DType, dim> transpose(const Exp<SrcExp, DType, etype>& src,
                                                    const std::ptrdiff_t (&axes)[dim]) {
  static_assert(dim == ExpInfo<SrcExp>::kDim, "mshadow: transpose needs one number for each axis");
  return TransposeExExp<SrcExp, DType, dim>(src.self(), detail::AsShape("transpose", "axes", axes));
}
MSHADOW_OWNS_TEMPORARIES_(transpose)

// The axes before the last say which row of the source, and which column of it, a row begins with.
// Where the last axis stays the last, rows are rows of the source; elsewhere an element further is
// step_ rows of the source further.
template <typename SrcExp, typename DType, int dimsrc>
class Plan<TransposeExExp<SrcExp, DType, dimsrc>, DType> {
  using Src = ReorderedPlan<SrcExp, DType>;

 public:
  static constexpr PlanFacts kFacts = TransposedFacts(1 + kCostOf<Src>);
  explicit Plan(const TransposeExExp<SrcExp, DType, dimsrc>& e) : src_(MakePlanOf<Src>(e.src_)) {
    const auto rows_of = [&e](index_t axis) {  // of the source, from one index of an axis on
      return static_cast<std::ptrdiff_t>(
          e.src_shape_.CheckedProdShape(static_cast<int>(axis) + 1, dimsrc - 1));
    };
    for (int i = 0; i < dimsrc; ++i) {
      if (e.axes_[i] != dimsrc - 1) continue;
      tile_step_ = static_cast<std::ptrdiff_t>(e.shape_.CheckedProdShape(i + 1, dimsrc - 1));
      if (i == dimsrc - 1) tile_step_ = 0;
    }
    columns_ = static_cast<std::ptrdiff_t>(e.src_shape_[dimsrc - 1]);
    for (int i = 0; i < dimsrc - 1; ++i) {
      const bool is_column = e.axes_[i] == dimsrc - 1;
      rows_.Append(static_cast<std::ptrdiff_t>(e.shape_[i]), is_column ? 0 : rows_of(e.axes_[i]));
    }
    step_ = tile_step_ == 0 ? 0 : rows_of(e.axes_[dimsrc - 1]);
    // Axes before the last that are before it in the source too make one long axis with it.
    for (int i = dimsrc - 2; i >= 0 && e.axes_[i] != dimsrc - 1; --i) {
      const std::ptrdiff_t columns = static_cast<std::ptrdiff_t>(e.shape_[dimsrc - 1]);
      if (rows_of(e.axes_[i]) != step_ * columns * joined_) break;
      joined_ *= static_cast<std::ptrdiff_t>(e.shape_[i]);
    }
  }

  struct Cursor {
    using Row = RowCursor<Src>;
    /// A column of every step_-th row.
    struct Column {
      const Src& src_;
      std::ptrdiff_t row_, step_, column_;
      MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
        return RowOf(src_, row_ + x * step_).Eval(column_);
      }
    };
    Column column_;
    MSHADOW_XINLINE bool IsRow() const { return column_.step_ == 0; }
    MSHADOW_XINLINE Row AsRow() const { return RowOf(column_.src_, column_.row_); }
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return IsRow() ? AsRow().Eval(x) : column_.Eval(x);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    const std::ptrdiff_t column = tile_step_ == 0 ? 0 : FloorDiv(y, tile_step_) % columns_;
    return Cursor{{src_, rows_(y), step_, column}};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (; y < end_y; ++y, to += stride) {
      const Cursor row = Row(y);
      if (row.IsRow()) {
        const std::ptrdiff_t from = row.column_.row_;
        FillBlock(src_, to, 0, from, from + 1, x, end);
      } else {
        detail::WriteShortRow(row.column_, x, end, to);
      }
    }
  }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    if (tile_step_ == 0) return rows_.Layout(LayoutOf(src_, cols));
    return {joined_, tile_step_, ReadsOf(src_)};
  }

 private:
  Src src_;
  RowMap<dimsrc> rows_;
  std::ptrdiff_t columns_;     // of the source
  std::ptrdiff_t step_;        // 0: the last axis stays the last
  std::ptrdiff_t tile_step_;   // rows of the result for one index of what was the last axis
  std::ptrdiff_t joined_ = 1;  // rows of the result that can be joined though columns become rows
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_TRANSPOSE_H_
