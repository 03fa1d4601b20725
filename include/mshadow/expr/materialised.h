// SPDX-License-Identifier: Apache-2.0
// Operands that are computed into memory before the statement: products, reductions, running sums,
// of which one element takes as long as many, and which the rest of the statement may ask for more
// than once.
#ifndef MSHADOW_EXPR_MATERIALISED_H_
#define MSHADOW_EXPR_MATERIALISED_H_

#include <type_traits>
#include <utility>

#include "../core/has_member.h"
#include "../core/shared.h"
#include "operand_memory.h"
#include "plan/plan.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN

template <typename Saver, typename R, int dim, typename DType, typename PlanType, typename Device>
inline void MapPlan(TRValue<R, Device, dim, DType>* dst, const PlanType& plan);

namespace expr {

namespace detail {
template <typename E, typename DType, int etype>
DType DTypeOf(const Exp<E, DType, etype>&);
template <typename E>
using ElementOfExp = decltype(detail::DTypeOf(std::declval<const E&>()));

/// True if ExpComplexEngine computes `dst = e` though E is not of kind kComplex: it says
/// kComputesItself.
template <typename E, typename = void>
struct ComputesItself : std::false_type {};
template <typename E>
struct ComputesItself<E, std::enable_if_t<E::kComputesItself>> : std::true_type {};
/// Calls f(operand) for the operands of e that are of kind kComplex and that the statement asks for
/// the element at hand alone.
template <typename E, typename DType, int etype, typename F>
inline void ForEachComplex([[maybe_unused]] const Exp<E, DType, etype>& e,
                           [[maybe_unused]] const F& f) {
  if constexpr (etype != type::kComplex) {
  } else if constexpr (HasOperands<E>::value) {
    e.self().ForEachOperand([&f](const auto& operand) { ForEachComplex(operand, f); });
  } else {
    f(e.self());
  }
}

template <typename E, typename DType>
class MaterialisedPlan;
/// True if the operand E is computed into memory before the statement.
template <typename E>
inline constexpr bool kIsMaterialised =
    std::is_base_of_v<MaterialisedPlan<E, ElementOfExp<E>>, PlanOf<E>>;

/// Lets the first such operand of e that is a Tensor like dst be computed into dst, which e does
/// not read. Not one that occurs twice: it is computed once, into memory of its own.
template <typename E, typename R>
inline void OfferTarget(const E& e, const R& dst, OperandMemory<DeviceOf<R>>* memory) {
  OperandId first = {nullptr, nullptr};
  bool twice = false;
  ForEachComplex(e, [&](const auto& operand) {
    using Operand = std::decay_t<decltype(operand)>;
    if constexpr (kIsMaterialised<Operand> &&
                  std::is_same_v<MaterialisedTensor<Operand, ElementOfExp<Operand>>, R>) {
      if (first.address == nullptr) {
        first = IdOf(operand);
      } else if (first.type == &kTypeOf<Operand>) {
        twice = twice || IsSame(*static_cast<const Operand*>(first.address), operand);
      }
    }
  });
  if (first.address != nullptr && !twice) memory->Offer(first, &dst);
}

/// What keeps the operands of a plan that is made outside of a statement. On a GPU it may not: the
/// plan is copied to a kernel, which gives nothing back.
template <typename Device, bool kKeeps = std::is_same_v<Device, cpu>>
struct PlanMemory {};
/// Copies of a plan share the memory.
template <typename Device>
class PlanMemory<Device, true> {
 public:
  OperandMemory<Device>* Make() {
    shared_ = Shared<OperandMemory<Device>>::Make(nullptr);
    return shared_.get();
  }

