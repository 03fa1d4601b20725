// SPDX-License-Identifier: Apache-2.0
// OperandMemory, StatementMemory: where the operands of a statement are that are computed first, as
// a whole or part by part: Stage.
#ifndef MSHADOW_EXPR_OPERAND_MEMORY_H_
#define MSHADOW_EXPR_OPERAND_MEMORY_H_

#include <cstddef>
#include <type_traits>

#include "plan/plan.h"
#include "traits.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {
/// Scratch memory on a device, laid out as a tensor without padding. Defined with the tensor
/// (tensor/memory.h), found when a statement is instantiated.
template <typename Device, int dim, typename DType>
class Temporary;
}  // namespace detail

namespace expr {

/// The device whose tensors have the bits `mask`.
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
/// An operand of a statement. A node and its first operand have one address, but two types. Without
/// initialisers: a small statement is short, and would clear an array of them.
struct OperandId {
  const void* address;
  const void* type;
  bool operator==(const OperandId& other) const {
    return address == other.address && type == other.type;
  }
};
template <typename E>
inline OperandId IdOf(const E& e) {
  return {&e, &kTypeOf<E>};
}
/// How the elements of a statement are divided: into `outer` equal ranges in their order, each into
/// `count` pieces. Part i is piece i of every range.
struct RowParts {
  std::ptrdiff_t count = 0, outer = 1;
  bool operator==(const RowParts& other) const {
    return count == other.count && outer == other.outer;
  }
};
/// How the operand E is computed part by part of rows, if it can be:
///   static constexpr bool kExists
///   Stage(const E& e, const MaterialisedTensor<E, DType>& target, const RowParts& parts)
///       makes plans; what has one element a part is divided into `parts.count` elements
///   bool ok() const                                                false: not in so many
///   void Compute(std::ptrdiff_t begin, std::ptrdiff_t end) const   parts [begin, end)
///   using Partner                                             optional: p, which it gives as well:
///   static bool IsPartner(const E& e, const Partner& p)       true if it does
///   void ComputePartner(DType* target)                        p into what begins at `target`
template <typename E, typename DType, typename = void>
struct Stage {
  static constexpr bool kExists = false;
};
template <typename S, typename = void>
struct HasPartner : std::false_type {};
template <typename S>
struct HasPartner<S, std::void_t<typename S::Partner>> : std::true_type {};

/// Operands that were computed into memory, each once; or that are to be, part by part of the rows
/// of the statement: its stages.
template <typename Device>
class OperandMemory {
 public:
  /// What is in `outer` is not computed again.
  explicit OperandMemory(Stream<Device>* stream, OperandMemory* outer = nullptr)
      : outer_(outer), stream_(stream) {}
  ~OperandMemory() {
    if (last_ != nullptr) GiveBack();
  }
  OperandMemory(const OperandMemory&) = delete;
  OperandMemory& operator=(const OperandMemory&) = delete;

  /// `operand` may be computed into *dst, a tensor of its type and shape.
  void Offer(const OperandId& operand, const void* dst) {
    offered_ = operand;
    dst_ = dst;
  }
  /// That operand; without an address if there is none.
  const OperandId& offered() const { return offered_; }

  /// `operand` is not to be computed when plans are made, but as a stage, in `parts`. False:
  /// there are enough, or some of other parts.
  bool AddStage(const OperandId& operand, const RowParts& parts) {
    if (places_ == kMaxStages || (HasStages() && !(parts == parts_))) return false;
    place_[places_++] = operand;
    parts_ = parts;
    return true;
  }
  /// True if `operand` is, or will be, a stage.
  bool IsStage(const OperandId& operand) const {
    for (int i = 0; i < places_; ++i) {
      if (place_[i] == operand) return true;
    }
    return false;
  }
  void ForgetStages() { places_ = 0; }
  /// True if there are stages to compute.
  bool HasStages() const { return stages_ != 0; }
  const RowParts& parts() const { return parts_; }
  /// Computes parts [begin, end) of all stages.
  void ComputeStages(std::ptrdiff_t begin, std::ptrdiff_t end) const {
    for (int i = 0; i < stages_; ++i) stage_[i]->Compute(begin, end);
  }
  /// Computes all of them as a whole.
  MSHADOW_NOINLINE void FinishStages() {
    ComputeStages(0, parts_.count);
    stages_ = 0;
  }

