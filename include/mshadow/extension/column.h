// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_COLUMN_H_
#define MSHADOW_EXTENSION_COLUMN_H_

#include "../expr/argument.h"
#include "../expr/engine.h"
#include "../expr/plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// Column index_ of src_. It can be assigned to, and then writes into src_, unless
/// Device is void.
template <typename SrcExp, typename Device, typename DType, int dimsrc>
struct ColumnExp : public detail::ViewBase<ColumnExp<SrcExp, Device, DType, dimsrc>, Device,
                                           dimsrc - 1, DType> {
  static constexpr int kRank = dimsrc - 1;
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask;
  SrcExp src_;
  index_t index_;
  Shape<dimsrc - 1> shape_;

  ColumnExp(const SrcExp& src, std::ptrdiff_t index) : src_(src) {
    const Shape<dimsrc> shape = ShapeCheck<dimsrc, SrcExp>::Check(src_);
    const std::ptrdiff_t width = static_cast<std::ptrdiff_t>(shape[dimsrc - 1]);
    detail::CheckArgument("Column", "index", index, -width, width - 1,
                          ", the columns of the source");
    index_ = static_cast<index_t>(index < 0 ? index + width : index);
    for (int axis = 0; axis < kRank; ++axis) shape_[axis] = shape[axis];
  }
  ColumnExp(const ColumnExp&) = default;
  /// Assigns the elements, as all other right-hand sides do.
  ColumnExp& operator=(const ColumnExp& exp) { return this->__assign(exp); }
  template <typename E, typename EDType, int etype>
  ColumnExp& operator=(const Exp<E, EDType, etype>& exp) {
    return this->__assign(exp);
  }
  ColumnExp& operator=(const DType& value) { return this->__assign(value); }
  template <typename S, typename = EnableIfOtherScalar<DType, S>>
  ColumnExp& operator=(const S& value) {
    return this->__assign(value);
  }

  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == kRank, "mshadow: a column has another number of axes than the statement "
                                "it stands in");
    return shape_;
  }
  template <typename D>
  Stream<D>* GetStream() const {
    return StreamInfo<D, SrcExp>::Get(src_);
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
  /// Of a source that is several views: all of them.
  template <typename F, typename Src = SrcExp>
  auto AnyWritten(const F& f) const -> decltype(std::declval<const Src&>().AnyWritten(f)) {
    return src_.AnyWritten([&f](WrittenView view) {
      view.same_layout = false;
      return f(view);
    });
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    if constexpr (std::is_void_v<Device>) {
      return expr::Overlaps(src_, written, false);
    } else {
      return expr::AnyWritten(*this, [&](const WrittenView& read) {
        return detail::ReadsWritten(written, read, same_index && read.same_layout);
      });
    }
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

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_COLUMN_H_
