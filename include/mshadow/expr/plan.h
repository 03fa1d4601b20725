// SPDX-License-Identifier: Apache-2.0
// The plan protocol: how the elements of an expression are computed, on every device.
//
// An expression of k axes is evaluated on a grid of rows: y counts all axes but the last, x is the
// last. Its plan is a small value, copied to where it runs. Eval alone is a plan; whatever else one
// defines makes it faster, and engines ask for it through the functions below (RowOf, LayoutOf).
//
// Of a plan:
//
//   name          defined by                     asked by                without it
//   ------------- ------------------------------ ----------------------- -----------------------
//   Eval(y, x)    every plan                     third-party plans       (required)
//   Row(y)        all that look at y             every engine            a cursor calls Eval
//   kFacts        all that are not Access::kAny  every engine            kCost, or that of a
//                                                                        function; reads any
//   Layout(cols)  where rows join or transpose,  joining, tiling,        that of source(), as
//                 elements take many             threads                 far as kFacts allow
//   source()      plans of one operand           LayoutOf                rows are not joined
//   Memory(y)     rows of memory, in any order   copies of rows          rows are computed
//   Columns(y,n)  what transposes: columns.h     tiles of the CPU        tiles read along x
//   Fill(to, ..)  where many cost less than one  the destination, maps,  runs of Row
//                 by one each; kFills says when  RowOf
//
// Of a cursor:
//
//   name          defined by                     asked by                without it
//   ------------- ------------------------------ ----------------------- -----------------------
//   Eval(x)       every cursor                   every engine            (required)
//   Run(x, &end)  rows of several index maps,    loops over rows         the row is one run
//                 those with kRuns
//   Specialize(f) loops of a number known at run loops over rows         the cursor as it is
//                 time, those with kSpecializes
//   Pointer(x)    rows in memory                 GPU packs, kernels      elements are computed
//   EvalPack(x)   maps: pack.h                   the GPU                 element by element
//
// and, of what can be assigned to, DType& REval(y, x) of the plan and REval(x) of its cursor. x of
// a cursor is signed and has 64 bits: unsigned 32-bit arithmetic such as 2*x+1 may wrap, and
// compilers then give up on vectorising. Three plans have more of their own: a view says
// RowStride() and MoveBy(bytes); a broadcast gathers rows, as maps do, see gather_rows.h; cumsum is
// AsRunningSum().
//
//   DType Eval(index_t y, index_t x) const
//   auto Row(std::ptrdiff_t y) const             a cursor with all that depends on y done
//     DType cursor.Eval(std::ptrdiff_t x) const  scalar code; the compiler vectorises the loop
//     auto cursor.Run(std::ptrdiff_t x, std::ptrdiff_t* end) const
//         a cursor for the columns [x, *end), whose loop needs neither / nor %; lowers *end to the
//         end of the run. Eval(x) of the row's own cursor stays right for every x
//     void cursor.Specialize(const F& f) const   calls f(a cursor with constants) once
//   MemoryRows<DType> Memory(std::ptrdiff_t y) const
//         the rows from y on, as far as they lie evenly in memory
//   void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y, std::ptrdiff_t end_y,
//             std::ptrdiff_t x, std::ptrdiff_t end) const
//         to[(v - y) * stride + u - x] = element (v, u), for v in [y, end_y) and u in [x, end).
//         Row of a plan with Fills::kBlocks need only offer Eval: RowOf fills a buffer for each run
//   RunningSum<P> AsRunningSum() const           so that a GPU adds each element once
#ifndef MSHADOW_EXPR_PLAN_H_
#define MSHADOW_EXPR_PLAN_H_

#include <type_traits>

#include "cursor/filled_cursor.h"
#include "exp.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

template <typename P, typename = void>
struct HasRow : std::false_type {};
template <typename P>
struct HasRow<P, std::void_t<decltype(std::declval<const P&>().Row(std::ptrdiff_t()))>>
    : std::true_type {};

/// A row of a plan that has only Eval.
template <typename P>
struct EvalCursor {
  P plan_;
  index_t y_;
  MSHADOW_XINLINE auto Eval(std::ptrdiff_t x) const {
    return plan_.Eval(y_, static_cast<index_t>(x));
  }
  MSHADOW_XINLINE decltype(auto) REval(std::ptrdiff_t x) {
    return plan_.REval(y_, static_cast<index_t>(x));
  }
};

