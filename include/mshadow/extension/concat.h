// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_CONCAT_H_
#define MSHADOW_EXTENSION_CONCAT_H_

#include "../core/fast_divmod.h"
#include "../expr/plan/blocks.h"
#include "../expr/plan/cursors.h"
#include "../expr/source_view.h"
#include "slice.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// src1_ and src2_ one after the other along the axis dimsrc - dimsrc_m_cat. It can be assigned to,
/// and then writes into both, unless Device is void.
template <typename LhsExp, typename RhsExp, typename Device, typename DType, int srcdim,
          int dimsrc_m_cat>
struct ConcatExp
    : public detail::AssignedView<ConcatExp<LhsExp, RhsExp, Device, DType, srcdim, dimsrc_m_cat>,
                                  Device, srcdim, DType> {
  using detail::AssignedView<ConcatExp, Device, srcdim, DType>::operator=;
  static constexpr int kRank = srcdim;
  static constexpr int kDevices = ExpInfo<LhsExp>::kDevMask & ExpInfo<RhsExp>::kDevMask;
  static constexpr int kAxis = srcdim - dimsrc_m_cat;
  LhsExp src1_;
  RhsExp src2_;
  index_t dcat_src1_, dcat_src2_;
  Shape<srcdim> shape_;

  ConcatExp(const LhsExp& src1, const RhsExp& src2)
      : src1_(src1), src2_(src2), shape_(ShapeCheck<srcdim, LhsExp>::Check(src1_)) {
    const Shape<srcdim> shape2 = ShapeCheck<srcdim, RhsExp>::Check(src2_);
    dcat_src1_ = shape_[kAxis];
    dcat_src2_ = shape2[kAxis];
    for (int i = 0; i < srcdim; ++i) {
      if (!MSHADOW_LIKELY(i == kAxis || shape_[i] == shape2[i])) {
        mshadow::detail::ThrowShapeMismatch("concat: shape mismatch", shape_.shape_,
                                            shape2.shape_, srcdim);
      }
    }
    shape_[kAxis] = dcat_src1_ + dcat_src2_;
    if constexpr (std::is_void_v<Device>) {
      // Each row names a row of both, whose cursor may read it.
      MSHADOW_CHECK(shape_.CheckedSize() == 0 || (dcat_src1_ > 0 && dcat_src2_ > 0))
          << "concat: an operand that is an expression has no element";
    }
  }
  ConcatExp(const ConcatExp&) = default;
  /// Assigns the elements, as all other right-hand sides do.
  ConcatExp& operator=(const ConcatExp& exp) { return this->__assign(exp); }
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == srcdim, "mshadow: a concat has another number of axes than the statement "
                                 "it stands in");
    return shape_;
  }
  /// That of the operands, nullptr where they differ.
  template <typename D>
  Stream<D>* GetStream() const {
    Stream<D>* const stream = StreamInfo<D, LhsExp>::Get(src1_);
    return stream == StreamInfo<D, RhsExp>::Get(src2_) ? stream : nullptr;
  }
  /// All memory between the lowest and the highest byte of both.
  WrittenView Written() const {
    const WrittenView a = src1_.Written();
    const WrittenView b = src2_.Written();
    if (a.rows == 0 || a.width == 0) return b;
    if (b.rows == 0 || b.width == 0) return a;
    const char* const a_end = a.begin + (a.rows - 1) * a.pitch + a.width;
    const char* const b_end = b.begin + (b.rows - 1) * b.pitch + b.width;
    const char* const begin = a.begin < b.begin ? a.begin : b.begin;
    const std::ptrdiff_t size = (a_end < b_end ? b_end : a_end) - begin;
    return WrittenView{begin, size, size, 1, false};
  }
  template <typename F>
  bool AnyWritten(const F& f) const {
    const auto part = [&f](WrittenView view) {
      view.same_layout = false;
      return f(view);
    };
    return expr::AnyWritten(src1_, part) || expr::AnyWritten(src2_, part);
  }
  /// Calls f(an operand, its part of `plan`) for each: one loop for both would go row by row.
  static constexpr bool kHasParts = true;
  template <typename P, typename F>
  void ForEachPart(const P& plan, const F& f) {
    if constexpr (kAxis == srcdim - 1) {
      f(&src1_, detail::MakeStrided(plan, RowMap<0>(), detail::ShiftedColumns(0)));
      f(&src2_, detail::MakeStrided(plan, RowMap<0>(), detail::ShiftedColumns(
                                                           std::ptrdiff_t{dcat_src1_})));
    } else {
      const auto part = [&](index_t begin, index_t length) {
        Shape<srcdim> shape = shape_;
        shape[kAxis] = length;
        const auto rows = detail::SlicedRows(shape, kAxis, begin, shape_[kAxis]);
        return detail::MakeStrided(plan, rows, detail::SameColumns());
      };
      f(&src1_, part(0, dcat_src1_));
      f(&src2_, part(dcat_src1_, dcat_src2_));
    }
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return expr::Overlaps(src1_, written, false) || expr::Overlaps(src2_, written, false);
  }
};

