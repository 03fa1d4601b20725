// SPDX-License-Identifier: Apache-2.0
// The Plan contract: how one element of an expression is computed, on every device.
//
// An expression of k axes is evaluated on a grid of rows: y counts all axes but the last, x is the
// last. Its plan is a small value, copied to where it runs, with
//
//   DType Eval(index_t y, index_t x) const;    required: all that a third-party extension writes
//   auto  Row(std::ptrdiff_t y) const;         optional: a cursor with all that depends on y done
//     DType cursor.Eval(std::ptrdiff_t x);     plain scalar code; the compiler vectorises the loop
//
// and, of plans that can be assigned to, DType& REval(y, x), or DType& cursor.REval(x).
// x is signed and 64 bits wide: unsigned 32-bit arithmetic such as 2*x+1 may wrap, and compilers
// then give up on vectorising.
//
// A cursor whose loop depends on a number known only at run time (a stride) may offer the common
// ones as constants:
//
//   static constexpr bool kSpecializes = true;
//   template <typename F> void Specialize(const F& f) const;   calls f(cursor with constants) once
//
// It is asked once a row; cursors that hold cursors pass the question on.
//
// A cursor whose rows consist of runs, each with an index map of its own (a row of patches crosses
// images, a row of a reshaped tensor crosses rows of the source), may hand out the run at hand:
//
//   static constexpr bool kRuns = true;
//   auto Run(std::ptrdiff_t x, std::ptrdiff_t* end) const;     a cursor for the columns [x, *end);
//                                                              lowers *end to the end of the run
//
// so that the inner loop needs neither / nor %. It is asked only where the whole run is wanted, so
// it may also compute in advance what neighbours share (the column sums of a pooling). Eval(x) of
// the row's own cursor stays right for every x: what reads single elements asks it.
//
// A cursor over memory offers `const DType* Pointer(std::ptrdiff_t x) const`: its elements from x
// on follow each other there. One that computes many elements faster than one by one may offer
// `void Write(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const`: to[i] = element x + i.
//
// Where setting up a row takes as long as computing it, its plan may offer both for many rows:
//
//   void WriteRows(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y, std::ptrdiff_t end_y,
//                  std::ptrdiff_t x, std::ptrdiff_t end) const
//       to[(v - y) * stride + u - x] = element (v, u), for v in [y, end_y) and u in [x, end)
//       (rows of such a plan are neither joined nor left out, see FlatRows and TileStep below)
//   static constexpr bool kBlocks            parts of rows take their share of the time: what does
//                                            more with the elements, as a map, asks for blocks too
//
// A plan whose rows are rows of memory, in another order, may say how they lie there, so that many
// are copied without asking for each:
//
//   std::ptrdiff_t EvenRows(std::ptrdiff_t y, const DType** begin, std::ptrdiff_t* stride) const
//       how many rows from y on lie *stride elements apart, the first at *begin; 0: none are there
//
// A plan of running sums may say of what, so that a GPU adds each element once:
//
//   RunningSum<P> AsRunningSum() const         of the elements of the plan P, see below
//
// A plan over memory says how far its rows are apart, std::ptrdiff_t RowStride() const, and may be
// told that they lie elsewhere: void MoveBy(std::ptrdiff_t bytes). Short rows of such plans are
// computed many at a time, see gather_rows.h.
//
// Nine optional facts steer the engines:
//   bool IsFlat(std::ptrdiff_t cols) const
//       Eval(y, x) == Eval(0, y * cols + x): all rows can be joined into one
//   std::ptrdiff_t FlatRows(std::ptrdiff_t cols) const
//       instead of IsFlat: n where n rows, from a multiple of n on, can be joined; 0: any number
//   static constexpr bool kOneRow            there is but one row: y is 0
//   static constexpr int kCost               work of an element; 1 is about a twentieth of a ns
//   static constexpr int kOperands           how many tensors are read from one end to the other; a
//                                            plan that does not say may read anywhere
//   std::ptrdiff_t Reads() const
//       how many elements of its operands each one takes, where only sizes tell: of a window, of an
//       axis that is reduced
//   bool BeginsAt(const void* at) const
//       does the plan, or one that it reads element by element, lie in memory from there on? Where
//       that is what is written, it is written in place
//   static constexpr bool kTransposed        neighbours in x lie far apart in memory: use tiles
//   std::ptrdiff_t TileStep() const
//       of a kTransposed plan: what is beside element (y, x) in memory is element (y + n, x), and a
//       tile consists of rows n apart; 1 where the plan does not say. 0: neighbours in x are
//       neighbours in memory after all, which only this plan's values tell; no tiles. columns.h
//       says how such a plan is read along y
#ifndef MSHADOW_EXPR_PLAN_H_
#define MSHADOW_EXPR_PLAN_H_