 private:
  Shared<OperandMemory<Device>> shared_;
};

/// Computes *target = e.
template <typename E, typename DType>
void Materialise(const E& e, MaterialisedTensor<E, DType>* target);

/// e, an operand of a statement that has begun, in memory.
template <typename DType, typename E>
MSHADOW_NOINLINE MaterialisedTensor<E, DType> InMemory(const E& e,
                                                       OperandMemory<DeviceOf<E>>* memory) {
  return memory->template Find<E, DType>(
      e, [&e](MaterialisedTensor<E, DType>* target) { Materialise<E, DType>(e, target); });
}

/// The plan of e, an operand, which is computed into memory when the plan is made.
template <typename E, typename DType>
class MaterialisedPlan : private PlanMemory<DeviceOf<E>>,
                         public Plan<MaterialisedTensor<E, DType>, DType> {
  using Device = DeviceOf<E>;
  using Target = MaterialisedTensor<E, DType>;

 public:
  explicit MaterialisedPlan(const E& e) : Plan<Target, DType>(Computed(this, e)) {}

 private:
  static Target Computed([[maybe_unused]] PlanMemory<Device>* own, const E& e) {
    OperandMemory<Device>* memory = StatementMemory<Device>::Current();
    if constexpr (std::is_same_v<Device, cpu>) {
      if (memory == nullptr) memory = own->Make();
    } else {
      MSHADOW_CHECK(memory != nullptr)
          << "MakePlan: an operand of shape " << ShapeCheck<ExpInfo<E>::kDim, E>::Check(e)
          << " is computed into memory of its own, which a statement gives back when it has run; "
          << "there is none";
    }
    return InMemory<DType>(e, memory);
  }
};

}  // namespace detail

/// The base of Plan<E, DType> where Direct computes an element of E whenever it is asked for: good
/// for a whole statement, which asks once. As an operand E is computed into memory.
template <typename Direct, typename E, typename DType>
class OperandPlan : public detail::MaterialisedPlan<E, DType> {
 public:
  using DirectPlan = Direct;
  explicit OperandPlan(const E& e) : detail::MaterialisedPlan<E, DType>(e) {}
};

namespace detail {
MSHADOW_MEMBER_TYPE_OR_(WholePlan, DirectPlan, T)
}  // namespace detail

/// The plan of a whole statement's expression, which is asked for each element once.
template <typename E>
using WholePlanOf = typename detail::WholePlan<PlanOf<E>>::Type;
template <typename E>
inline constexpr bool kHasDirectPlan = !std::is_same_v<WholePlanOf<E>, PlanOf<E>>;
template <typename E>
inline WholePlanOf<E> MakeWholePlan(const E& e) {
  if constexpr (kHasDirectPlan<E>) {
    return WholePlanOf<E>(e);
  } else {
    return MakePlan(e);
  }
}

namespace detail {

/// What is element-wise, or computed by a plan of its own.
template <typename E, typename DType>
struct Stage<E, DType,
             std::enable_if_t<(ExpInfo<E>::kDevMask & cpu::kDevMask) != 0 &&
                              (HasOperands<E>::value || kHasDirectPlan<E>)>> {
  static constexpr bool kExists = true;
  Stage(const E& e, const MaterialisedTensor<E, DType>& target, const RowParts& parts)
      : target_(MakePlan(target)),
        plan_(MakeWholePlan(e)),
        parts_(OnDevice::template PartsOf<sv::saveto, DType>(
            target_, plan_, target.shape_.FlatTo2D(),
            static_cast<std::ptrdiff_t>(target.shape_.Size()) == parts.count
                ? RowParts{parts.count, 1}
                : parts)) {}
  Stage(const Stage&) = delete;
  bool ok() const { return parts_.ok(); }
  void Compute(std::ptrdiff_t begin, std::ptrdiff_t end) const { parts_.Run(begin, end); }

 private:
  using OnDevice = Executor<DeviceOf<E>>;
  const PlanOf<MaterialisedTensor<E, DType>> target_;
  const WholePlanOf<E> plan_;
  const typename OnDevice::Parts parts_;
};

template <typename E, typename DType>
void Materialise(const E& e, MaterialisedTensor<E, DType>* target) {
  if constexpr (kHasDirectPlan<E>) {
    mshadow::MapPlan<sv::saveto>(target, WholePlanOf<E>(e));
  } else {
    ExpEngine<sv::saveto, MaterialisedTensor<E, DType>, DType>::Eval(target, e);
  }
}
}  // namespace detail

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_MATERIALISED_H_
