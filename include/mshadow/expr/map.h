// SPDX-License-Identifier: Apache-2.0
// Element-wise nodes: UnaryMapExp, BinaryMapExp, TernaryMapExp; MakeExp and F<OP>.
#ifndef MSHADOW_EXPR_MAP_H_
#define MSHADOW_EXPR_MAP_H_

#include "../op/math/convert.h"
#include "blocks.h"
#include "pack.h"
#include "plan.h"
#include "gather_rows.h"
#include "scalar_operand.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// out[i] = OP::Map(src[i])
template <typename OP, typename TA, typename DType, int etype>
struct UnaryMapExp : public Exp<UnaryMapExp<OP, TA, DType, etype>, DType, etype> {
  static constexpr int kRank = ExpInfo<TA>::kDim;
  static constexpr int kDevices = ExpInfo<TA>::kDevMask;
  TA src_;
  MSHADOW_XINLINE explicit UnaryMapExp(const TA& src) : src_(src) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return ShapeCheck<dim, TA>::Check(src_);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(src_, written, same_index);
  }
};

namespace detail {
/// The rank of an element-wise node of two operands: -1 where they differ and none is a scalar.
constexpr int CommonRank(int a, int b) {
  return a < 0 || b < 0 ? -1 : a == 0 || a == b ? b : b == 0 ? a : -1;
}
}  // namespace detail

/// out[i] = OP::Map(lhs[i], rhs[i]); a scalar fits every shape; throws Error where shapes differ.
template <typename OP, typename TA, typename TB, typename DType, int etype>
struct BinaryMapExp : public Exp<BinaryMapExp<OP, TA, TB, DType, etype>, DType, etype> {
  static constexpr int kRank = detail::CommonRank(ExpInfo<TA>::kDim, ExpInfo<TB>::kDim);
  static constexpr int kDevices = ExpInfo<TA>::kDevMask & ExpInfo<TB>::kDevMask;
  TA lhs_;
  TB rhs_;
  MSHADOW_XINLINE explicit BinaryMapExp(const TA& lhs, const TB& rhs) : lhs_(lhs), rhs_(rhs) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return detail::CommonShape<dim>("BinaryMapExp", lhs_, rhs_);
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(lhs_, written, same_index) || expr::Overlaps(rhs_, written, same_index);
  }
};

/// out[i] = OP::Map(item1[i], item2[i], item3[i]); scalars fit every shape; throws Error where
/// shapes differ.
template <typename OP, typename TA, typename TB, typename TC, typename DType, int etype>
struct TernaryMapExp : public Exp<TernaryMapExp<OP, TA, TB, TC, DType, etype>, DType, etype> {
  static constexpr int kRank = detail::CommonRank(
      ExpInfo<TA>::kDim, detail::CommonRank(ExpInfo<TB>::kDim, ExpInfo<TC>::kDim));
  static constexpr int kDevices =
      ExpInfo<TA>::kDevMask & ExpInfo<TB>::kDevMask & ExpInfo<TC>::kDevMask;
  TA item1_;
  TB item2_;
  TC item3_;
  MSHADOW_XINLINE explicit TernaryMapExp(const TA& item1, const TB& item2, const TC& item3)
      : item1_(item1), item2_(item2), item3_(item3) {}
  template <int dim>
  Shape<dim> GetShape() const {
    if constexpr (ExpInfo<TA>::kDim == 0) {
      return detail::CommonShape<dim>("TernaryMapExp", item2_, item3_);
    } else {
      if constexpr (ExpInfo<TC>::kDim != 0) {
        detail::CommonShape<dim>("TernaryMapExp", item1_, item3_);
      }
      return detail::CommonShape<dim>("TernaryMapExp", item1_, item2_);
    }
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return expr::Overlaps(item1_, written, same_index) ||
           expr::Overlaps(item2_, written, same_index) ||
           expr::Overlaps(item3_, written, same_index);
  }
};

// ---- Plans -----------------------------------------------------------------------------------

