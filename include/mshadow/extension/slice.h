// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_SLICE_H_
#define MSHADOW_EXTENSION_SLICE_H_

#include "../expr/argument.h"
#include "../expr/cursor/shift_cursor.h"
#include "../expr/engine.h"
#include "../expr/row_map.h"

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

}  // namespace detail

/// src_ from ch_begin_ on, shape_ long, along the axis dimsrc - dimsrc_m_slice. It can be assigned
/// to, and then writes into src_.
template <typename SrcExp, typename Device, typename DType, int srcdim, int dimsrc_m_slice>
struct SliceExp : public TRValue<SliceExp<SrcExp, Device, DType, srcdim, dimsrc_m_slice>, Device,
                                 srcdim, DType> {
  static constexpr int kRank = srcdim;
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask;
  static constexpr int kAxis = srcdim - dimsrc_m_slice;
  SrcExp src_;
  index_t ch_begin_, ch_old_;
  Shape<srcdim> shape_;

  SliceExp(const SrcExp& src, index_t begin, index_t end)
      : src_(src), shape_(ShapeCheck<srcdim, SrcExp>::Check(src_)) {
    ch_old_ = shape_[kAxis];
    ch_begin_ = detail::SliceBound("begin", begin, 0, ch_old_, kAxis);
    shape_[kAxis] = detail::SliceBound("end", end, ch_begin_, ch_old_, kAxis) - ch_begin_;
  }
  SliceExp(const SliceExp&) = default;
  /// Assigns the elements, as all other right-hand sides do.
  SliceExp& operator=(const SliceExp& exp) { return this->__assign(exp); }
  template <typename E, typename EDType, int etype>
  SliceExp& operator=(const Exp<E, EDType, etype>& exp) {
    return this->__assign(exp);
  }
  SliceExp& operator=(const DType& value) { return this->__assign(value); }
  template <typename S, typename = EnableIfOtherScalar<DType, S>>
  SliceExp& operator=(const S& value) {
    return this->__assign(value);
  }

  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == srcdim, "mshadow: a slice has another number of axes than the statement "
                                 "it stands in");
    return shape_;
  }
  template <typename D>
  Stream<D>* GetStream() const {
    return StreamInfo<D, SrcExp>::Get(src_);
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
  /// Of a source that is several views: all of them.
  template <typename F, typename Src = SrcExp>
  auto AnyWritten(const F& f) const -> decltype(std::declval<const Src&>().AnyWritten(f)) {
    return src_.AnyWritten([&f](WrittenView view) {
      view.same_layout = false;
      return f(view);
    });
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::AnyWritten(*this, [&](const WrittenView& read) {
      return detail::ReadsWritten(written, read, same_index && read.same_layout);
    });
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

template <typename SrcExp, typename Device, typename DType, int srcdim, int dimsrc_m_slice>
class Plan<SliceExp<SrcExp, Device, DType, srcdim, dimsrc_m_slice>, DType> {
  using Src = PlanOf<SrcExp>;
  using Node = SliceExp<SrcExp, Device, DType, srcdim, dimsrc_m_slice>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const Node& e) : src_(MakePlan(e.src_)) {
    const std::ptrdiff_t inner =
        static_cast<std::ptrdiff_t>(e.shape_.CheckedProdShape(Node::kAxis + 1, srcdim - 1));
    rows_ = RowMap<2>(static_cast<std::ptrdiff_t>(e.ch_begin_) * inner);
    rows_.Append(static_cast<std::ptrdiff_t>(e.shape_.CheckedProdShape(0, Node::kAxis)),
                 static_cast<std::ptrdiff_t>(e.ch_old_) * inner);
    rows_.Append(static_cast<std::ptrdiff_t>(e.shape_[Node::kAxis]) * inner, 1);
  }
  MSHADOW_XINLINE auto Row(std::ptrdiff_t y) const { return RowOf(src_, rows_(y)); }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE DType& REval(index_t y, index_t x) { return Row(y).REval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return rows_.Layout(LayoutOf(src_, cols));
  }
  template <typename P = Src, typename = std::enable_if_t<detail::HasRowStride<P>::value>>
  MSHADOW_XINLINE std::ptrdiff_t EvenRows(std::ptrdiff_t y, const DType** begin,
                                          std::ptrdiff_t* stride) const {
    *begin = Row(y).Pointer(0);
    *stride = rows_.EvenStride() * src_.RowStride();
    return rows_.EvenRows(y);
  }
  template <typename P = Src>
  auto MoveBy(std::ptrdiff_t bytes) -> decltype(std::declval<P&>().MoveBy(bytes)) {
    src_.MoveBy(bytes);
  }

 private:
  Src src_;
  RowMap<2> rows_;
};

/// The last axis: every row is a part of a row.
template <typename SrcExp, typename Device, typename DType, int srcdim>
class Plan<SliceExp<SrcExp, Device, DType, srcdim, 1>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const SliceExp<SrcExp, Device, DType, srcdim, 1>& e)
      : src_(MakePlan(e.src_)), begin_(static_cast<std::ptrdiff_t>(e.ch_begin_)) {}
  using Cursor = ShiftCursor<RowCursor<Src>>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return Cursor{RowOf(src_, y), begin_}; }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE DType& REval(index_t y, index_t x) { return Row(y).REval(x); }
  template <typename P = Src>
  MSHADOW_XINLINE auto RowStride() const -> decltype(std::declval<const P&>().RowStride()) {
    return src_.RowStride();
  }
  template <typename P = Src>
  auto MoveBy(std::ptrdiff_t bytes) -> decltype(std::declval<P&>().MoveBy(bytes)) {
    src_.MoveBy(bytes);
  }

 private:
  Src src_;
  std::ptrdiff_t begin_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_SLICE_H_
