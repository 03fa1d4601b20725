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
//   Fill(to, ..)  where many cost less than one  the destination, maps,  FillRow of each row
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
//   FillRow(to,..) rows of plans with kFills     FillBlock               Fill of the plan
//   Pointer(x)    rows in memory                 GPU packs, kernels      elements are computed
//   EvalPack(x)   maps: pack.h                   the GPU                 element by element
//
// and, of what can be assigned to, DType& REval(y, x) of the plan and REval(x) of its cursor. x of
// a cursor is signed and has 64 bits: unsigned 32-bit arithmetic such as 2*x+1 may wrap, and
// compilers then give up on vectorising. Some plans have more of their own: a view says
// RowStride() and Origin(); broadcasts and flips gather rows, as maps do, see gather_rows.h; cumsum
// is AsRunningSum(); a concat that is a whole statement is assigned ForEachPart, and a flip
// WithForm, see engine.h.
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
//   void cursor.FillRow(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const
//         to[i] = element x + i for x + i < end
//   RunningSum<P> AsRunningSum() const           so that a GPU adds each element once
#ifndef MSHADOW_EXPR_PLAN_H_
#define MSHADOW_EXPR_PLAN_H_

#include "exp.h"
#include "facts.h"
#include "row.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

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
  MSHADOW_XINLINE detail::ValueCursor<DType> Row(std::ptrdiff_t) const { return {scalar_}; }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const { return {0}; }

 private:
  DType scalar_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_PLAN_H_