namespace detail {

template <typename OP, typename DType, typename A>
struct UnaryCursor {
  static constexpr bool kSpecializes = kSpecializesOf<A>;
  static constexpr bool kRuns = kRunsOf<A>;
  static constexpr bool kPacks = kPacksOf<A>;
  A a_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    return op::math::Convert<DType>(OP::Map(a_.Eval(x)));
  }
  template <int W>
  MSHADOW_XINLINE bool PacksAligned(std::ptrdiff_t x) const {
    return expr::PacksAligned<W>(a_, x);
  }
  template <int W>
  MSHADOW_XINLINE Pack<DType, W> EvalPack(std::ptrdiff_t x) const {
    return MapPack<OP, DType, W>(expr::EvalPack<W>(a_, x));
  }
  MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    return UnaryCursor<OP, DType, RunCursor<A>>{RunOf(a_, x, end)};
  }
  template <typename F>
  MSHADOW_FORCE_INLINE void Specialize(const F& f) const {
    expr::Specialize(a_, [&](const auto& a) MSHADOW_INLINE_LAMBDA {
      f(UnaryCursor<OP, DType, std::decay_t<decltype(a)>>{a});
    });
  }
};

template <typename OP, typename DType, typename A, typename B>
struct BinaryCursor {
  static constexpr bool kSpecializes = kSpecializesOf<A> || kSpecializesOf<B>;
  static constexpr bool kRuns = kRunsOf<A> || kRunsOf<B>;
  static constexpr bool kPacks = kPacksOf<A> && kPacksOf<B>;
  A a_;
  B b_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    return op::math::Convert<DType>(OP::Map(a_.Eval(x), b_.Eval(x)));
  }
  template <int W>
  MSHADOW_XINLINE bool PacksAligned(std::ptrdiff_t x) const {
    return expr::PacksAligned<W>(a_, x) && expr::PacksAligned<W>(b_, x);
  }
  template <int W>
  MSHADOW_XINLINE Pack<DType, W> EvalPack(std::ptrdiff_t x) const {
    return MapPack<OP, DType, W>(expr::EvalPack<W>(a_, x), expr::EvalPack<W>(b_, x));
  }
  MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    return BinaryCursor<OP, DType, RunCursor<A>, RunCursor<B>>{RunOf(a_, x, end),
                                                               RunOf(b_, x, end)};
  }
  template <typename F>
  MSHADOW_FORCE_INLINE void Specialize(const F& f) const {
    expr::Specialize(a_, [&](const auto& a) MSHADOW_INLINE_LAMBDA {
      expr::Specialize(b_, [&](const auto& b) MSHADOW_INLINE_LAMBDA {
        f(BinaryCursor<OP, DType, std::decay_t<decltype(a)>, std::decay_t<decltype(b)>>{a, b});
      });
    });
  }
};

template <typename OP, typename DType, typename A, typename B, typename C>
struct TernaryCursor {
  static constexpr bool kSpecializes =
      kSpecializesOf<A> || kSpecializesOf<B> || kSpecializesOf<C>;
  static constexpr bool kRuns = kRunsOf<A> || kRunsOf<B> || kRunsOf<C>;
  static constexpr bool kPacks = kPacksOf<A> && kPacksOf<B> && kPacksOf<C>;
  A a_;
  B b_;
  C c_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    return op::math::Convert<DType>(OP::Map(a_.Eval(x), b_.Eval(x), c_.Eval(x)));
  }
  template <int W>
  MSHADOW_XINLINE bool PacksAligned(std::ptrdiff_t x) const {
    return expr::PacksAligned<W>(a_, x) && expr::PacksAligned<W>(b_, x) &&
           expr::PacksAligned<W>(c_, x);
  }
  template <int W>
  MSHADOW_XINLINE Pack<DType, W> EvalPack(std::ptrdiff_t x) const {
    return MapPack<OP, DType, W>(expr::EvalPack<W>(a_, x), expr::EvalPack<W>(b_, x),
                                 expr::EvalPack<W>(c_, x));
  }
  MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    return TernaryCursor<OP, DType, RunCursor<A>, RunCursor<B>, RunCursor<C>>{
        RunOf(a_, x, end), RunOf(b_, x, end), RunOf(c_, x, end)};
  }
  template <typename F>
  MSHADOW_FORCE_INLINE void Specialize(const F& f) const {
    expr::Specialize(a_, [&](const auto& a) MSHADOW_INLINE_LAMBDA {
      expr::Specialize(b_, [&](const auto& b) MSHADOW_INLINE_LAMBDA {
        expr::Specialize(c_, [&](const auto& c) MSHADOW_INLINE_LAMBDA {
          f(TernaryCursor<OP, DType, std::decay_t<decltype(a)>, std::decay_t<decltype(b)>,
                          std::decay_t<decltype(c)>>{a, b, c});
        });
      });
    });
  }
};

}  // namespace detail