template <typename C, typename = void>
struct Specializes : std::false_type {};
template <typename C>
struct Specializes<C, std::void_t<decltype(C::kSpecializes)>>
    : std::integral_constant<bool, C::kSpecializes> {};

template <typename C, typename = void>
struct Runs : std::false_type {};
template <typename C>
struct Runs<C, std::void_t<decltype(C::kRuns)>> : std::integral_constant<bool, C::kRuns> {};

template <typename C, typename = void>
struct HasPointer : std::false_type {};
template <typename C>
struct HasPointer<C, std::void_t<decltype(std::declval<const C&>().Pointer(std::ptrdiff_t()))>>
    : std::true_type {};

template <typename C, typename DType, typename = void>
struct HasWrite : std::false_type {};
template <typename C, typename DType>
struct HasWrite<C, DType,
                std::void_t<decltype(std::declval<const C&>().Write(
                    std::declval<DType*>(), std::ptrdiff_t(), std::ptrdiff_t()))>>
    : std::true_type {};

template <typename P, typename = void>
struct HasRunningSum : std::false_type {};
template <typename P>
struct HasRunningSum<P, std::void_t<decltype(std::declval<const P&>().AsRunningSum())>>
    : std::true_type {};

template <typename P, typename = void>
struct HasMemory : std::false_type {};
template <typename P>
struct HasMemory<P, std::void_t<decltype(std::declval<const P&>().Memory(std::ptrdiff_t()))>>
    : std::true_type {};

template <typename P, typename = void>
struct HasRowStride : std::false_type {};
template <typename P>
struct HasRowStride<P, std::void_t<decltype(std::declval<const P&>().RowStride())>>
    : std::true_type {};

template <typename P, typename = void>
struct Cost : std::integral_constant<int, 16> {};
template <typename P>
struct Cost<P, std::void_t<decltype(P::kCost)>> : std::integral_constant<int, P::kCost> {};

template <typename P, typename = void>
struct HasFacts : std::false_type {};
template <typename P>
struct HasFacts<P, std::void_t<decltype(P::kFacts)>> : std::true_type {};

template <typename P, typename = void>
struct HasSourcePlan : std::false_type {};
template <typename P>
struct HasSourcePlan<P, std::void_t<decltype(std::declval<const P&>().source())>>
    : std::true_type {};

template <typename P, typename = void>
struct HasLayout : std::false_type {};
template <typename P>
struct HasLayout<P, std::void_t<decltype(std::declval<const P&>().Layout(std::ptrdiff_t()))>>
    : std::true_type {};

}  // namespace detail

/// How a plan computes many elements at a time: not at all, or by its Fill.
enum class Fills {
  kNothing,
  kRows,   ///< whole rows: a part takes as long as all that is before it
  kParts,  ///< parts of rows, but as an operand of a map it is better read run by run
  kBlocks  ///< as an operand of a map too, which computes blocks of it aside, see blocks.h
};

namespace detail {
template <typename P, typename = void>
struct FillsOf : std::integral_constant<Fills, Fills::kNothing> {};
template <typename P>
struct FillsOf<P, std::void_t<decltype(P::kFills)>> : std::integral_constant<Fills, P::kFills> {};
}  // namespace detail

template <typename P>
inline constexpr Fills kFillsOf = detail::FillsOf<P>::value;

/// The cursor of row `y`: plan.Row(y), or one that calls plan.Eval(y, x). It may refer to the plan.
template <typename P>
MSHADOW_XINLINE auto RowOf(const P& plan, std::ptrdiff_t y) {
  if constexpr (kFillsOf<P> == Fills::kBlocks) {
    return detail::FilledCursor<P, decltype(plan.Row(y))>{plan.Row(y), &plan, y};
  } else if constexpr (detail::HasRow<P>::value) {
    return plan.Row(y);
  } else {
    return detail::EvalCursor<P>{plan, static_cast<index_t>(y)};
  }
}

