// SPDX-License-Identifier: Apache-2.0
// MapPlan, MapCursor: OP::Map of the elements of any number of operands.
#ifndef MSHADOW_EXPR_MAP_PLAN_H_
#define MSHADOW_EXPR_MAP_PLAN_H_

#include <utility>

#include "../op/math/convert.h"
#include "blocks.h"
#include "gather_rows.h"
#include "pack.h"
#include "plan.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// One of several values side by side: compilers take an aggregate of these apart like one of
/// named members. (A base for each index compiles 6 to 10 % faster than a lambda for each access.)
template <std::size_t index, typename T>
struct Operand {
  T value_;
};
/// The value at `index`.
template <std::size_t index, typename T>
MSHADOW_XINLINE const T& Get(const Operand<index, T>& operand) {
  return operand.value_;
}

/// Calls f(cursor...), each with constants if it offers any.
template <typename F>
MSHADOW_FORCE_INLINE void SpecializeEach(const F& f) {
  f();
}
template <typename F, typename First, typename... Rest>
MSHADOW_FORCE_INLINE void SpecializeEach(const F& f, const First& first, const Rest&... rest) {
  expr::Specialize(first, [&](const auto& special) MSHADOW_INLINE_LAMBDA {
    SpecializeEach([&](const auto&... others) MSHADOW_INLINE_LAMBDA { f(special, others...); },
                   rest...);
  });
}

template <typename OP, typename DType, typename Indices, typename... Cursors>
struct MapCursorOf;
template <typename OP, typename DType, typename... Cursors>
using MapCursor = MapCursorOf<OP, DType, std::index_sequence_for<Cursors...>, Cursors...>;

/// Element x is OP::Map of the elements x of all cursors, as a DType.
template <typename OP, typename DType, std::size_t... i, typename... Cursors>
struct MapCursorOf<OP, DType, std::index_sequence<i...>, Cursors...> : Operand<i, Cursors>... {
  static constexpr bool kSpecializes = (... || kSpecializesOf<Cursors>);
  static constexpr bool kRuns = (... || kRunsOf<Cursors>);
  static constexpr bool kPacks = (... && kPacksOf<Cursors>);
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    return op::math::Convert<DType>(OP::Map(Operand<i, Cursors>::value_.Eval(x)...));
  }
  template <int W>
  MSHADOW_XINLINE bool PacksAligned(std::ptrdiff_t x) const {
    return (... && expr::PacksAligned<W>(Operand<i, Cursors>::value_, x));
  }
  template <int W>
  MSHADOW_XINLINE Pack<DType, W> EvalPack(std::ptrdiff_t x) const {
    return MapPack<OP, DType, W>(expr::EvalPack<W>(Operand<i, Cursors>::value_, x)...);
  }
  MSHADOW_FORCE_INLINE auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    // Braces: from left to right, for each may lower *end.
    return MapCursor<OP, DType, RunCursor<Cursors>...>{
        {RunOf(Operand<i, Cursors>::value_, x, end)}...};
  }
  template <typename F>
  MSHADOW_FORCE_INLINE void Specialize(const F& f) const {
    SpecializeEach(
        [&](const auto&... cursors) MSHADOW_INLINE_LAMBDA {
          f(MapCursor<OP, DType, std::decay_t<decltype(cursors)>...>{{cursors}...});
        },
        Operand<i, Cursors>::value_...);
  }
};

/// True if OP::Map takes these types.
template <typename Elements, typename OP, typename = void>
struct Maps : std::false_type {};
template <typename... Elements, typename OP>
struct Maps<TypeList<Elements...>, OP,
            std::void_t<decltype(OP::Map(std::declval<const Elements&>()...))>> : std::true_type {};

template <typename OP, typename DType, typename Indices, typename... Srcs>
class MapPlanOf;
template <typename OP, typename DType, typename... Srcs>
using MapPlan = MapPlanOf<OP, DType, std::index_sequence_for<Srcs...>, Srcs...>;

/// Element (y, x) is OP::Map of the elements (y, x) of the plans Srcs, as a DType.
template <typename OP, typename DType, std::size_t... i, typename... Srcs>
class MapPlanOf<OP, DType, std::index_sequence<i...>, Srcs...> : public Operand<i, Srcs>... {
 public:
  static constexpr PlanFacts kFacts =
      FactsOver<Access::kSame, Srcs...>((kCostOf<OP> + ... + kCostOf<Srcs>));
  static constexpr bool kIsMap = true;
  template <typename... Es>
  explicit MapPlanOf(const Es&... operands) : Operand<i, Srcs>{MakePlan(operands)}... {
    using Elements =
        TypeList<std::decay_t<decltype(RowOf(std::declval<const Srcs&>(), 0).Eval(0))>...>;
    static_assert(Maps<Elements, OP>::value,
                  "mshadow: F<Op>: Op needs a static Map that takes one element of each operand; a "
                  "lambda is an argument, F(lambda, operand)");
  }
  using Cursor = MapCursor<OP, DType, RowCursor<Srcs>...>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{{RowOf(Operand<i, Srcs>::value_, y)}...};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return LayoutOf(cols, Operand<i, Srcs>::value_...);
  }
  /// Does f(operand) hold for any?
  template <typename F>
  MSHADOW_FORCE_INLINE bool AnyOperand(const F& f) const {
    return (... || f(Operand<i, Srcs>::value_));
  }
  static constexpr int kGatherBytes = (0 + ... + kGatherBytesOf<Srcs>);
  static constexpr bool kArithmetic = (op::kMapsPairs<OP> && ... && kArithmeticOf<Srcs>);
  template <typename... Qs>
  void GatherRows(MapPlanOf<OP, DType, std::index_sequence<i...>, Qs...>* gathered,
                  RowGather* gather) const {
    (expr::GatherRows(Operand<i, Srcs>::value_,
                      &static_cast<Operand<i, Qs>*>(gathered)->value_, gather),
     ...);
  }
  using Aside = AsideOfAll<Srcs...>;
  static constexpr Fills kFills = Aside::kWorth ? Fills::kBlocks : Fills::kNothing;
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x,
                                 std::ptrdiff_t end) const {
    detail::FillFromMap(*this, to, stride, y, end_y, x, end);
  }
  /// The map with f(operand) in the place of each operand that is to be computed aside.
  template <typename F>
  auto WithAside(const F& f) const {
    return Replaced([&](const auto& operand) { return detail::WithAside(operand, f); });
  }
  /// The map with f(operand) in the place of each operand.
  template <typename F>
  auto Replaced(const F& f) const {
    return OfPlans(f(Operand<i, Srcs>::value_)...);
  }

 private:
  template <typename, typename, typename, typename...>
  friend class MapPlanOf;
  struct Plans {};
  MapPlanOf(Plans, const Srcs&... plans) : Operand<i, Srcs>{plans}... {}
  template <typename... Ps>
  static MapPlan<OP, DType, Ps...> OfPlans(const Ps&... plans) {
    using Map = MapPlan<OP, DType, Ps...>;
    return Map(typename Map::Plans(), plans...);
  }
};

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_MAP_PLAN_H_
