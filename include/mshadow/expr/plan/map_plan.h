// SPDX-License-Identifier: Apache-2.0
// MapPlan, MapCursor: OP::Map of the elements of any number of operands.
#ifndef MSHADOW_EXPR_PLAN_MAP_PLAN_H_
#define MSHADOW_EXPR_PLAN_MAP_PLAN_H_

#include <utility>

#include "../../op/math/convert.h"
#include "../traits.h"
#include "blocks.h"
#include "pack.h"
#include "plan.h"

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

template <typename OP, typename DType, typename Indices, typename... Cursors>
struct MapCursorOf;
template <typename OP, typename DType, typename... Cursors>
using MapCursor = MapCursorOf<OP, DType, std::index_sequence_for<Cursors...>, Cursors...>;

/// True if OP::Map takes these types.
template <typename Elements, typename OP, typename = void>
struct Maps : std::false_type {};
template <typename... Elements, typename OP>
struct Maps<TypeList<Elements...>, OP,
            std::void_t<decltype(OP::Map(std::declval<const Elements&>()...))>> : std::true_type {};

/// Element x is OP::Map of the elements x of all cursors, as a DType.
template <typename OP, typename DType, std::size_t... i, typename... Cursors>
struct MapCursorOf<OP, DType, std::index_sequence<i...>, Cursors...> : Operand<i, Cursors>... {
  static constexpr bool kPacks = (... && kPacksOf<Cursors>);
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    using Elements = TypeList<std::decay_t<decltype(Operand<i, Cursors>::value_.Eval(x))>...>;
    static_assert(Maps<Elements, OP>::value,
                  "mshadow: F<Op>: Op needs a static Map that takes one element of each operand; a "
                  "lambda is an argument, F(lambda, operand)");
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
};

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
  using Operands = TypeList<Srcs...>;
  template <typename... Es>
  explicit MapPlanOf(const Es&... operands) : Operand<i, Srcs>{MakePlan(operands)}... {}
  using Cursor = MapCursor<OP, DType, RowCursor<Srcs>...>;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{{RowOf(Operand<i, Srcs>::value_, y)}...};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return LayoutOf(cols, Operand<i, Srcs>::value_...);
  }
  /// Where an operand fills, piece by piece.
  template <bool fills = (... || kFillsOf<Srcs>)>
  MSHADOW_FORCE_INLINE auto Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const
      -> std::enable_if_t<fills> {
    for (; y < end_y; ++y, to += stride) {
      for (std::ptrdiff_t first = x, stop; first < end; first = stop) {
        stop = end - first < kPieceElements ? end : first + kPieceElements;
        const MapCursor<OP, DType, PieceCursor<Srcs>...> row{
            {Piece<Srcs>::Of(Operand<i, Srcs>::value_, y, first, stop)}...};
        WriteShortRow(row, first, stop, to + (first - x));
      }
    }
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
#endif  // MSHADOW_EXPR_PLAN_MAP_PLAN_H_