/// The type of RowOf(plan, y).
template <typename P>
using RowCursor = decltype(RowOf(std::declval<const P&>(), std::ptrdiff_t()));

/// The element type of a plan.
template <typename P>
using ElementOfPlan = std::decay_t<decltype(std::declval<RowCursor<P>&>().Eval(0))>;

/// Does the cursor C offer forms of itself with constants?
template <typename C>
inline constexpr bool kSpecializesOf = detail::Specializes<C>::value;

/// Calls f(cursor), or f with what cursor.Specialize makes of it.
template <typename C, typename F>
MSHADOW_FORCE_INLINE void Specialize(const C& cursor, const F& f) {
  if constexpr (kSpecializesOf<C>) {
    cursor.Specialize(f);
  } else {
    f(cursor);
  }
}

/// Do rows of the cursor C consist of runs?
template <typename C>
inline constexpr bool kRunsOf = detail::Runs<C>::value;

/// May a loop over the cursor C ask it for its elements as it is?
template <typename C>
inline constexpr bool kPlainOf = !kRunsOf<C> && !kSpecializesOf<C>;

/// A cursor for the columns [x, *end) of a row; lowers *end where the run ends before.
template <typename C>
MSHADOW_FORCE_INLINE auto RunOf(const C& row, [[maybe_unused]] std::ptrdiff_t x,
                           [[maybe_unused]] std::ptrdiff_t* end) {
  if constexpr (kRunsOf<C>) {
    return row.Run(x, end);
  } else {
    return row;
  }
}

/// The type of RunOf(cursor, x, &end).
template <typename C>
using RunCursor = decltype(RunOf(std::declval<const C&>(), std::ptrdiff_t(), nullptr));

/// Calls f(cursor, begin, end) for the parts of the columns [x, end) of a row, with the cursor that
/// is fastest there: that of the run, with constants if it offers any.
template <typename C, typename F>
MSHADOW_FORCE_INLINE void ForEachRun(const C& row, std::ptrdiff_t x, std::ptrdiff_t end,
                                     const F& f) {
  if constexpr (kRunsOf<C>) {
    while (x < end) {
      std::ptrdiff_t stop = end;
      const auto run = RunOf(row, x, &stop);
      expr::Specialize(run, [&](const auto& cursor) MSHADOW_INLINE_LAMBDA { f(cursor, x, stop); });
      x = stop;
    }
  } else {
    expr::Specialize(row, [&](const auto& cursor) MSHADOW_INLINE_LAMBDA { f(cursor, x, end); });
  }
}

// ---- Facts -----------------------------------------------------------------------------------

/// Which elements of its operands element (y, x) of a plan takes.
enum class Access {
  kSame,  ///< element (y, x) of each: maps, casts
  kRows,  ///< neighbours take neighbours: slices, mirrors, windows, rows of a table
  kAny,   ///< any number of any: reductions, sums along an axis
};

/// What is known of a plan from its type. Of one that does not say, what these defaults and its
/// kCost say.
struct PlanFacts {
  int cost = 16;           ///< work of an element; 1 is about a twentieth of a nanosecond
  int operands = 1000;     ///< tensors that are read from one end to the other; 1000: any order
  Access access = Access::kAny;
  bool one_row = false;    ///< y is 0
  bool transposes = false; ///< neighbours in x may lie far apart in memory
};

/// The work of one element, of an op or a plan; of one that does not say, that of a function.
template <typename P>
constexpr int CostOf() {
  if constexpr (detail::HasFacts<P>::value) {
    return P::kFacts.cost;
  } else {
    return detail::Cost<P>::value;
  }
}
template <typename P>
inline constexpr int kCostOf = CostOf<P>();

/// The facts of a plan.
template <typename P>
constexpr PlanFacts FactsOf() {
  if constexpr (detail::HasFacts<P>::value) {
    return P::kFacts;
  } else {
    PlanFacts facts;
    facts.cost = kCostOf<P>;
    return facts;
  }
}
template <typename P>
inline constexpr PlanFacts kFactsOf = FactsOf<P>();

