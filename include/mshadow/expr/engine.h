// SPDX-License-Identifier: Apache-2.0
// ExpEngine: from `dst Saver= exp` to a device's Executor.
#ifndef MSHADOW_EXPR_ENGINE_H_
#define MSHADOW_EXPR_ENGINE_H_

#include "materialised.h"
#include "plan/plan.h"
#include "row_stages.h"
#include "shared_operand.h"
#include "statement.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {

/// dst[i] = src[i] for tensors of one shape: bytes that are moved, no kernel. Defined with the
/// tensor (tensor/memory.h), found when a statement is instantiated.
template <typename A, typename B, int dim, typename DType, typename OnDevice>
void CopyRows(const Tensor<A, dim, DType>& dst, const Tensor<B, dim, DType>& src,
              Stream<OnDevice>* stream);

template <int dim>
[[noreturn]] inline void ThrowAssignMismatch(const Shape<dim>& eshape, const Shape<dim>& dshape) {
  ThrowAssignMismatch(eshape.shape_, dshape.shape_, dim);
}

/// Could evaluating `exp` into `dst` read an element after it was overwritten?
/// `first`: or could it before, for an operand that is computed first?
template <bool first, typename R, typename E>
inline bool ReadsTarget(const E& exp, const R& dst, bool same_index) {
  return expr::AnyWritten(dst, [&](expr::WrittenView written) {
    if (first) written.first = written.unknown = true;
    return expr::Overlaps(exp, written, same_index);
  });
}

/// True if a node of type R is made of parts, each of which is assigned to by itself on the CPU.
MSHADOW_MEMBER_OR_(kHasParts, kHasParts, false)

}  // namespace detail

/// dst[y][x] Saver= plan(y, x); no checks.
template <typename Saver, typename R, int dim, typename DType, typename PlanType, typename Device>
inline void MapPlan(TRValue<R, Device, dim, DType>* dst, const PlanType& plan) {
  R* const self = dst->ptrself();
  if constexpr (Device::kDevCPU && detail::kHasParts<R>) {
    self->ForEachPart(plan, [](auto* part, const auto& part_of_plan) {
      MapPlan<Saver>(part, part_of_plan);
    });
  } else {
    Executor<Device>::template Map<Saver, DType>(
        expr::MakePlan(*self), plan, expr::ShapeCheck<dim, R>::Check(*self).CheckedFlatTo2D(),
        expr::StreamInfo<Device, R>::Get(*self));
  }
}

