// SPDX-License-Identifier: Apache-2.0
// Operands that are computed into memory before the statement: products, reductions, running sums,
// of which one element takes as long as many, and which the rest of the statement may ask for more
// than once.
#ifndef MSHADOW_EXPR_MATERIALISED_H_
#define MSHADOW_EXPR_MATERIALISED_H_

#include <cstring>
#include <memory>
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

/// The device whose tensors alone have the bit `mask`.
template <int mask>
struct DeviceOfMask {
  using Type = std::conditional_t<(mask & cpu::kDevMask) != 0, cpu, gpu>;
};

namespace detail {

template <typename E>
using DeviceOf = typename DeviceOfMask<ExpInfo<E>::kDevMask>::Type;
template <typename E, typename DType>
using MaterialisedTensor = Tensor<DeviceOf<E>, ExpInfo<E>::kDim, DType>;

/// Its address stands for the type E.
template <typename E>
inline constexpr char kTypeOf = 0;
/// True if a and b are the same expression of the same memory. May be false where they are: what
/// lies between members need not be the same.
template <typename E>
inline bool IsSame([[maybe_unused]] const E& a, [[maybe_unused]] const E& b) {
  if constexpr (std::is_trivially_copyable_v<E>) {
    return std::memcmp(&a, &b, sizeof(E)) == 0;
  } else {
    return false;
  }
}

template <typename E, typename DType, int etype>
DType DTypeOf(const Exp<E, DType, etype>&);
template <typename E>
using ElementOfExp = decltype(detail::DTypeOf(std::declval<const E&>()));

template <typename E, typename = void>
struct HasOperands : std::false_type {};
template <typename E>
struct HasOperands<E, std::void_t<decltype(std::declval<const E&>().ForEachOperand(
                          std::declval<void (*)(...)>()))>> : std::true_type {};

/// Operands that were computed into memory, each once.
template <typename Device>
class OperandMemory {
 public:
  /// What is in `outer` is not computed again.
  explicit OperandMemory(Stream<Device>* stream, const OperandMemory* outer = nullptr)
      : outer_(outer), stream_(stream) {}
  ~OperandMemory() {
    if (last_ != nullptr) GiveBack();
  }
  OperandMemory(const OperandMemory&) = delete;
  OperandMemory& operator=(const OperandMemory&) = delete;

  /// The operand at the address `operand` may be computed into *dst, a tensor of its type and shape.
  void Offer(const void* operand, const void* dst) {
    offered_ = operand;
    dst_ = dst;
  }
  /// The address of that operand; null if there is none.
  const void* offered() const { return offered_; }

  /// e, computed by compute(&tensor) unless it was already.
  template <typename E, typename DType, typename F>
  MaterialisedTensor<E, DType> Find(const E& e, const F& compute) {
    using Target = MaterialisedTensor<E, DType>;
    if (offered_ == &e) {
      Target target = *static_cast<const Target*>(dst_);
      compute(&target);
      return target;
    }
    for (const OperandMemory* memory = this; memory != nullptr; memory = memory->outer_) {
      for (const Node* node = memory->last_; node != nullptr; node = node->before) {
        if (node->type != &kTypeOf<E>) continue;
        const auto* const same = static_cast<const NodeOf<E, DType>*>(node);
        if (IsSame(same->exp, e)) return same->tensor;
      }
    }
    auto* const node = new NodeOf<E, DType>(e, stream_);
    node->before = last_;
    last_ = node;
    compute(&node->tensor);
    node->type = &kTypeOf<E>;  // now it may be found
    return node->tensor;
  }

 private:
  struct Node {
    virtual ~Node() = default;
    // On the host, whose back end is known when a statement is compiled.
    using Host = DeviceApi<std::enable_if_t<sizeof(Device) != 0, cpu>>;
    static void* operator new(std::size_t bytes) { return Host::AllocTemporary(bytes, nullptr); }
    static void operator delete(void* memory) { Host::FreeTemporary(memory, nullptr); }
    const Node* before = nullptr;
    const void* type = nullptr;
  };
  template <typename E, typename DType>
  struct NodeOf : Node {
    NodeOf(const E& e, Stream<Device>* stream)
        : exp(e),
          temporary(ShapeCheck<ExpInfo<E>::kDim, E>::Check(e), stream),
          tensor(temporary.tensor()) {}
    const E exp;
    mshadow::detail::Temporary<Device, ExpInfo<E>::kDim, DType> temporary;
    MaterialisedTensor<E, DType> tensor;
  };
  MSHADOW_NOINLINE void GiveBack() {
    while (last_ != nullptr) {
      const Node* const node = last_;
      last_ = node->before;
      delete node;
    }
  }

  const OperandMemory* const outer_;
  Stream<Device>* const stream_;
  const Node* last_ = nullptr;
  const void* offered_ = nullptr;
  const void* dst_ = nullptr;
};

/// The memory of the operands of a statement: exists while its plans are made and run.
template <typename Device>
class StatementMemory : public OperandMemory<Device> {
 public:
  explicit StatementMemory(Stream<Device>* stream)
      : OperandMemory<Device>(stream, Current()), outer_(Current()) {
    Current() = this;
  }
  ~StatementMemory() { Current() = outer_; }

  /// That of the innermost statement that this thread runs; null outside of statements.
  static StatementMemory*& Current() {
    static thread_local StatementMemory* current = nullptr;
    return current;
  }

 private:
  StatementMemory* const outer_;
};

/// For a statement on Device of an expression of kind etype. What is element-wise and no more has no
/// operands that are computed first: on the CPU, where it matters, nothing is done for it.
struct NoMemory {
  explicit NoMemory(Stream<cpu>*) {}
};
template <typename Device, int etype>
using MemoryFor = std::conditional_t<Device::kDevCPU && (etype & ~type::kMapper) == 0, NoMemory,
                                     StatementMemory<Device>>;

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

/// Lets the first such operand of e that is a Tensor like dst be computed into dst, which e does not
/// read. Not one that occurs twice: it is computed once, into memory of its own.
template <typename E, typename R>
inline void OfferTarget(const E& e, const R& dst, OperandMemory<DeviceOf<R>>* memory) {
  const void* first = nullptr;
  const void* type = nullptr;
  bool twice = false;
  ForEachComplex(e, [&](const auto& operand) {
    using Operand = std::decay_t<decltype(operand)>;
    if constexpr (std::is_same_v<MaterialisedTensor<Operand, ElementOfExp<Operand>>, R>) {
      if (first == nullptr) {
        first = &operand;
        type = &kTypeOf<Operand>;
      } else if (type == &kTypeOf<Operand>) {
        twice = twice || IsSame(*static_cast<const Operand*>(first), operand);
      }
    }
  });
  if (first != nullptr && !twice) memory->Offer(first, &dst);
}

/// What keeps the operands of a plan that is made outside of a statement. On a GPU it may not: the
/// plan is copied to a kernel, which gives nothing back.
template <typename Device>
struct PlanMemory {};
template <>
struct PlanMemory<cpu> {
  std::shared_ptr<OperandMemory<cpu>> memory_;
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
      if (memory == nullptr) {
        own->memory_ = std::make_shared<OperandMemory<cpu>>(nullptr);
        memory = own->memory_.get();
      }
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