/// The facts of a plan that reads the plans Srcs so, with an element of `cost`.
template <Access access, typename... Srcs>
constexpr PlanFacts FactsOver(int cost) {
  PlanFacts facts;
  facts.cost = cost;
  facts.access = access;
  if constexpr (access != Access::kAny) {
    facts.transposes = (... || kFactsOf<Srcs>.transposes);
  }
  if constexpr (access == Access::kSame) {
    facts.operands = (0 + ... + kFactsOf<Srcs>.operands);
    facts.one_row = (... && kFactsOf<Srcs>.one_row);
  }
  return facts;
}

/// Those of a plan whose rows are columns of its source.
constexpr PlanFacts TransposedFacts(int cost) {
  PlanFacts facts;
  facts.cost = cost;
  facts.access = Access::kRows;
  facts.transposes = true;
  return facts;
}

/// The greatest common divisor; of 0 and b it is b.
MSHADOW_XINLINE std::ptrdiff_t Gcd(std::ptrdiff_t a, std::ptrdiff_t b) {
  while (a > 1) {
    const std::ptrdiff_t rest = b % a;
    b = a;
    a = rest;
  }
  return a == 1 ? 1 : b;
}

/// What is known of a plan from its values.
struct PlanLayout {
  /// n such that n rows, from a multiple of n on, can be joined: element (y, x + cols) is element
  /// (y + 1, x) within them. 0: any number of rows.
  std::ptrdiff_t join = 1;
  /// n such that (y, x) and (y + n, x) are neighbours in memory; 0: (y, x) and (y, x + 1) are.
  std::ptrdiff_t tile_step = 0;
  /// Elements of its operands that an element takes: of a window, of an axis that is reduced.
  std::ptrdiff_t reads = 1;
  /// Bytes in memory from (y, x) to (y, x + 1) where tile_step is not 0; 0: unknown.
  std::ptrdiff_t column_bytes = 0;

  MSHADOW_XINLINE PlanLayout Joined(std::ptrdiff_t n) const {
    PlanLayout layout = *this;
    layout.join = n;
    return layout;
  }
  MSHADOW_XINLINE PlanLayout Reading(std::ptrdiff_t n) const {
    constexpr std::ptrdiff_t kMax = 1 << 20;  // products of these do not overflow
    PlanLayout layout = *this;
    layout.reads = n < 1 ? 1 : n < kMax ? n * reads : kMax;
    if (layout.reads > kMax) layout.reads = kMax;
    return layout;
  }
};

/// The layout of a plan that is evaluated in rows of `cols`: what its source, if it has one, does
/// not know better.
template <typename P>
MSHADOW_XINLINE PlanLayout LayoutOf(const P& plan, std::ptrdiff_t cols) {
  if constexpr (detail::HasLayout<P>::value) {
    return plan.Layout(cols);
  } else if constexpr (detail::HasSourcePlan<P>::value) {
    PlanLayout layout = LayoutOf(plan.source(), cols);
    if (kFactsOf<P>.access != Access::kSame) layout.join = 1;
    if (!kFactsOf<P>.transposes) layout.tile_step = 0;
    return layout;
  } else {
    return PlanLayout{1, kFactsOf<P>.transposes ? 1 : 0, 1};
  }
}
/// That of a plan which takes element (y, x) of several. Tiles serve the first that transposes.
template <typename P, typename... Rest>
MSHADOW_XINLINE PlanLayout LayoutOf(std::ptrdiff_t cols, const P& plan, const Rest&... rest) {
  const PlanLayout first = LayoutOf(plan, cols);
  if constexpr (sizeof...(Rest) == 0) {
    return first;
  } else {
    const PlanLayout others = LayoutOf(cols, rest...);
    PlanLayout layout = first.tile_step != 0 ? first : others;
    layout.join = Gcd(first.join, others.join);
    layout.reads = first.reads < others.reads ? others.reads : first.reads;
    return layout;
  }
}
template <typename P>
MSHADOW_XINLINE std::ptrdiff_t FlatRows(const P& plan, std::ptrdiff_t cols) {
  return LayoutOf(plan, cols).join;
}
/// Can all rows of `cols` elements be joined into one?
template <typename P>
MSHADOW_XINLINE bool IsFlat(const P& plan, std::ptrdiff_t cols) {
  return FlatRows(plan, cols) == 0;
}
template <typename... Plans>
MSHADOW_XINLINE std::ptrdiff_t ReadsOf(const Plans&... plans) {
  return LayoutOf(std::ptrdiff_t{1}, plans...).reads;
}
template <typename... Plans>
MSHADOW_XINLINE std::ptrdiff_t TileStep(const Plans&... plans) {
  return LayoutOf(std::ptrdiff_t{1}, plans...).tile_step;
}

