// SPDX-License-Identifier: Apache-2.0
// MapPlan, MapCursor: OP::Map of the elements of any number of operands.
#ifndef MSHADOW_EXPR_MAP_PLAN_H_
#define MSHADOW_EXPR_MAP_PLAN_H_

#include <utility>

#include "../op/math/convert.h"
#include "blocks.h"
#include "cursor/buffer_cursor.h"
#include "pack.h"
#include "plan.h"
#include "repeat_rows.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

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

template <typename OP, typename DType, typename Indices, typename... Srcs>
class MapPlanOf;
template <typename OP, typename DType, typename... Srcs>
using MapPlan = MapPlanOf<OP, DType, std::index_sequence_for<Srcs...>, Srcs...>;

/// Element (y, x) is OP::Map of the elements (y, x) of the plans Srcs, as a DType.
template <typename OP, typename DType, std::size_t... i, typename... Srcs>
class MapPlanOf<OP, DType, std::index_sequence<i...>, Srcs...> : public Operand<i, Srcs>... {
  /// The first operand that comes in blocks; sizeof...(Srcs) where none does.
  static constexpr std::size_t kBlockOperand = [] {
    std::size_t first = 0;
    (void)(... && (!Blocks<Srcs, ElementOfPlan<Srcs>>::value && (++first, true)));
    return first;
  }();

 public:
  static constexpr PlanFacts kFacts =
      FactsOver<Access::kSame, Srcs...>((kCostOf<OP> + ... + kCostOf<Srcs>));
  static constexpr bool kBlocks = kBlockOperand < sizeof...(Srcs);
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
  /// Does f(operand) hold for any?
  template <typename F>
  MSHADOW_FORCE_INLINE bool AnyOperand(const F& f) const {
    return (... || f(Operand<i, Srcs>::value_));
  }
  bool RepeatRows(std::ptrdiff_t n, std::ptrdiff_t cols, RowStore* store) {
    return (... && expr::RepeatRows(&(Operand<i, Srcs>::value_), n, cols, store));
  }
  /// One operand is written aside in blocks; the others are read row by row.
  template <typename T>
  MSHADOW_FORCE_INLINE std::enable_if_t<kBlocks && std::is_same_v<T, DType>> WriteRows(
      T* to, std::ptrdiff_t stride, std::ptrdiff_t y, std::ptrdiff_t end_y, std::ptrdiff_t x,
      std::ptrdiff_t end) const {
    const auto& source = Get<kBlockOperand>(*this);
    using Value = ElementOfPlan<std::decay_t<decltype(source)>>;
    ForEachBlockRow<Value>(
        source, y, end_y, x, end,
        [&](const Value* block, std::ptrdiff_t v, std::ptrdiff_t begin, std::ptrdiff_t n)
            MSHADOW_INLINE_LAMBDA {
              T* const row = to + (v - y) * stride + (begin - x);
              // Without others, columns count from the block on: the simpler loop.
              const std::ptrdiff_t first = sizeof...(Srcs) == 1 ? 0 : begin;
              ForEachRun(RowWith<Value>(block, first, v), first, first + n,
                         [&](const auto& run, std::ptrdiff_t k, std::ptrdiff_t stop)
                             MSHADOW_INLINE_LAMBDA {
                               MSHADOW_IVDEP
                               for (; k < stop; ++k) row[k - first] = run.Eval(k);
                             });
            });
  }

 private:
  /// Row y, where the elements of one operand from `begin` on are at `block`.
  template <typename Value>
  MSHADOW_FORCE_INLINE auto RowWith(const Value* block, std::ptrdiff_t begin,
                                    std::ptrdiff_t y) const {
    const auto row = [&](auto place, const auto& src) MSHADOW_INLINE_LAMBDA {
      if constexpr (decltype(place)::value == kBlockOperand) {
        return BlockCursor<Value>{block, begin};
      } else {
        return RowOf(src, y);
      }
    };
    return CursorOf(row(std::integral_constant<std::size_t, i>(), Operand<i, Srcs>::value_)...);
  }
  template <typename... Cursors>
  MSHADOW_FORCE_INLINE static auto CursorOf(const Cursors&... cursors) {
    return MapCursor<OP, DType, Cursors...>{{cursors}...};
  }
};

template <typename OP, typename DType, typename Indices, typename... Srcs>
std::true_type IsMap(const MapPlanOf<OP, DType, Indices, Srcs...>*);
std::false_type IsMap(...);
/// True if P is a MapPlan or derived from one.
template <typename P>
inline constexpr bool kIsMap = decltype(detail::IsMap(std::declval<const P*>()))::value;

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_MAP_PLAN_H_
