// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_COLUMN_H_
#define MSHADOW_EXTENSION_COLUMN_H_

#include "../core/argument.h"
#include "../expr/plan/plan.h"
#include "../expr/source_view.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// Column index_ of src_. It can be assigned to, and then writes into src_, unless Device is void.
template <typename SrcExp, typename Device, typename DType, int dimsrc>
struct ColumnExp : public detail::SourceView<ColumnExp<SrcExp, Device, DType, dimsrc>, SrcExp,
                                             Device, dimsrc - 1, DType> {
  using Base = detail::SourceView<ColumnExp, SrcExp, Device, dimsrc - 1, DType>;
  using Base::shape_;
  using Base::src_;
  using Base::operator=;
  index_t index_;

  ColumnExp(const SrcExp& src, std::ptrdiff_t index)
      : ColumnExp(src, index, ShapeCheck<dimsrc, SrcExp>::Check(src)) {}
  ColumnExp(const ColumnExp&) = default;
  /// Assigns the elements, as all other right-hand sides do.
  ColumnExp& operator=(const ColumnExp& exp) { return this->__assign(exp); }
  static constexpr detail::View kView = detail::View::kAny;
  void Move(const detail::OperandViews& operands) const {
    operands.Slice(dimsrc - 1, static_cast<std::ptrdiff_t>(index_));
  }
  /// An element of each row of the source, where that is rows of memory.
  WrittenView Written() const {
    WrittenView view = src_.Written();
    if (view.same_layout && view.rows == static_cast<std::ptrdiff_t>(shape_.CheckedSize())) {
      constexpr std::ptrdiff_t kSize = sizeof(DType);
      view.begin += static_cast<std::ptrdiff_t>(index_) * kSize;
      view.width = kSize;
    } else {
      view.same_layout = false;
    }
    return view;
  }

 private:
  ColumnExp(const SrcExp& src, std::ptrdiff_t index, const Shape<dimsrc>& shape)
      : Base(src, shape.template Slice<0, dimsrc - 1>()) {
    const std::ptrdiff_t width = static_cast<std::ptrdiff_t>(shape[dimsrc - 1]);
    detail::CheckArgument("Column", "index", index, -width, width - 1,
                          ", the columns of the source");
    index_ = static_cast<index_t>(index < 0 ? index + width : index);
  }
};

/// Element (y, x) is element `column` of row y * height + x of the source.
template <typename SrcExp, typename Device, typename DType, int dimsrc>
class Plan<ColumnExp<SrcExp, Device, DType, dimsrc>, DType> {
  using Src = PlanOf<SrcExp>;
  static constexpr PlanFacts FactsOfColumn() {
    PlanFacts facts = FactsOver<Access::kRows, Src>(2 + kCostOf<Src>);
    facts.one_row = dimsrc == 2;
    return facts;
  }

 public:
  static constexpr PlanFacts kFacts = FactsOfColumn();
  explicit Plan(const ColumnExp<SrcExp, Device, DType, dimsrc>& e)
      : src_(MakePlan(e.src_)),
        height_(static_cast<std::ptrdiff_t>(e.shape_[dimsrc - 2])),
        column_(static_cast<std::ptrdiff_t>(e.index_)) {}
  struct Cursor {
    Src src_;
    std::ptrdiff_t row_, column_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return RowOf(src_, row_ + x).Eval(column_);
    }
    MSHADOW_XINLINE DType& REval(std::ptrdiff_t x) const {
      return RowOf(src_, row_ + x).REval(column_);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return Cursor{src_, y * height_, column_}; }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE DType& REval(index_t y, index_t x) { return Row(y).REval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const { return {0, 0, ReadsOf(src_)}; }

 private:
  Src src_;
  std::ptrdiff_t height_, column_;
};

namespace adl {

/// out[..][i] = src[..][i][index]: a column of a matrix, and of more axes the last one fixed; src a
/// tensor or another view that can be assigned to (.., n, m) -> (.., n). Can be assigned to:
/// Column(a, 0) = b. A negative index counts from the end; throws Error where there is no such
/// column.
template <typename SrcExp, typename Device, int dimsrc, typename DType>
inline auto Column(const TRValue<SrcExp, Device, dimsrc, DType>& src, std::ptrdiff_t index) {
  static_assert(dimsrc > 1, "mshadow: Column takes two axes or more");
  return ColumnExp<SrcExp, Device, DType, dimsrc>(src.self(), index);
}
/// The same of any expression; it cannot be assigned to.
template <typename SrcExp, typename DType, int etype>
inline auto Column(const Exp<SrcExp, DType, etype>& src, std::ptrdiff_t index) {
  static_assert(ExpInfo<SrcExp>::kDim > 1, "mshadow: Column takes two axes or more");
  return ColumnExp<SrcExp, void, DType, ExpInfo<SrcExp>::kDim>(src.self(), index);
}
MSHADOW_OWNS_TEMPORARIES_(Column)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_COLUMN_H_
