// SPDX-License-Identifier: Apache-2.0
// The plan protocol: how the elements of an expression are computed, on every device.
//
// An expression of k axes is evaluated on a grid of rows: y counts all axes but the last, x is the
// last. Its plan is a small value, copied to where it runs. Eval alone is a plan; whatever else one
// defines makes it faster, and engines ask for it through functions (RowOf, LayoutOf, FillBlock).
// On the CPU, statements of maps and views need no plans: statement.h.
//
// Members of a plan, and of the cursor that its Row returns:
//
//   name          defined by                     asked by                without it
//   ------------- ------------------------------ ----------------------- -----------------------
//   Eval(y, x)    every plan                     third-party plans       (required)
//   Row(y)        all that look at y             every engine            a cursor calls Eval
//   kFacts        all that are not Access::kAny  every engine            kCost, or that of a
//                                                                        function; reads any
//   Layout(cols)  where rows join or transpose,  joining, tiling,        that of source(), the
//                 elements take many             threads                 plan of an operand, as
//                                                                        far as kFacts allow
//   Fill(to, ..)  where many cost less than one  the CPU: FillBlock,     Row, element by element
//                 by one each: stretches, sums   InPieces
//   cursor: Eval(x)                              every engine            (required)
//   Pointer(x)    rows in memory                 GPU packs, kernels      elements are computed
//   EvalPack(x)   maps: pack.h                   the GPU                 element by element
//
// and, of what can be assigned to, DType& REval(y, x) of the plan and REval(x) of its cursor. x of
// a cursor is signed and has 64 bits: unsigned 32-bit arithmetic such as 2*x+1 may wrap, and
// compilers then give up on vectorising. Plans of memory say RowStride(), cumsum AsRunningSum().
//
//   DType Eval(index_t y, index_t x) const
//   auto Row(std::ptrdiff_t y) const             a cursor with all that depends on y done
//     DType cursor.Eval(std::ptrdiff_t x) const  scalar code; the compiler vectorises the loop
//   void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y, std::ptrdiff_t end_y,
//             std::ptrdiff_t x, std::ptrdiff_t end) const
//         to[(v - y) * stride + u - x] = element (v, u), for v in [y, end_y) and u in [x, end),
//         none of which is empty
//   RunningSum<P> AsRunningSum() const           so that a GPU adds each element once
#ifndef MSHADOW_EXPR_PLAN_PLAN_H_
#define MSHADOW_EXPR_PLAN_PLAN_H_

#include "../exp.h"
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
#endif  // MSHADOW_EXPR_PLAN_PLAN_H_
