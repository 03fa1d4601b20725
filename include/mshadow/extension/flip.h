// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_FLIP_H_
#define MSHADOW_EXTENSION_FLIP_H_

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/cursor/either_cursor.h"
#include "../expr/engine.h"
#include "mirror.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// src_ with axis dim_ reversed. It can be assigned to, and then writes into src_.
template <typename SrcExp, typename Device, typename DType, int srcdim>
struct FlipExp
    : public TRValue<FlipExp<SrcExp, Device, DType, srcdim>, Device, srcdim, DType> {
  static constexpr int kRank = srcdim;
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask;
  SrcExp src_;
  int dim_;
  Shape<srcdim> shape_;
  FlipExp(const SrcExp& src, int dim)
      : src_(src),
        dim_(detail::CheckAxis("flip", dim, srcdim)),
        shape_(ShapeCheck<srcdim, SrcExp>::Check(src_)) {}
  FlipExp(const FlipExp&) = default;
  /// Assigns the elements, as all other right-hand sides do.
  FlipExp& operator=(const FlipExp& exp) { return this->__assign(exp); }
  template <typename E, typename EDType, int etype>
  FlipExp& operator=(const Exp<E, EDType, etype>& exp) {
    return this->__assign(exp);
  }
  FlipExp& operator=(const DType& value) { return this->__assign(value); }
  template <typename S, typename = EnableIfOtherScalar<DType, S>>
  FlipExp& operator=(const S& value) {
    return this->__assign(value);
  }

  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == srcdim, "mshadow: a flipped tensor has another number of axes than the "
                                 "statement it stands in");
    return shape_;
  }
  template <typename D>
  Stream<D>* GetStream() const {
    return StreamInfo<D, SrcExp>::Get(src_);
  }
  WrittenView Written() const {
    WrittenView view = src_.Written();
    view.same_layout = false;
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

template <typename SrcExp, typename Device, typename DType, int srcdim>
class Plan<FlipExp<SrcExp, Device, DType, srcdim>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(1 + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const FlipExp<SrcExp, Device, DType, srcdim>& e)
      : src_(MakePlan(e.src_)),
        columns_(e.dim_ == srcdim - 1),
        last_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 1]) - 1) {
    if constexpr (srcdim > 1) {  // of one axis GCC warns of what is never reached
      if (!columns_) {
        extent_ = FastDivmod(static_cast<std::ptrdiff_t>(e.shape_[e.dim_]));
        rows_ = FastDivmod(
            static_cast<std::ptrdiff_t>(e.shape_.CheckedProdShape(e.dim_ + 1, srcdim - 1)));
      }
    }
  }
  MSHADOW_XINLINE auto Row(std::ptrdiff_t y) const {
    using Row = RowCursor<Src>;
    if (!columns_) {
      // Row r of index i of the axis becomes that of index extent - 1 - i.
      const std::ptrdiff_t i = DivMod(FloorDiv(y, rows_), extent_).rem;
      y += (extent_ - 1 - 2 * i) * rows_;
    }
    const Row row = RowOf(src_, y);
    return detail::EitherCursor<detail::MirrorCursor<Row>, Row>{
        detail::MirrorCursor<Row>{row, last_}, row, columns_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE DType& REval(index_t y, index_t x) { return Row(y).REval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const PlanLayout layout = LayoutOf(src_, cols);
    return layout.Joined(!columns_ && layout.join == 0 ? std::ptrdiff_t{rows_} : 1);
  }

 private:
  Src src_;
  bool columns_;  // the last axis is the one that is reversed
  std::ptrdiff_t last_;
  FastDivmod extent_, rows_;  // of the axis, and the rows that an index of it has
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_FLIP_H_
