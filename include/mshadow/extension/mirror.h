// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_MIRROR_H_
#define MSHADOW_EXTENSION_MIRROR_H_

#include "../expr/make_tensor.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename SrcExp, typename DType, int srcdim>
struct MirroringExp
    : public MakeTensorExp<MirroringExp<SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 2, "mshadow: mirror needs an expression of two axes or more");
  SrcExp src_;
  explicit MirroringExp(const SrcExp& src) : src_(src) {
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
  }
};

/// out[..][x] = src[..][W - 1 - x]; src (.., W) of two axes or more -> the same shape.
template <typename SrcExp, typename DType, int etype>
inline MirroringExp<SrcExp, DType, ExpInfo<SrcExp>::kDim> mirror(
    const Exp<SrcExp, DType, etype>& src) {
  return MirroringExp<SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self());
}

namespace detail {
/// Element x is element last - x of A.
template <typename A>
struct MirrorCursor {
  static constexpr bool kSpecializes = kSpecializesOf<A>;
  A a_;
  std::ptrdiff_t last_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const { return a_.Eval(last_ - x); }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) { return a_.REval(last_ - x); }
  template <typename F>
  MSHADOW_FORCE_INLINE void Specialize(const F& f) const {
    expr::Specialize(a_, [&](const auto& a) MSHADOW_INLINE_LAMBDA {
      f(MirrorCursor<std::decay_t<decltype(a)>>{a, last_});
    });
  }
};
}  // namespace detail

template <typename SrcExp, typename DType, int srcdim>
class Plan<MirroringExp<SrcExp, DType, srcdim>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(1 + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const MirroringExp<SrcExp, DType, srcdim>& e)
      : src_(MakePlan(e.src_)), last_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 1]) - 1) {}
  using Cursor = detail::MirrorCursor<RowCursor<Src>>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return Cursor{RowOf(src_, y), last_}; }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }

 private:
  Src src_;
  std::ptrdiff_t last_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_MIRROR_H_
