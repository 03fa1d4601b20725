// SPDX-License-Identifier: Apache-2.0
// tcast<T>(exp), saturate_cast<T>(exp): every element converted to another type.
#ifndef MSHADOW_EXPR_TYPECAST_H_
#define MSHADOW_EXPR_TYPECAST_H_

#include "../op/math/convert.h"
#include "../op/unary.h"
#include "../simd/half_convert.h"
#include "cursor/buffer_cursor.h"
#include "map.h"
#include "pack.h"
#include "plan.h"
#include "gather_rows.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// out[i] = op::math::Convert<DstDType>(exp[i])
template <typename DstDType, typename SrcDType, typename EType, int etype>
struct TypecastExp
    : public Exp<TypecastExp<DstDType, SrcDType, EType, etype>, DstDType, etype> {
  static constexpr int kRank = ExpInfo<EType>::kDim;
  static constexpr int kDevices = ExpInfo<EType>::kDevMask;
  EType exp;
  MSHADOW_XINLINE explicit TypecastExp(const EType& e) : exp(e) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return ShapeCheck<dim, EType>::Check(exp);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(exp, written, same_index);
  }
};

namespace detail {

/// Is there an instruction for From to To that no compiler makes of a loop?
template <typename To, typename From>
inline constexpr bool kHalfCast =
    MSHADOW_HALF_CONVERT && ((std::is_same_v<To, float> && std::is_same_v<From, half::half_t>) ||
                             (std::is_same_v<To, half::half_t> && std::is_same_v<From, float>));

template <typename DstDType, typename A>
struct TypecastCursor {
  static constexpr bool kSpecializes = kSpecializesOf<A>;
  static constexpr bool kRuns = kRunsOf<A>;
  static constexpr bool kPacks = kPacksOf<A>;
  A a_;
  MSHADOW_XINLINE DstDType Eval(std::ptrdiff_t x) const {
    return op::math::Convert<DstDType>(a_.Eval(x));
  }
  template <int W>
  MSHADOW_XINLINE bool PacksAligned(std::ptrdiff_t x) const {
    return expr::PacksAligned<W>(a_, x);
  }
  template <int W>
  MSHADOW_XINLINE Pack<DstDType, W> EvalPack(std::ptrdiff_t x) const {
    const auto a = expr::EvalPack<W>(a_, x);
    Pack<DstDType, W> pack;
    for (int i = 0; i < W; ++i) pack.item[i] = op::math::Convert<DstDType>(a.item[i]);
    return pack;
  }
  MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    return TypecastCursor<DstDType, RunCursor<A>>{RunOf(a_, x, end)};
  }
  template <typename F>
  MSHADOW_FORCE_INLINE void Specialize(const F& f) const {
    expr::Specialize(a_, [&](const auto& a) MSHADOW_INLINE_LAMBDA {
      f(TypecastCursor<DstDType, std::decay_t<decltype(a)>>{a});
    });
  }
};

/// Between half_t and float, a buffer at a time.
template <typename DstDType, typename SrcDType, typename A>
struct HalfCastCursor {
  static constexpr bool kRuns = true;
  using Result = BufferCursor<DstDType, DstDType>;
  A a_;
  MSHADOW_XINLINE DstDType Eval(std::ptrdiff_t x) const {
    return op::math::Convert<DstDType>(a_.Eval(x));
  }
  MSHADOW_FORCE_INLINE Result Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    if (*end > x + Result::kMax) *end = x + Result::kMax;
    Result result;
    result.begin_ = x;
    Write(result.value_, x, *end);
    return result;
  }
  MSHADOW_FORCE_INLINE void Write(DstDType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (HasPointer<A>::value) {
      simd::ConvertHalves(to, a_.Pointer(x), end - x);
    } else {
      SrcDType source[kMax];
      while (x < end) {
        const std::ptrdiff_t stop = end < x + kMax ? end : x + kMax;
        ForEachRun(a_, x, stop,
                   [&](const auto& run, std::ptrdiff_t begin, std::ptrdiff_t last)
                       MSHADOW_INLINE_LAMBDA {
                         MSHADOW_IVDEP
                         for (std::ptrdiff_t i = begin; i < last; ++i) source[i - x] = run.Eval(i);
                       });
        simd::ConvertHalves(to, source, stop - x);
        to += stop - x;
        x = stop;
      }
    }
  }

 private:
  static constexpr std::ptrdiff_t kMax = 512;
};

}  // namespace detail

template <typename DstDType, typename SrcDType, typename EType, int etype>
class Plan<TypecastExp<DstDType, SrcDType, EType, etype>, DstDType> {
  using Src = PlanOf<EType>;

 public:
  static constexpr int kCost = 1 + kCostOf<Src>;
  static constexpr int kOperands = kOperandsOf<Src>;
  static constexpr bool kTransposed = kTransposedOf<Src>;
  static constexpr bool kOneRow = kOneRowOf<Src>;
  MSHADOW_XINLINE std::ptrdiff_t Reads() const { return expr::ReadsOf(src_); }
  MSHADOW_XINLINE std::ptrdiff_t TileStep() const { return expr::TileStep(src_); }
  MSHADOW_XINLINE bool BeginsAt(const void* at) const { return expr::BeginsAt(at, src_); }
  explicit Plan(const TypecastExp<DstDType, SrcDType, EType, etype>& e) : src_(MakePlan(e.exp)) {}
  using Cursor = std::conditional_t<detail::kHalfCast<DstDType, SrcDType>,
                                    detail::HalfCastCursor<DstDType, SrcDType, RowCursor<Src>>,
                                    detail::TypecastCursor<DstDType, RowCursor<Src>>>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return Cursor{RowOf(src_, y)}; }
  MSHADOW_XINLINE DstDType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE std::ptrdiff_t FlatRows(std::ptrdiff_t cols) const {
    return expr::FlatRows(src_, cols);
  }
  static constexpr int kGatherBytes = kGatherBytesOf<Src>;
  static constexpr bool kArithmetic = false;
  void GatherRows(detail::RowGather* gather) { expr::GatherRows(&src_, gather); }

 private:
  Src src_;
};

/// tcast<T>(exp): out[i] = T(exp[i]); op::math::Convert says what becomes of a float that an
/// integer type does not hold.
template <typename DstDType, typename SrcDType, typename EType, int etype>
inline TypecastExp<DstDType, SrcDType, EType, (etype | type::kMapper)> tcast(
    const Exp<EType, SrcDType, etype>& exp) {
  return TypecastExp<DstDType, SrcDType, EType, (etype | type::kMapper)>(exp.self());
}

/// saturate_cast<T>(exp): out[i] = the T nearest to exp[i] truncated. Numbers beyond the range
/// become the end of it, NaN becomes 0 of an integer type; see op::math::Saturate.
template <typename DstDType, typename SrcDType, typename EType, int etype>
inline UnaryMapExp<op::saturate<DstDType>, EType, DstDType, (etype | type::kMapper)> saturate_cast(
    const Exp<EType, SrcDType, etype>& exp) {
  return UnaryMapExp<op::saturate<DstDType>, EType, DstDType, (etype | type::kMapper)>(exp.self());
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_TYPECAST_H_