template <typename OP, typename TA, typename DType, int etype>
class Plan<UnaryMapExp<OP, TA, DType, etype>, DType> {
  using Src = PlanOf<TA>;

 public:
  static constexpr int kCost = kCostOf<OP> + kCostOf<Src>;
  static constexpr int kOperands = kOperandsOf<Src>;
  static constexpr bool kTransposed = kTransposedOf<Src>;
  static constexpr bool kOneRow = kOneRowOf<Src>;
  MSHADOW_XINLINE std::ptrdiff_t Reads() const { return expr::ReadsOf(src_); }
  MSHADOW_XINLINE std::ptrdiff_t TileStep() const { return expr::TileStep(src_); }
  MSHADOW_XINLINE bool BeginsAt(const void* at) const { return expr::BeginsAt(at, src_); }
  explicit Plan(const UnaryMapExp<OP, TA, DType, etype>& e) : src_(MakePlan(e.src_)) {}
  using Cursor = detail::UnaryCursor<OP, DType, RowCursor<Src>>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const { return Cursor{RowOf(src_, y)}; }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  static constexpr bool kBlocks = detail::Blocks<Src, DType>::value;
  template <typename T>
  MSHADOW_FORCE_INLINE std::enable_if_t<kBlocks && std::is_same_v<T, DType>> WriteRows(
      T* to, std::ptrdiff_t stride, std::ptrdiff_t y, std::ptrdiff_t end_y, std::ptrdiff_t x,
      std::ptrdiff_t end) const {
    detail::ForEachBlockRow<DType>(
        src_, y, end_y, x, end,
        [&](const DType* block, std::ptrdiff_t v, std::ptrdiff_t begin, std::ptrdiff_t n)
            MSHADOW_INLINE_LAMBDA {
              T* const row = to + (v - y) * stride + (begin - x);
              MSHADOW_IVDEP
              for (std::ptrdiff_t i = 0; i < n; ++i) {
                row[i] = op::math::Convert<T>(OP::Map(block[i]));
              }
            });
  }
  MSHADOW_XINLINE std::ptrdiff_t FlatRows(std::ptrdiff_t cols) const {
    return expr::FlatRows(src_, cols);
  }
  static constexpr int kGatherBytes = kGatherBytesOf<Src>;
  static constexpr bool kArithmetic = op::kMapsPairs<OP> && kArithmeticOf<Src>;
  void GatherRows(detail::RowGather* gather) { expr::GatherRows(&src_, gather); }

 private:
  Src src_;
};

template <typename OP, typename TA, typename TB, typename DType, int etype>
class Plan<BinaryMapExp<OP, TA, TB, DType, etype>, DType> {
  using Lhs = PlanOf<TA>;
  using Rhs = PlanOf<TB>;