namespace detail {
/// The axis of a call without <axis>.
constexpr int kNoAxis = 1 << 20;
}  // namespace detail

/// The operands behind each other along axis cdim: out[..][i][..] = src1[..][i][..] for i < n,
/// src2[..][i - n][..] behind, n = the extent of src1; any number of operands of any one rank,
/// tensors or other views that can be assigned to -> the sum of their extents at axis cdim. Can be
/// assigned to: concat<1>(a, b) = src cuts src up. A negative cdim counts from the end. Throws
/// Error where another extent differs.
template <int cdim = detail::kNoAxis, typename LhsExp, typename RhsExp, typename Device,
          typename DType, int srcdim>
inline auto concat(const TRValue<LhsExp, Device, srcdim, DType>& src1,
                   const TRValue<RhsExp, Device, srcdim, DType>& src2) {
  constexpr int kAxis = cdim < 0 ? cdim + srcdim : cdim;
  static_assert(0 <= kAxis && kAxis < srcdim,
                "mshadow: concat<axis>(a, b): the axis must be one of the operands");
  return ConcatExp<LhsExp, RhsExp, Device, DType, srcdim, srcdim - kAxis>(src1.self(),
                                                                          src2.self());
}
template <int cdim = detail::kNoAxis, typename LhsExp, typename RhsExp, typename Device,
          typename DType, int srcdim, typename... Rest>
inline auto concat(const TRValue<LhsExp, Device, srcdim, DType>& src1,
                   const TRValue<RhsExp, Device, srcdim, DType>& src2, const Rest&... rest) {
  return concat<cdim>(concat<cdim>(src1, src2), rest...);
}

/// The same of any expressions, one or more of which cannot be assigned to; nor can the result.
/// Throws Error, too, where one has no element and another has.
template <int cdim = detail::kNoAxis, typename LhsExp, typename RhsExp, typename DType, int etype1,
          int etype2>
inline auto concat(const Exp<LhsExp, DType, etype1>& src1, const Exp<RhsExp, DType, etype2>& src2) {
  constexpr int kDim = ExpInfo<LhsExp>::kDim, kAxis = cdim < 0 ? cdim + kDim : cdim;
  static_assert(kDim == ExpInfo<RhsExp>::kDim,
                "mshadow: concat<axis>(a, b): the operands differ in the number of axes; "
                "reshape(b, shape) gives one another number");
  static_assert(0 <= kAxis && kAxis < kDim,
                "mshadow: concat<axis>(a, b): the axis must be one of the operands");
  return ConcatExp<LhsExp, RhsExp, void, DType, kDim, kDim - kAxis>(src1.self(), src2.self());
}
template <int cdim = detail::kNoAxis, typename LhsExp, typename RhsExp, typename DType, int etype1,
          int etype2, typename... Rest>
inline auto concat(const Exp<LhsExp, DType, etype1>& src1, const Exp<RhsExp, DType, etype2>& src2,
                   const Rest&... rest) {
  return concat<cdim>(concat<cdim>(src1, src2), rest...);
}
MSHADOW_OWNS_TEMPORARIES_OF_(int, concat)

namespace detail {

/// The columns of A below `split`, those of B behind.
template <typename A, typename B>
struct ConcatCursor {
  A a_;
  B b_;
  std::ptrdiff_t split_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const {
    return x < split_ ? a_.Eval(x) : b_.Eval(x - split_);
  }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) {
    return x < split_ ? a_.REval(x) : b_.REval(x - split_);
  }
};

}  // namespace detail

template <typename LhsExp, typename RhsExp, typename Device, typename DType, int srcdim,
          int dimsrc_m_cat>