#include <type_traits>

#include "exp.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

template <typename P, typename = void>
struct HasRow : std::false_type {};
template <typename P>
struct HasRow<P, std::void_t<decltype(std::declval<const P&>().Row(std::ptrdiff_t()))>>
    : std::true_type {};

template <typename P, typename = void>
struct HasIsFlat : std::false_type {};
template <typename P>
struct HasIsFlat<P, std::void_t<decltype(std::declval<const P&>().IsFlat(std::ptrdiff_t()))>>
    : std::true_type {};

template <typename P, typename = void>
struct HasFlatRows : std::false_type {};
template <typename P>
struct HasFlatRows<P, std::void_t<decltype(std::declval<const P&>().FlatRows(std::ptrdiff_t()))>>
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

template <typename P, typename DType, typename = void>
struct HasWriteRows : std::false_type {};
template <typename P, typename DType>
struct HasWriteRows<P, DType,
                    std::void_t<decltype(std::declval<const P&>().WriteRows(
                        std::declval<DType*>(), std::ptrdiff_t(), std::ptrdiff_t(),
                        std::ptrdiff_t(), std::ptrdiff_t(), std::ptrdiff_t()))>> : std::true_type {
};

template <typename P, typename DType, typename = void>
struct Blocks : std::false_type {};
template <typename P, typename DType>
struct Blocks<P, DType, std::void_t<decltype(P::kBlocks)>>
    : std::bool_constant<P::kBlocks && HasWriteRows<P, DType>::value> {};

template <typename P, typename = void>
struct HasRunningSum : std::false_type {};
template <typename P>
struct HasRunningSum<P, std::void_t<decltype(std::declval<const P&>().AsRunningSum())>>
    : std::true_type {};

template <typename P, typename DType, typename = void>
struct HasEvenRows : std::false_type {};
template <typename P, typename DType>
struct HasEvenRows<P, DType,
                   std::void_t<decltype(std::declval<const P&>().EvenRows(
                       std::ptrdiff_t(), std::declval<const DType**>(),
                       std::declval<std::ptrdiff_t*>()))>> : std::true_type {};

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
struct Transposed : std::false_type {};
template <typename P>
struct Transposed<P, std::void_t<decltype(P::kTransposed)>>
    : std::integral_constant<bool, P::kTransposed> {};

template <typename P, typename = void>
struct OneRow : std::false_type {};
template <typename P>
struct OneRow<P, std::void_t<decltype(P::kOneRow)>> : std::integral_constant<bool, P::kOneRow> {
};

template <typename P, typename = void>
struct Operands : std::integral_constant<int, 1000> {};
template <typename P>
struct Operands<P, std::void_t<decltype(P::kOperands)>>
    : std::integral_constant<int, P::kOperands> {};

template <typename P, typename = void>
struct HasReads : std::false_type {};
template <typename P>
struct HasReads<P, std::void_t<decltype(std::declval<const P&>().Reads())>> : std::true_type {};

template <typename P, typename = void>
struct HasBeginsAt : std::false_type {};
template <typename P>
struct HasBeginsAt<P, std::void_t<decltype(std::declval<const P&>().BeginsAt(nullptr))>>
    : std::true_type {};

template <typename P, typename = void>
struct HasTileStep : std::false_type {};
template <typename P>
struct HasTileStep<P, std::void_t<decltype(std::declval<const P&>().TileStep())>>
    : std::true_type {};

}  // namespace detail

/// The cursor of row `y`: plan.Row(y), or one that calls plan.Eval(y, x).
template <typename P>
MSHADOW_XINLINE auto RowOf(const P& plan, std::ptrdiff_t y) {
  if constexpr (detail::HasRow<P>::value) {
    return plan.Row(y);
  } else {
    return detail::EvalCursor<P>{plan, static_cast<index_t>(y)};
  }
}