namespace detail {

/// MapPlan of a plan whose type only the function knows. (Cold: it calls MapPlan, of which there
/// need be no second copy here.)
template <typename Saver, typename R, typename PlanType>
MSHADOW_COLD void MapErasedPlan(R* dst, const void* plan) {
  MapPlan<Saver>(dst, *static_cast<const PlanType*>(plan));
}

/// *dst Saver= e, a described statement; together with the stages of `memory`, if there are any.
/// Defined in backend/cpu/run.h.
template <typename Saver, int dim, typename DType, typename R, typename E>
void RunDescribed(const R& dst, const E& e, expr::detail::OperandMemory<cpu>* memory = nullptr);
/// *dst Saver= e, a statement of tensors and values alone: with all checks.
template <typename Saver, int dim, typename DType, typename E>
MSHADOW_FORCE_INLINE void RunPlain(const Tensor<cpu, dim, DType>& dst, const E& e);
/// *dst = src, of one shape; they share no memory.
template <typename R, int dim, typename DType, typename Device, typename E>
inline void CopyElements(TRValue<R, Device, dim, DType>* dst, const E& src) {
  if constexpr (expr::detail::IsDescribed<R, E>()) {
    RunDescribed<sv::saveto, dim, DType>(dst->self(), src);
  } else {
    MapPlan<sv::saveto>(dst, expr::MakePlan(src));
  }
}

/// dst Saver= plan where the plan reads what is written: `map`, which is the statement, runs on a
/// copy of dst, which takes dst's place afterwards; `load`: what is in dst is needed for it. One
/// function for all statements, which is seldom run.
template <typename Device, int dim, typename DType, typename R>
MSHADOW_COLD void MapThroughCopy(R* dst, bool load, const void* plan,
                                 void (*map)(Tensor<Device, dim, DType>*, const void*)) {
  Temporary<Device, dim, DType> copy(expr::ShapeCheck<dim, R>::Check(*dst),
                                     expr::StreamInfo<Device, R>::Get(*dst));
  if constexpr (std::is_same_v<R, Tensor<Device, dim, DType>>) {
    if (load) CopyRows(copy.tensor(), *dst, copy.tensor().stream_);
    map(&copy.tensor(), plan);
    CopyRows(*dst, copy.tensor(), copy.tensor().stream_);
  } else {
    if (load) CopyElements(&copy.tensor(), *dst);
    map(&copy.tensor(), plan);
    CopyElements(dst, copy.tensor());
  }
}

/// True if the device has Executor::MapRows, which back ends may leave out (core/device.h).
template <typename Device, typename Saver, typename DType, typename R, typename E, typename Memory,
          typename = void>
struct HasMapRows : std::false_type {};
template <typename Device, typename Saver, typename DType, typename R, typename E, typename Memory>
struct HasMapRows<Device, Saver, DType, R, E, Memory,
                  std::void_t<decltype(Executor<Device>::template MapRows<Saver, DType>(
                      std::declval<const R&>(), std::declval<const E&>(),
                      std::declval<Memory*>()))>> : std::true_type {};

/// dst[i] Saver= plan(i) for all i, where `plan` is that of exp; no check of shapes. (Inlined: a
/// call would cost a small statement a sixth of its instructions.)
template <typename Saver, typename R, int dim, typename DType, typename E, typename Device>
MSHADOW_FORCE_INLINE void MapWhole(TRValue<R, Device, dim, DType>* dst,
                                   [[maybe_unused]] const E& exp,
                                   const expr::WholePlanOf<E>& plan) {
#if MSHADOW_ALIAS_CHECK
  if constexpr (!std::is_same_v<E, expr::ScalarExp<DType>>) {
    if (!MSHADOW_LIKELY(!ReadsTarget<expr::kHasDirectPlan<E>>(exp, dst->self(), true))) {
      using Copy = Tensor<Device, dim, DType>;
      return MapThroughCopy<Device, dim, DType>(
          dst->ptrself(), !std::is_same_v<Saver, sv::saveto>, &plan,
          MapErasedPlan<Saver, Copy, expr::WholePlanOf<E>>);
    }
  }
#endif
  MapPlan<Saver>(dst, plan);
}

/// *dst Saver= exp, a described statement, which may read what it writes.
template <typename Saver, int dim, typename DType, typename R, typename E>
MSHADOW_FORCE_INLINE void MapDescribed(R* dst, const E& exp) {
#if MSHADOW_ALIAS_CHECK
  if constexpr (!std::is_same_v<E, expr::ScalarExp<DType>>) {
    if (!MSHADOW_LIKELY(!ReadsTarget<false>(exp, *dst, true))) {
      return MapThroughCopy<cpu, dim, DType>(
          dst, !std::is_same_v<Saver, sv::saveto>, &exp,
          [](Tensor<cpu, dim, DType>* copy, const void* e) {
            RunDescribed<Saver, dim, DType>(*copy, *static_cast<const E*>(e));
          });
    }
  }
#endif
  RunDescribed<Saver, dim, DType>(*dst, exp);
}

/// The same, together with the stages that *memory knows of.
template <typename Saver, typename R, int dim, typename DType, typename E, typename Memory,
          typename Device>
inline void MapAfter(TRValue<R, Device, dim, DType>* dst, const E& exp, Memory* memory) {
  if constexpr (expr::detail::IsDescribed<R, E, Saver>()) {
    if (ReadsTarget<false>(exp, dst->self(), true)) {
      memory->ForgetStages();
      if (memory->HasStages()) memory->FinishStages();
      MapDescribed<Saver, dim, DType>(dst->ptrself(), exp);
    } else {
      RunDescribed<Saver, dim, DType>(dst->self(), exp, memory);
    }
  } else {
    const expr::WholePlanOf<E> plan = expr::MakeWholePlan(exp);
    if (memory->HasStages()) memory->FinishStages();
    MapWhole<Saver>(dst, exp, plan);
  }
}

}  // namespace detail

/// dst[i] Saver= exp[i] for all i; throws Error with both shapes where they differ.
/// An operand that shares memory with dst under another index map is no danger: the expression
/// then goes through a temporary (MSHADOW_ALIAS_CHECK).
template <typename Saver, typename R, int dim, typename DType, typename E, int etype,
          typename Device>