 public:
  static constexpr int kCost = kCostOf<OP> + kCostOf<Lhs> + kCostOf<Rhs>;
  static constexpr int kOperands = kOperandsOf<Lhs> + kOperandsOf<Rhs>;
  static constexpr bool kTransposed = kTransposedOf<Lhs> || kTransposedOf<Rhs>;
  static constexpr bool kOneRow = kOneRowOf<Lhs> && kOneRowOf<Rhs>;
  MSHADOW_XINLINE std::ptrdiff_t Reads() const { return expr::ReadsOf(lhs_, rhs_); }
  MSHADOW_XINLINE std::ptrdiff_t TileStep() const { return expr::TileStep(lhs_, rhs_); }
  MSHADOW_XINLINE bool BeginsAt(const void* at) const { return expr::BeginsAt(at, lhs_, rhs_); }
  explicit Plan(const BinaryMapExp<OP, TA, TB, DType, etype>& e)
      : lhs_(MakePlan(e.lhs_)), rhs_(MakePlan(e.rhs_)) {}
  using Cursor = detail::BinaryCursor<OP, DType, RowCursor<Lhs>, RowCursor<Rhs>>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{RowOf(lhs_, y), RowOf(rhs_, y)};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  static constexpr bool kBlocksOfLhs = detail::Blocks<Lhs, DType>::value;
  static constexpr bool kBlocks = kBlocksOfLhs || detail::Blocks<Rhs, DType>::value;
  template <typename T>
  MSHADOW_FORCE_INLINE std::enable_if_t<kBlocks && std::is_same_v<T, DType>> WriteRows(
      T* to, std::ptrdiff_t stride, std::ptrdiff_t y, std::ptrdiff_t end_y, std::ptrdiff_t x,
      std::ptrdiff_t end) const {
    const auto write = [&](const auto& blocks, const auto& other) MSHADOW_INLINE_LAMBDA {
      detail::ForEachBlockRow<DType>(
          blocks, y, end_y, x, end,
          [&](const DType* block, std::ptrdiff_t v, std::ptrdiff_t begin, std::ptrdiff_t n)
              MSHADOW_INLINE_LAMBDA {
                T* const row = to + (v - y) * stride + (begin - x);
                ForEachRun(RowOf(other, v), begin, begin + n,
                           [&](const auto& run, std::ptrdiff_t i, std::ptrdiff_t stop)
                               MSHADOW_INLINE_LAMBDA {
                                 MSHADOW_IVDEP
                                 for (; i < stop; ++i) {
                                   const DType a = block[i - begin];
                                   const auto b = run.Eval(i);
                                   if constexpr (kBlocksOfLhs) {
                                     row[i - begin] = op::math::Convert<T>(OP::Map(a, b));
                                   } else {
                                     row[i - begin] = op::math::Convert<T>(OP::Map(b, a));
                                   }
                                 }
                               });
              });
    };
    if constexpr (kBlocksOfLhs) {
      write(lhs_, rhs_);
    } else {
      write(rhs_, lhs_);
    }
  }
  MSHADOW_XINLINE std::ptrdiff_t FlatRows(std::ptrdiff_t cols) const {
    return Gcd(expr::FlatRows(lhs_, cols), expr::FlatRows(rhs_, cols));
  }
  static constexpr int kGatherBytes = kGatherBytesOf<Lhs> + kGatherBytesOf<Rhs>;
  static constexpr bool kArithmetic =
      op::kMapsPairs<OP> && kArithmeticOf<Lhs> && kArithmeticOf<Rhs>;
  void GatherRows(detail::RowGather* gather) {
    expr::GatherRows(&lhs_, gather);
    expr::GatherRows(&rhs_, gather);
  }

 private:
  Lhs lhs_;
  Rhs rhs_;
};

template <typename OP, typename TA, typename TB, typename TC, typename DType, int etype>
class Plan<TernaryMapExp<OP, TA, TB, TC, DType, etype>, DType> {
  using First = PlanOf<TA>;
  using Second = PlanOf<TB>;
  using Third = PlanOf<TC>;