/// Rows in memory: element (y + i, x) is begin[i * stride + x] for i < rows.
template <typename DType>
struct MemoryRows {
  const DType* begin;
  std::ptrdiff_t stride, rows;
  /// Their columns from `x` on.
  MSHADOW_XINLINE MemoryRows From(std::ptrdiff_t x) const { return {begin + x, stride, rows}; }
};
/// More rows than there are.
constexpr std::ptrdiff_t kAllRows = std::ptrdiff_t{1} << (8 * sizeof(std::ptrdiff_t) - 2);

/// True if rows of a plan may lie in memory: all are RowStride() apart, or Memory(y) says it.
template <typename P>
inline constexpr bool kRowsInMemory = detail::HasRowStride<P>::value || detail::HasMemory<P>::value;
/// The rows from `y` on that lie evenly in memory; .rows is 0 where they do not lie there.
template <typename P>
MSHADOW_XINLINE auto MemoryOf(const P& plan, std::ptrdiff_t y) {
  if constexpr (detail::HasMemory<P>::value) {
    return plan.Memory(y);
  } else {
    return MemoryRows<ElementOfPlan<P>>{RowOf(plan, y).Pointer(0), plan.RowStride(), kAllRows};
  }
}

/// Might rows of a plan be joined?
template <typename P>
constexpr bool MayJoin() {
  if constexpr (!detail::HasLayout<P>::value && detail::HasSourcePlan<P>::value) {
    using Src = std::decay_t<decltype(std::declval<const P&>().source())>;
    return kFactsOf<P>.access == Access::kSame && MayJoin<Src>();
  } else {
    return detail::HasLayout<P>::value;
  }
}
template <typename P>
inline constexpr bool kMayJoin = MayJoin<P>();

/// Joins rows of the grid that plans share where memory allows; returns how many make one.
template <typename... Plans>
MSHADOW_XINLINE std::ptrdiff_t JoinRows(std::ptrdiff_t* rows, std::ptrdiff_t* cols,
                                        const Plans&... plans) {
  if (*rows <= 1) return 1;
  std::ptrdiff_t join = *rows;
  ((join = Gcd(expr::FlatRows(plans, *cols), join)), ...);
  *cols *= join;
  *rows = join == *rows ? 1 : *rows / join;
  return join;
}

/// Sums along an axis of `count` indices, `step` rows apart: index i holds the sum of the elements
/// of `src` at the indices 0, ..., i. step 0: the axis is that of x.
template <typename P>
struct RunningSum {
  P src;
  std::ptrdiff_t step, count;
};

template <typename P>
inline constexpr bool kTransposedOf = kFactsOf<P>.transposes;

/// The plan of `e`. Third-party nodes overload it, or specialise Plan<E, DType> with a constructor
/// from the node.
template <typename E, typename DType, int etype>
inline Plan<E, DType> MakePlan(const Exp<E, DType, etype>& e) {
  return Plan<E, DType>(e.self());
}

/// The plan type of an operand, as MakePlan makes it.
template <typename E>
using PlanOf = decltype(MakePlan(std::declval<const E&>()));

template <typename DType>
class Plan<ScalarExp<DType>, DType> {
 public:
  static constexpr PlanFacts kFacts{0, 0, Access::kSame, true};
  MSHADOW_XINLINE explicit Plan(const ScalarExp<DType>& e) : scalar_(e.scalar_) {}
  MSHADOW_XINLINE explicit Plan(DType scalar) : scalar_(scalar) {}
  MSHADOW_XINLINE DType Eval(index_t, index_t) const { return scalar_; }
  struct Cursor {
    static constexpr bool kPacks = true;
    DType scalar_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t) const { return scalar_; }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t) const { return Cursor{scalar_}; }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const { return {0}; }

 private:
  DType scalar_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_H_