inline void MapExp(TRValue<R, Device, dim, DType>* dst, const expr::Exp<E, DType, etype>& exp) {
  using Check = expr::TypeCheck<Device, dim, DType, E>;
  static_assert(Check::kExpDim >= 0,
                "mshadow: the expression cannot be evaluated: its operands differ in the number of "
                "axes, or there is no dot for tensors of these ranks; there are matrix = "
                "dot(matrix, matrix), vector = dot(vector, matrix), vector = dot(matrix, vector), "
                "matrix = dot(vector.T(), vector), and batch_dot");
  (void)sizeof(expr::AssignedRank<dim, Check::kExpDim>);
  static_assert(Check::kExpDim < 0 || Check::kDevPass,
                "mshadow: the expression and the tensor it is assigned to live on different "
                "devices; use Copy(dst, src)");
  if constexpr (Check::kMapPass && expr::detail::IsPlainStatement<Device, R, E>()) {
    detail::RunPlain<Saver, dim, DType>(dst->self(), exp.self());
  } else if constexpr (Check::kMapPass) {
    if constexpr (Check::kExpDim != 0) {
      const Shape<dim> eshape = expr::ShapeCheck<dim, E>::Check(exp.self());
      const Shape<dim> dshape = expr::ShapeCheck<dim, R>::Check(dst->self());
      if (!MSHADOW_LIKELY(eshape == dshape)) {
        detail::ThrowAssignMismatch(eshape, dshape);
      }
    }
    constexpr bool kDescribed = Device::kDevCPU && expr::detail::IsDescribed<R, E, Saver>();
    if constexpr (kDescribed) {
      if constexpr (!expr::detail::Described<E>::kFirst) {
        return detail::MapDescribed<Saver, dim, DType>(dst->ptrself(), exp.self());
      }
    }
    using Memory = std::conditional_t<expr::detail::DescribesFirst<R, E, Saver>(),
                                      expr::detail::StatementMemory<Device>,
                                      expr::detail::MemoryFor<Device, etype>>;
    Memory memory(expr::StreamInfo<Device, R>::Get(dst->self()));
    if constexpr (Device::kDevCPU && expr::detail::HasRowStages<E>::value) {
      [[maybe_unused]] const bool is_stage =
          expr::detail::AddRowStages<DType>(dst->self(), exp.self(), &memory);
      using Shared = std::conditional_t<std::is_same_v<Saver, sv::saveto>,
                                        expr::detail::SharedOperandOf<E, R, DType>, void>;
      if constexpr (!std::is_void_v<Shared>) {
        const auto rest = expr::detail::ComputeShared<Shared, DType>(exp.self(), dst->self(),
                                                                     is_stage, &memory);
        if (memory.HasStages() &&
            !expr::detail::AddRowStages<DType>(dst->self(), rest, &memory, true)) {
          memory.FinishStages();
        }
        return detail::MapAfter<Saver>(dst, rest, &memory);
      } else {
        return detail::MapAfter<Saver>(dst, exp.self(), &memory);
      }
    } else {
      if constexpr (!Device::kDevCPU && etype >= expr::type::kChainer &&
                    detail::HasMapRows<Device, Saver, DType, R, E, decltype(memory)>::value) {
        if (Executor<Device>::template MapRows<Saver, DType>(dst->self(), exp.self(), &memory)) {
          return;
        }
      }
      if constexpr (etype == expr::type::kComplex && std::is_same_v<Saver, sv::saveto> &&
                    std::is_same_v<R, Tensor<Device, dim, DType>>) {
        if (!detail::ReadsTarget<true>(exp.self(), dst->self(), false)) {
          expr::detail::OfferTarget(exp.self(), dst->self(), &memory);
        }
      }
      if constexpr (kDescribed) {
        detail::MapDescribed<Saver, dim, DType>(dst->ptrself(), exp.self());
      } else {
        const expr::WholePlanOf<E> plan = expr::MakeWholePlan(exp.self());
        detail::MapWhole<Saver>(dst, exp.self(), plan);
      }
    }
  }
}

namespace expr {

template <typename Saver, typename Container, typename DType>
struct ExpEngine {
  template <typename E, int etype>
  MSHADOW_FORCE_INLINE static void Eval(Container* dst, const Exp<E, DType, etype>& exp) {
    if constexpr (etype == type::kComplex || detail::ComputesItself<E>::value) {
      ExpComplexEngine<Saver, Container, E, DType>::Eval(dst, exp.self());
    } else {
      MapExp<Saver>(dst, exp);
    }
  }
};

template <typename Saver, typename Container, typename E, typename DType>
struct ExpComplexEngine {
  /// Operands that are not computed element by element are computed first, all else in one loop.
  static void Eval(Container* dst, const E& exp) { MapExp<Saver>(dst, exp); }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_ENGINE_H_