 public:
  static constexpr int kCost = kCostOf<OP> + kCostOf<First> + kCostOf<Second> + kCostOf<Third>;
  static constexpr int kOperands = kOperandsOf<First> + kOperandsOf<Second> + kOperandsOf<Third>;
  static constexpr bool kTransposed =
      kTransposedOf<First> || kTransposedOf<Second> || kTransposedOf<Third>;
  static constexpr bool kOneRow = kOneRowOf<First> && kOneRowOf<Second> && kOneRowOf<Third>;
  MSHADOW_XINLINE std::ptrdiff_t Reads() const { return expr::ReadsOf(item1_, item2_, item3_); }
  MSHADOW_XINLINE std::ptrdiff_t TileStep() const {
    return expr::TileStep(item1_, item2_, item3_);
  }
  MSHADOW_XINLINE bool BeginsAt(const void* at) const {
    return expr::BeginsAt(at, item1_, item2_, item3_);
  }
  explicit Plan(const TernaryMapExp<OP, TA, TB, TC, DType, etype>& e)
      : item1_(MakePlan(e.item1_)), item2_(MakePlan(e.item2_)), item3_(MakePlan(e.item3_)) {}
  using Cursor = detail::TernaryCursor<OP, DType, RowCursor<First>, RowCursor<Second>,
                                       RowCursor<Third>>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{RowOf(item1_, y), RowOf(item2_, y), RowOf(item3_, y)};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE std::ptrdiff_t FlatRows(std::ptrdiff_t cols) const {
    return Gcd(expr::FlatRows(item1_, cols),
               Gcd(expr::FlatRows(item2_, cols), expr::FlatRows(item3_, cols)));
  }
  static constexpr int kGatherBytes =
      kGatherBytesOf<First> + kGatherBytesOf<Second> + kGatherBytesOf<Third>;
  static constexpr bool kArithmetic = false;
  void GatherRows(detail::RowGather* gather) {
    expr::GatherRows(&item1_, gather);
    expr::GatherRows(&item2_, gather);
    expr::GatherRows(&item3_, gather);
  }

 private:
  First item1_;
  Second item2_;
  Third item3_;
};

// ---- Factories -------------------------------------------------------------------------------

/// MakeExp<OP>(a), (a, b), (a, b, c): OP::Map of every element; F<OP> is the same.
template <typename OP, typename TA, typename DType, int ta>
inline UnaryMapExp<OP, TA, DType, (ta | type::kMapper)> MakeExp(const Exp<TA, DType, ta>& src) {
  return UnaryMapExp<OP, TA, DType, (ta | type::kMapper)>(src.self());
}
template <typename OP, typename TA, typename TB, typename DType, int ta, int tb>
inline BinaryMapExp<OP, TA, TB, DType, (ta | tb | type::kMapper)> MakeExp(
    const Exp<TA, DType, ta>& lhs, const Exp<TB, DType, tb>& rhs) {
  return BinaryMapExp<OP, TA, TB, DType, (ta | tb | type::kMapper)>(lhs.self(), rhs.self());
}
template <typename OP, typename TA, typename TB, typename TC, typename DType, int ta, int tb,
          int tc>
inline TernaryMapExp<OP, TA, TB, TC, DType, (ta | tb | tc | type::kMapper)> MakeExp(
    const Exp<TA, DType, ta>& item1, const Exp<TB, DType, tb>& item2,
    const Exp<TC, DType, tc>& item3) {
  return TernaryMapExp<OP, TA, TB, TC, DType, (ta | tb | tc | type::kMapper)>(
      item1.self(), item2.self(), item3.self());
}