  /// e, computed by compute(&tensor) unless it was already, or is a stage.
  template <typename E, typename DType, typename F>
  MaterialisedTensor<E, DType> Find(const E& e, const F& compute) {
    using Target = MaterialisedTensor<E, DType>;
    if (offered_ == IdOf(e)) {
      Target target = *static_cast<const Target*>(dst_);
      compute(&target);
      return target;
    }
    const bool is_stage = IsStage(IdOf(e));
    const auto is_same = [](const Node* node, const void* other) {
      return IsSame(static_cast<const NodeOf<E, DType>*>(node)->exp,
                    *static_cast<const E*>(other));
    };
    if (const Node* const same = Search(&kTypeOf<E>, &e, is_stage, is_same)) {
      return static_cast<const NodeOf<E, DType>*>(same)->tensor;
    }
    if constexpr (Stage<E, DType>::kExists) {
      if (is_stage && stages_ < kMaxStages) {
        auto* const stage = new StageOf<E, DType>(e, stream_, parts_);
        if (stage->stage.ok() && SharesStage(stage)) return Add<E>(stage)->tensor;
        if (AddStageNode(stage, stage->stage.ok(), &kTypeOf<E>)) return stage->tensor;
      }
    }
    auto* const node = new NodeOf<E, DType>(e, stream_);
    Add<void>(node);  // not to be found before it is computed
    compute(&node->tensor);
    node->type = &kTypeOf<E>;
    return node->tensor;
  }

  /// The memory of e, a stage that a kernel of the statement computes. False in *is_new: that of an
  /// equal one. Only stages find it.
  template <typename E, typename DType>
  MaterialisedTensor<E, DType> Reserve(const E& e, bool* is_new) {
    const Node* const last = last_;
    const auto tensor = Find<E, DType>(e, [](const void*) {});
    *is_new = last_ != last;
    if (*is_new) last_->is_reserved = true;
    return tensor;
  }

  /// A copy of `plan` that lives as long as the statement.
  template <typename P>
  const P& Keep(const P& plan) {
    return Add<void>(new PlanNode<P>(plan))->plan;
  }

  /// Computes e into `target`, which it may read: by compute(&target), or as a stage. What was
  /// computed before is not found any more.
  template <typename E, typename DType, typename F>
  void Write(const E& e, MaterialisedTensor<E, DType> target, const F& compute) {
    bool done = false;
    if (IsStage(IdOf(e)) && stages_ < kMaxStages) {
      auto* const writer = new WriterOf<E, DType>(e, target, parts_);
      done = AddStageNode(writer, writer->stage.ok(), &kTypeOf<void>);
    }
    if (!done) compute(&target);
    hidden_ = last_;
  }

 private:
  static constexpr int kMaxStages = 16;
  struct Node {
    virtual ~Node() = default;
    /// Computes parts [begin, end) of a stage.
    virtual void Compute(std::ptrdiff_t, std::ptrdiff_t) const {}
    /// Computes the operand of `other` as well, from now on. False: cannot.
    virtual bool Takes(const Node& /*other*/) { return false; }
    // On the host, whose back end is known when a statement is compiled.
    using Host = DeviceApi<std::enable_if_t<sizeof(Device) != 0, cpu>>;
    static void* operator new(std::size_t bytes) { return Host::AllocTemporary(bytes, nullptr); }
    static void operator delete(void* memory) { Host::FreeTemporary(memory, nullptr); }
    Node* before = nullptr;
    const void* type = nullptr;
    bool is_reserved = false;
  };
  template <typename P>
  struct PlanNode : Node {
    explicit PlanNode(const P& p) : plan(p) {}
    const P plan;
  };
  template <typename E, typename DType>
  struct NodeOf : Node {
    MSHADOW_NOINLINE NodeOf(const E& e, Stream<Device>* stream)
        : exp(e),
          temporary(ShapeCheck<ExpInfo<E>::kDim, E>::Check(e), stream),
          tensor(temporary.tensor()) {}
    const E exp;
    mshadow::detail::Temporary<Device, ExpInfo<E>::kDim, DType> temporary;
    MaterialisedTensor<E, DType> tensor;
  };
  template <typename E, typename DType>
  struct StageOf : NodeOf<E, DType> {
    // The stages that it reads are added when it is made, before it.
    StageOf(const E& e, Stream<Device>* stream, const RowParts& parts)
        : NodeOf<E, DType>(e, stream), stage(e, this->tensor, parts) {
      this->type = &kTypeOf<E>;
    }
    bool Takes(const Node& other) override {
      if constexpr (HasPartner<Stage<E, DType>>::value) {
        using Partner = typename Stage<E, DType>::Partner;
        if (other.type != &kTypeOf<Partner>) return false;
        const auto& partner = static_cast<const NodeOf<Partner, DType>&>(other);
        if (!Stage<E, DType>::IsPartner(this->exp, partner.exp)) return false;
        stage.ComputePartner(partner.tensor.dptr_);
        return true;
      } else {
        return Node::Takes(other);
      }
    }
    void Compute(std::ptrdiff_t begin, std::ptrdiff_t end) const override {
      stage.Compute(begin, end);
    }
    Stage<E, DType> stage;
  };
  /// True if `stage` and an earlier one are now one stage, in the place of the earlier one.
  bool SharesStage(Node* stage) {
    for (int i = 0; i < stages_; ++i) {
      if (stage_[i]->Takes(*stage)) return true;
      if (stage->Takes(*stage_[i])) {
        stage_[i] = stage;
        return true;
      }
    }
    return false;
  }