class Plan<ConcatExp<LhsExp, RhsExp, Device, DType, srcdim, dimsrc_m_cat>, DType> {
  using Lhs = PlanOf<LhsExp>;
  using Rhs = PlanOf<RhsExp>;
  using Node = ConcatExp<LhsExp, RhsExp, Device, DType, srcdim, dimsrc_m_cat>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Lhs, Rhs>(
      kCostOf<Lhs> > kCostOf<Rhs> ? kCostOf<Lhs> : kCostOf<Rhs>);
  explicit Plan(const Node& e) : src1_(MakePlan(e.src1_)), src2_(MakePlan(e.src2_)) {
    const std::ptrdiff_t inner =
        static_cast<std::ptrdiff_t>(e.shape_.CheckedProdShape(Node::kAxis + 1, srcdim - 1));
    rows1_ = static_cast<std::ptrdiff_t>(e.dcat_src1_) * inner;
    rows2_ = static_cast<std::ptrdiff_t>(e.dcat_src2_) * inner;
    rows_ = FastDivmod(rows1_ + rows2_);
  }
  MSHADOW_XINLINE auto Row(std::ptrdiff_t y) const {
    const DivModResult at = DivMod(y, rows_);
    const bool first = at.rem < rows1_;
    return detail::Either(first, RowOf(src1_, first ? at.quot * rows1_ + at.rem : 0),
                          RowOf(src2_, first ? 0 : at.quot * rows2_ + at.rem - rows1_));
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE DType& REval(index_t y, index_t x) { return Row(y).REval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const PlanLayout layout = LayoutOf(cols, src1_, src2_);
    return layout.Joined(Gcd(Gcd(rows1_, rows2_), layout.join));
  }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (std::ptrdiff_t n; y < end_y; y += n, to += n * stride) {
      const DivModResult at = DivMod(y, rows_);
      const bool first = at.rem < rows1_;
      n = (first ? rows1_ : rows1_ + rows2_) - at.rem;
      if (n > end_y - y) n = end_y - y;
      const std::ptrdiff_t row =
          first ? at.quot * rows1_ + at.rem : at.quot * rows2_ + at.rem - rows1_;
      if (first) {
        FillBlock(src1_, to, stride, row, row + n, x, end);
      } else {
        FillBlock(src2_, to, stride, row, row + n, x, end);
      }
    }
  }

 private:
  Lhs src1_;
  Rhs src2_;
  std::ptrdiff_t rows1_, rows2_;  // of the operands, for one index of the axes before
  FastDivmod rows_;
};

/// The last axis: a row is a row of each operand.
template <typename LhsExp, typename RhsExp, typename Device, typename DType, int srcdim>
class Plan<ConcatExp<LhsExp, RhsExp, Device, DType, srcdim, 1>, DType> {
  using Lhs = PlanOf<LhsExp>;
  using Rhs = PlanOf<RhsExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Lhs, Rhs>(
      kCostOf<Lhs> > kCostOf<Rhs> ? kCostOf<Lhs> : kCostOf<Rhs>);
  explicit Plan(const ConcatExp<LhsExp, RhsExp, Device, DType, srcdim, 1>& e)
      : src1_(MakePlan(e.src1_)),
        src2_(MakePlan(e.src2_)),
        split_(static_cast<std::ptrdiff_t>(e.dcat_src1_)) {}
  using Cursor = detail::ConcatCursor<RowCursor<Lhs>, RowCursor<Rhs>>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{RowOf(src1_, y), RowOf(src2_, y), split_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE DType& REval(index_t y, index_t x) { return Row(y).REval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return LayoutOf(cols, src1_, src2_).Joined(1);
  }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    const std::ptrdiff_t split = split_ < x ? x : split_ < end ? split_ : end;
    // A few rows at a time, whose ends follow their begins in memory.
    const std::ptrdiff_t most = 1 + 1024 / (end - x);
    for (std::ptrdiff_t n; y < end_y; y += n, to += n * stride) {
      n = most < end_y - y ? most : end_y - y;
      if (x < split) FillBlock(src1_, to, stride, y, y + n, x, split);
      if (split < end) {
        FillBlock(src2_, to + (split - x), stride, y, y + n, split - split_, end - split_);
      }
    }
  }

 private:
  Lhs src1_;
  Rhs src2_;
  std::ptrdiff_t split_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_CONCAT_H_