/// The type of RowOf(plan, y).
template <typename P>
using RowCursor = decltype(RowOf(std::declval<const P&>(), std::ptrdiff_t()));

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

/// Does a plan say which of its rows can be joined?
template <typename P>
inline constexpr bool kMayJoin = detail::HasFlatRows<P>::value || detail::HasIsFlat<P>::value;

/// n such that n rows of `cols` elements, from a multiple of n on, can be joined into one;
/// 0: any number of rows.
template <typename P>
MSHADOW_XINLINE std::ptrdiff_t FlatRows(const P& plan, [[maybe_unused]] std::ptrdiff_t cols) {
  if constexpr (detail::HasFlatRows<P>::value) {
    return plan.FlatRows(cols);
  } else if constexpr (detail::HasIsFlat<P>::value) {
    return plan.IsFlat(cols) ? 0 : 1;
  } else {
    return 1;
  }
}

/// Can all rows of `cols` elements be joined into one?
template <typename P>
MSHADOW_XINLINE bool IsFlat(const P& plan, std::ptrdiff_t cols) {
  return FlatRows(plan, cols) == 0;
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

/// The work of one element, of an op or a plan that does not say: that of a library function.
template <typename P>
inline constexpr int kCostOf = detail::Cost<P>::value;
/// How many tensors a plan reads from one end to the other; of one that may read anywhere, too many
/// to count.
template <typename P>
inline constexpr int kOperandsOf = detail::Operands<P>::value;
/// How many elements of its operands each element of a plan takes; 1 where the plan does not say.
template <typename P>
MSHADOW_XINLINE std::ptrdiff_t ReadsOf([[maybe_unused]] const P& plan) {
  if constexpr (detail::HasReads<P>::value) {
    constexpr std::ptrdiff_t kMax = 1 << 20;  // products of these do not overflow
    const std::ptrdiff_t reads = plan.Reads();
    return reads < 1 ? 1 : reads < kMax ? reads : kMax;
  } else {
    return 1;
  }
}
/// That plan's of several that takes the most.
template <typename P, typename... Rest>
MSHADOW_XINLINE std::ptrdiff_t ReadsOf(const P& plan, const Rest&... rest) {
  const std::ptrdiff_t first = ReadsOf(plan), others = ReadsOf(rest...);
  return first < others ? others : first;
}
/// Does any of several plans begin there?
template <typename... Plans>
MSHADOW_XINLINE bool BeginsAt(const void* at, const Plans&... plans) {
  const auto begins = [at](const auto& plan) {
    if constexpr (detail::HasBeginsAt<std::decay_t<decltype(plan)>>::value) {
      return plan.BeginsAt(at);
    } else {
      return false;
    }
  };
  return (... || begins(plans));
}
template <typename P>
inline constexpr bool kTransposedOf = detail::Transposed<P>::value;
template <typename P>
inline constexpr bool kOneRowOf = detail::OneRow<P>::value;

/// n such that rows n apart are neighbours in memory; 0: the plan does not transpose.
template <typename P>
MSHADOW_XINLINE std::ptrdiff_t TileStep([[maybe_unused]] const P& plan) {
  if constexpr (!kTransposedOf<P>) {
    return 0;
  } else if constexpr (detail::HasTileStep<P>::value) {
    return plan.TileStep();
  } else {
    return 1;
  }
}
/// That of a plan which reads several: where they differ, tiles serve the first that transposes.
template <typename P, typename... Rest>
MSHADOW_XINLINE std::ptrdiff_t TileStep(const P& first, const Rest&... rest) {
  const std::ptrdiff_t step = TileStep(first);
  return step != 0 ? step : TileStep(rest...);
}

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
  static constexpr int kCost = 0;
  static constexpr int kOperands = 0;
  static constexpr bool kOneRow = true;
  MSHADOW_XINLINE explicit Plan(const ScalarExp<DType>& e) : scalar_(e.scalar_) {}
  MSHADOW_XINLINE explicit Plan(DType scalar) : scalar_(scalar) {}
  MSHADOW_XINLINE DType Eval(index_t, index_t) const { return scalar_; }
  struct Cursor {
    static constexpr bool kPacks = true;
    DType scalar_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t) const { return scalar_; }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t) const { return Cursor{scalar_}; }
  MSHADOW_XINLINE bool IsFlat(std::ptrdiff_t) const { return true; }

 private:
  DType scalar_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_H_