namespace detail {

/// The element type of an operand of F<OP> or an operator; void for a scalar.
template <typename T, typename = void>
struct ElementOf {
  static_assert(IsScalar<T>::value,
                "mshadow: an operand is neither an expression nor a scalar of a known type");
  using Type = void;
};
template <typename E, typename DType, int etype>
Exp<E, DType, etype> AsBase(const Exp<E, DType, etype>*);
template <typename T>
struct ElementOf<T, std::void_t<decltype(detail::AsBase(static_cast<const T*>(nullptr)))>> {
  template <typename E, typename DType, int etype>
  static DType Of(const Exp<E, DType, etype>*);
  using Type = decltype(Of(static_cast<const T*>(nullptr)));
};
template <typename S>
struct ElementOf<ScalarExp<S>, void> {
  using Type = void;
};

/// The value of a scalar operand.
template <typename S>
MSHADOW_XINLINE S Value(const ScalarExp<S>& e) {
  return e.scalar_;
}
template <typename S>
MSHADOW_XINLINE S Value(const S& s) {
  return s;
}

/// The first of the types that is not void.
template <typename... Types>
struct FirstType {
  using Type = void;
};
template <typename First, typename... Rest>
struct FirstType<First, Rest...> {
  using Type = First;
};
template <typename... Rest>
struct FirstType<void, Rest...> : FirstType<Rest...> {};

/// The element type of the operands of one node: that of the first which is no scalar, and among
/// scalars alone the type of the first.
template <typename First, typename... Rest>
using CommonElement =
    typename FirstType<typename ElementOf<First>::Type, typename ElementOf<Rest>::Type...,
                       decltype(detail::Value(std::declval<const First&>()))>::Type;

/// `operand` as an expression of element type DType; a scalar as ScalarOperand makes it of one.
template <typename DType, Role role = Role::kValue, typename T>
MSHADOW_XINLINE decltype(auto) AsExp(const T& operand) {
  using Element = typename ElementOf<T>::Type;
  static_assert(std::is_void_v<Element> || std::is_same_v<Element, DType>,
                "mshadow: the operands have different element types; convert one with "
                "tcast<T>(expression)");
  if constexpr (std::is_void_v<Element>) {
    return ScalarExp<DType>(ScalarOperand<role, DType>(detail::Value(operand)));
  } else {
    return (operand);
  }
}

/// Is OP a comparison of integers with a scalar that may be another number?
template <typename OP, typename DType, typename Element, typename Scalar>
constexpr bool ComparesScalar() {
  using S = decltype(detail::Value(std::declval<const Scalar&>()));
  if constexpr (std::is_void_v<typename Exchanged<OP>::Type> || std::is_void_v<Element>) {
    return false;
  } else if constexpr (std::is_void_v<typename ElementOf<Scalar>::Type>) {
    return MayNotHold<DType, S>();
  } else {
    return false;
  }
}

/// out[i] = a[i] OP s, for a comparison OP and any number s.
template <typename OP, typename DType, typename A, typename T>
inline auto CompareScalar(const A& a, const T& operand) {
  const auto s = PlainNumber(detail::Value(operand));
  if constexpr (std::is_same_v<DType, bool>) {
    // A bool is one of two numbers.
    const auto compare = [&](int number) {
      const Comparison<int> c = ComparisonWith<OP, int>(s);
      return CompareWith<OP>::Map(number, c.bound, c.code) != 0;
    };
    return MakeExp<op::where>(a, ScalarExp<bool>(compare(1)), ScalarExp<bool>(compare(0)));
  } else {
    const Comparison<DType> c = ComparisonWith<OP, DType>(s);
    return MakeExp<CompareWith<OP>>(a, ScalarExp<DType>(c.bound), ScalarExp<DType>(c.code));
  }
}

}  // namespace detail

/// F<OP>(a[, b[, c]]): out[i] = OP::Map(a[i], ...). OP is any struct with a static Map; a scalar of
/// any arithmetic type may stand for an operand, and takes the element type of the others. Throws
/// Error where that is an integer type which does not hold the scalar, and the result needs it:
/// comparisons (eq, ne, lt, le, gt, ge) and limits (min, max, clip) take numbers beyond the range,
/// comparisons fractions and NaN too, and give what is right for these numbers.
template <typename OP, typename TA, typename DType, int ta>
inline UnaryMapExp<OP, TA, DType, (ta | type::kMapper)> F(const Exp<TA, DType, ta>& src) {
  return MakeExp<OP>(src);
}
template <typename OP, typename A, typename B>
inline auto F(const A& a, const B& b) {
  using DType = detail::CommonElement<A, B>;
  using detail::kRole;
  if constexpr (detail::ComparesScalar<OP, DType, typename detail::ElementOf<A>::Type, B>()) {
    return detail::CompareScalar<OP, DType>(a, b);
  } else if constexpr (detail::ComparesScalar<OP, DType, typename detail::ElementOf<B>::Type,
                                              A>()) {
    return detail::CompareScalar<typename detail::Exchanged<OP>::Type, DType>(b, a);
  } else {
    return MakeExp<OP>(detail::AsExp<DType, kRole<OP, 0>>(a),
                       detail::AsExp<DType, kRole<OP, 1>>(b));
  }
}
template <typename OP, typename A, typename B, typename C>
inline auto F(const A& a, const B& b, const C& c) {
  using DType = detail::CommonElement<A, B, C>;
  using detail::kRole;
  return MakeExp<OP>(detail::AsExp<DType, kRole<OP, 0>>(a), detail::AsExp<DType, kRole<OP, 1>>(b),
                     detail::AsExp<DType, kRole<OP, 2>>(c));
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_MAP_H_