  template <typename E, typename DType>
  struct WriterOf : Node {
    WriterOf(const E& e, const MaterialisedTensor<E, DType>& target, const RowParts& parts)
        : stage(e, target, parts) {}
    void Compute(std::ptrdiff_t begin, std::ptrdiff_t end) const override {
      stage.Compute(begin, end);
    }
    const Stage<E, DType> stage;
  };

  /// The node of `type` that is_same as `e`; null if there is none. Stages that it may read are
  /// computed first.
  MSHADOW_NOINLINE const Node* Search(const void* type, const void* e, bool is_stage,
                                      bool (*is_same)(const Node*, const void*)) {
    for (OperandMemory* memory = this; memory != nullptr; memory = memory->outer_) {
      const bool own_stage = is_stage && memory == this;
      for (const Node* node = memory->last_; node != memory->hidden_; node = node->before) {
        if (node->type != type || (node->is_reserved && !own_stage)) continue;
        if (!is_same(node, e)) continue;
        if (!own_stage && memory->HasStages()) memory->FinishStages();
        return node;
      }
    }
    return nullptr;
  }
  /// Adds the node of a stage. False, as `ok` is: it is not one of so many parts; no stages are
  /// left.
  MSHADOW_NOINLINE bool AddStageNode(Node* node, bool ok, const void* type) {
    if (ok) {
      stage_[stages_++] = node;
      Put(node, type);
      return true;
    }
    delete node;
    ForgetStages();
    FinishStages();
    return false;
  }
  /// Puts `node` at the end of all, where it is found as an E.
  template <typename E, typename N>
  N* Add(N* node) {
    Put(node, &kTypeOf<E>);
    return node;
  }
  void Put(Node* node, const void* type) {
    node->before = last_;
    node->type = type;
    last_ = node;
  }
  MSHADOW_NOINLINE void GiveBack() {
    while (last_ != nullptr) {
      Node* const node = last_;
      last_ = node->before;
      delete node;
    }
  }

  OperandMemory* const outer_;
  Stream<Device>* const stream_;
  Node* last_ = nullptr;
  const Node* hidden_ = nullptr;  // this and those before it are not to be found
  OperandId offered_ = {nullptr, nullptr};
  const void* dst_ = nullptr;
  int places_ = 0;  // operands that are stages
  int stages_ = 0;  // nodes, in the order of computation
  RowParts parts_;
  OperandId place_[kMaxStages];
  Node* stage_[kMaxStages];
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

/// For a statement on Device of an expression of kind etype. What is element-wise and no more has
/// no operands that are computed first: on the CPU, where it matters, nothing is done for it.
struct NoMemory {
  explicit NoMemory(Stream<cpu>*) {}
};
template <typename Device, int etype>
using MemoryFor = std::conditional_t<Device::kDevCPU && (etype & ~type::kMapper) == 0, NoMemory,
                                     StatementMemory<Device>>;

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_OPERAND_MEMORY_H_
