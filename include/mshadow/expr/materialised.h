// SPDX-License-Identifier: Apache-2.0
// Operands that are computed into memory of their own before the statement, on devices whose
// threads compute single elements: a GPU, where an element of running sums or of a reduction takes
// as long as the elements that are added up.
#ifndef MSHADOW_EXPR_MATERIALISED_H_
#define MSHADOW_EXPR_MATERIALISED_H_

#include <type_traits>

#include "plan.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN

template <typename Saver, typename R, int dim, typename DType, typename PlanType, typename Device>
inline void MapPlan(TRValue<R, Device, dim, DType>* dst, const PlanType& plan);

namespace detail {
template <typename Device, int dim, typename DType>
class Temporary;
}  // namespace detail

namespace expr {

/// The device whose tensors alone have the bit `mask`; not of the CPU.
template <int mask>
struct DeviceOfMask {
  using Type = gpu;
};

namespace detail {

/// The tensors that operands of a statement are computed into: exists while plans are made and run.
/// None on the CPU.
template <typename Device, bool kOnHost = Device::kDevCPU>
class OperandMemory {
 public:
  explicit OperandMemory(Stream<Device>* stream) : outer_(Current()), stream_(stream) {
    Current() = this;
  }
  ~OperandMemory() {
    Current() = outer_;
    while (last_ != nullptr) {
      const Node* const node = last_;
      last_ = node->before;
      delete node;
    }
  }
  OperandMemory(const OperandMemory&) = delete;
  OperandMemory& operator=(const OperandMemory&) = delete;

  /// A tensor that lives as long as the statement at hand.
  template <int dim, typename DType>
  static Tensor<Device, dim, DType>& New(const Shape<dim>& shape) {
    OperandMemory* const memory = Current();
    MSHADOW_CHECK(memory != nullptr)
        << "MakePlan: an operand of shape " << shape << " is computed into memory of its own, "
        << "which a statement gives back when it has run; there is none";
    auto* const node = new NodeOf<dim, DType>(shape, memory->stream_);
    node->before = memory->last_;
    memory->last_ = node;
    return node->temporary.tensor();
  }

 private:
  struct Node {
    virtual ~Node() = default;
    Node* before = nullptr;
  };
  template <int dim, typename DType>
  struct NodeOf : Node {
    NodeOf(const Shape<dim>& shape, Stream<Device>* stream) : temporary(shape, stream) {}
    mshadow::detail::Temporary<Device, dim, DType> temporary;
  };
  static OperandMemory*& Current() {
    static thread_local OperandMemory* current = nullptr;
    return current;
  }

  OperandMemory* const outer_;
  Stream<Device>* const stream_;
  Node* last_ = nullptr;
};
template <typename Device>
class OperandMemory<Device, true> {
 public:
  explicit OperandMemory(Stream<Device>*) {}
};

template <typename E>
using DeviceOf = typename DeviceOfMask<ExpInfo<E>::kDevMask>::Type;

/// The plan of e, an operand, after Direct(e) was computed into memory.
template <typename Direct, typename E, typename DType>
class MaterialisedPlan : public Plan<Tensor<DeviceOf<E>, ExpInfo<E>::kDim, DType>, DType> {
  using Target = Tensor<DeviceOf<E>, ExpInfo<E>::kDim, DType>;

 public:
  explicit MaterialisedPlan(const E& e) : Plan<Target, DType>(Computed(e)) {}

 private:
  static const Target& Computed(const E& e) {
    constexpr int kDim = ExpInfo<E>::kDim;
    Target& target = OperandMemory<DeviceOf<E>>::template New<kDim, DType>(
        ShapeCheck<kDim, E>::Check(e));
    mshadow::MapPlan<sv::saveto>(&target, Direct(e));
    return target;
  }
};

template <typename E>
inline constexpr bool kOnHost = (ExpInfo<E>::kDevMask & cpu::kDevMask) != 0;

}  // namespace detail

/// The base of Plan<E, DType>, where Direct is what computes an element of E anew whenever it is
/// asked for: Direct itself on the CPU, which has other means.
template <typename Direct, typename E, typename DType>
class OperandPlan
    : public std::conditional_t<detail::kOnHost<E>, Direct,
                                detail::MaterialisedPlan<Direct, E, DType>> {
  using Base = std::conditional_t<detail::kOnHost<E>, Direct,
                                  detail::MaterialisedPlan<Direct, E, DType>>;

 public:
  using DirectPlan = Direct;
  explicit OperandPlan(const E& e) : Base(e) {}
};

namespace detail {
template <typename P, typename = void>
struct WholePlan {
  using Type = P;
};
template <typename P>
struct WholePlan<P, std::void_t<typename P::DirectPlan>> {
  using Type = typename P::DirectPlan;
};
}  // namespace detail

/// The plan of a whole statement's expression, which is asked for each element once.
template <typename E>
using WholePlanOf = typename detail::WholePlan<PlanOf<E>>::Type;
template <typename E>
inline WholePlanOf<E> MakeWholePlan(const E& e) {
  if constexpr (std::is_same_v<WholePlanOf<E>, PlanOf<E>>) {
    return MakePlan(e);
  } else {
    return WholePlanOf<E>(e);
  }
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_MATERIALISED_H_
