// SPDX-License-Identifier: Apache-2.0
// describe: what a statement would run, as a few lines of text.
#ifndef MSHADOW_TENSOR_DESCRIBE_H_
#define MSHADOW_TENSOR_DESCRIBE_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "type_name.h"
#include "view.h"
#include "../expr/aligned.h"
#include "../expr/call.h"
#include "../expr/fuse.h"
#include "../expr/stream_of.h"
#include "../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// "1.5 MB"
inline std::string BytesText(double bytes) {
  const char* const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g %s", bytes, units[unit]);
  return text;
}

/// What a node is called in formulas: its function, or itself.
template <typename E, typename = void>
struct NamedType {
  using Type = E;
};
template <typename E>
struct NamedType<E, std::void_t<typename E::Function>> {
  using Type = typename E::Function;
};

/// Reads a statement and writes its description, a line at a time.
class Describer {
 public:
  /// The description of `dst Saver= exp`.
  template <typename Saver, typename R, typename Device, int dim, typename DType, typename E,
            int etype>
  std::string Statement(const TRValue<R, Device, dim, DType>& target,
                        const expr::Exp<E, DType, etype>& exp) {
    const R& dst = target.self();
    const E& e = exp.self();
    const Shape<dim> shape = expr::ShapeCheck<dim, R>::Check(dst);
    if constexpr (expr::ExpInfo<E>::kDim != 0) {
      const Shape<dim> eshape = expr::ShapeCheck<dim, E>::Check(e);
      if (eshape != shape) ThrowAssignMismatch(eshape, shape);
    }
    constexpr bool kSaves = std::is_same_v<Saver, sv::saveto>;
    use_ = kSaves ? kWrites : kUpdates;
    left_ = Formula(dst);
    use_ = kReads;
    if constexpr (Device::kDevCPU && expr::detail::HasRowStages<E>::value) {
      return InStages<Saver, DType>(dst, e);
    } else {
      expr::detail::OperandMemory<Device> memory(nullptr);
      if constexpr (etype == expr::type::kComplex && kSaves &&
                    std::is_same_v<R, Tensor<Device, dim, DType>>) {
        if (!ReadsTarget<true>(e, dst, false)) expr::detail::OfferTarget(e, dst, &memory);
        in_place_ = memory.offered();
      }
      return Text<Saver>(target, exp);
    }
  }

 private:
  /// The description of a statement whose reductions may be stages of it.
  template <typename Saver, typename DType, typename R, typename E>
  std::string InStages(const R& dst, const E& e) {
    using namespace expr::detail;
    OperandMemory<cpu> memory(nullptr);
    using Shared = std::conditional_t<std::is_same_v<Saver, sv::saveto>,
                                      SharedOperandOf<E, R, DType>, void>;
    if constexpr (std::is_void_v<Shared>) {
      if (AddRowStages<DType>(dst, e, &memory) && !ReadsTarget<false>(e, dst, true)) {
        stages_ = &memory;
      }
      return Text<Saver>(dst, e);
    } else {
      const auto replaced = [&](const auto& name) {
        return Replaced<Shared>(e, [&](const Shared& operand) {
          R tensor = dst;
          tensor.dptr_ = reinterpret_cast<DType*>(kNames + 64 * named_.size());
          named_.push_back(name(operand));
          return tensor;
        });
      };
      const auto dry = replaced([](const Shared&) { return ""; });
      named_.clear();
      if (AddRowStages<DType>(dst, e, &memory) &&
          AddRowStages<DType>(dst, dry, &memory, true) && !ReadsTarget<false>(dry, dst, true)) {
        AddRowStages<DType>(dst, e, &memory);
        stages_ = &memory;
      }
      const Shared* first = nullptr;
      ForEachOf<Shared>(e, [&](const Shared& operand) {
        if (first == nullptr) first = &operand;
        if (stages_ != nullptr) memory.AddStage(IdOf(operand), memory.parts());
      });
      if (!ReadsTarget<false>(*first, dst, true) && !ReadsBeside(e, *first, dst)) {
        in_place_ = IdOf(*first);
      }
      First(*first);
      const auto rest = replaced([this](const Shared& operand) { return First(operand); });
      if (stages_ != nullptr) AddRowStages<DType>(dst, rest, &memory, true);
      return Text<Saver>(dst, rest);
    }
  }

  /// The description of `target Saver= exp`, an expression as it is evaluated.
  template <typename Saver, typename R, typename Device, int dim, typename DType, typename E,
            int etype>
  std::string Text(const TRValue<R, Device, dim, DType>& target,
                   const expr::Exp<E, DType, etype>& exp) {
    const R& dst = target.self();
    const E& e = exp.self();
    const Shape<dim> shape = expr::ShapeCheck<dim, R>::Check(dst);
    // The root of a statement is computed where it is assigned.
    constexpr bool kDirect = expr::kHasDirectPlan<E> || kIsWhole<E, etype>;
    std::string right;
    if constexpr (kDirect) right = NodeText(e);
    if constexpr (!kDirect) right = Bare(Formula(e));
    const std::string sign = SignOf(TypeName<typename Saver::OPType>());
    std::string text = left_ + " " + sign + "= " + right + "\n";
    text += first_ + LoopText<Device, expr::PlanOf<R>, E, etype>(shape);
    if (ReadsTarget<kDirect>(e, dst, !kIsWhole<E, etype>)) {
      temporaries_ += static_cast<double>(shape.Size()) * sizeof(DType);
      text += "  through a copy of " + left_ + ", which is read at other indices\n";
    }
    return text + MemoryText();
  }

  /// No addresses of memory, but of named_: tensors of what has a name.
  static constexpr std::uintptr_t kNames = ~std::uintptr_t{0} / 4;
  enum Use { kReads = 1, kWrites = 2, kUpdates = 3 };
  struct Leaf {
    const void* data;
    std::string text;
    double bytes;
    int use;
  };
  struct Computed {
    const void* type;
    const void* node;
    std::string name;
  };
  /// True if E computes all of `dst = e` in its own way: products, reductions to one axis.
  template <typename E, int etype>
  static constexpr bool kIsWhole =
      (etype == expr::type::kComplex && expr::detail::kIsMaterialised<E>) ||
      expr::detail::ComputesItself<E>::value;

  /// The formula of a node. Tensors get letters; what is computed first gets a name of its own.
  template <typename Device, int dim, typename DType>
  std::string Formula(const Tensor<Device, dim, DType>& t) {
    const void* const data = t.dptr_;
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(data);
    if (address >= kNames) return named_[(address - kNames) / 64];
    std::string text = LogText(t.shape_) + " ";
    text += dtype_string(DataType<std::remove_const_t<DType>>::kFlag);
    text += t.CheckContiguous() ? ", contiguous" : ", rows padded to " + std::to_string(t.stride_);
    std::size_t i = 0;
    while (i < leaves_.size() && (leaves_[i].data != data || leaves_[i].text != text)) ++i;
    const double bytes = static_cast<double>(t.shape_.Size()) * sizeof(DType);
    if (i == leaves_.size()) leaves_.push_back({data, text, bytes, 0});
    leaves_[i].use |= use_;
    return Letter(i);
  }
  template <typename DType>
  std::string Formula(const expr::ScalarExp<DType>& e) {
    return dmlc::log::ToText(e.scalar_);
  }
  template <typename E, typename DType, int rank, int mask>
  std::string Formula(const expr::AlignedExp<E, DType, rank, mask>& e) {
    if constexpr (expr::detail::kComputedFirst<E>) {
      return First(e.src_);
    } else {
      return Formula(e.src_);
    }
  }
  template <typename OP, typename TA, typename TB, typename DType, int etype>
  std::string Formula(const expr::BinaryMapExp<OP, TA, TB, DType, etype>& e) {
    const std::string name = TypeName<OP>(), sign = SignOf(name);
    if (sign.empty()) return NodeText(e, name);
    const std::string lhs = Formula(e.lhs_);
    return "(" + lhs + " " + sign + " " + Formula(e.rhs_) + ")";
  }
  template <typename E, typename DType, int etype>
  std::string Formula(const expr::Exp<E, DType, etype>& e) {
    if constexpr (expr::detail::kIsMaterialised<E>) {
      return First(e.self());
    } else {
      return NodeText(e.self());
    }
  }

  /// The name of e, whose value is computed first, each once.
  template <typename E>
  std::string First(const E& e) {
    using DType = expr::detail::ElementOfExp<E>;
    for (const Computed& computed : computed_) {
      if (computed.type == &expr::detail::kTypeOf<E> &&
          expr::detail::IsSame(*static_cast<const E*>(computed.node), e)) {
        return computed.name;
      }
    }
    constexpr int kDim = expr::ExpInfo<E>::kDim;
    const Shape<kDim> shape = expr::ShapeCheck<kDim, E>::Check(e);
    const double bytes = static_cast<double>(shape.Size()) * sizeof(DType);
    const bool in_place = in_place_ == expr::detail::IdOf(e);
    std::string text;
    if constexpr (expr::detail::HasOperands<E>::value) text = Bare(Formula(e));
    if constexpr (!expr::detail::HasOperands<E>::value) text = NodeText(e);
    const std::string name = "t" + std::to_string(computed_.size() + 1);
    computed_.push_back({&expr::detail::kTypeOf<E>, &e, name});
    const std::string where = "a temporary of " + BytesText(bytes);
    first_ += "  first " + name + " = " + text + ": " + LogText(shape) + " " +
              dtype_string(DataType<DType>::kFlag) + ", " +
              (in_place ? "in the destination" : where) +
              (stages_ != nullptr && stages_->IsStage(expr::detail::IdOf(e)) ? ", part by part\n"
                                                                            : "\n");
    if (!in_place) temporaries_ += bytes;
    return name;
  }

  /// The name of a node and the formulas of its operands; without any, its shape.
  template <typename E>
  std::string NodeText(const E& e,
                       const std::string& name = TypeName<typename NamedType<E>::Type>()) {
    std::string text;
    const auto add = [&](const auto& source) {
      text += (text.empty() ? "(" : ", ") + Bare(Formula(source.self()));
    };
    expr::detail::ForEachOperandOf(e, add);
    constexpr int kDim = expr::ExpInfo<E>::kDim;
    if (!text.empty()) return name + text + ")";
    if constexpr (kDim > 0) return name + LogText(expr::ShapeCheck<kDim, E>::Check(e));
    return name;
  }

  template <typename Device, typename Dst, typename E, int etype, int dim>
  std::string LoopText(const Shape<dim>& shape) const {
    constexpr bool kLoop = !kIsWhole<E, etype>;
    const char* const what = !kLoop ? "call for " : Device::kDevCPU ? "loop over " : "kernel over ";
    std::string text = std::string("  one ") + what + LogText(shape);
    if constexpr (Device::kDevCPU) text += std::string(", ") + simd::IsaName(simd::ActiveIsa());
    if constexpr (Device::kDevCPU && kLoop) {
      const int threads = Executor<Device>::template ThreadsOf<Dst, expr::WholePlanOf<E>>(
          static_cast<std::ptrdiff_t>(shape.Size()));
      text += ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
      if (stages_ != nullptr) text += ", " + std::to_string(stages_->parts().count) + " parts";
    }
    return text + "\n";
  }

  std::string MemoryText() {
    std::string text;
    double reads = 0, writes = 0;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const Leaf& leaf = leaves_[i];
      if ((leaf.use & kReads) != 0) reads += leaf.bytes;
      if ((leaf.use & kWrites) != 0) writes += leaf.bytes;
      text += "  " + Letter(i) + ": " + leaf.text + ", " + BytesText(leaf.bytes) + "\n";
    }
    text += "  reads " + BytesText(reads) + ", writes " + BytesText(writes);
    if (temporaries_ != 0) text += ", temporaries " + BytesText(temporaries_);
    return text + "\n";
  }

  /// a to z, then a2 and so on.
  static std::string Letter(std::size_t i) {
    const std::string letter(1, static_cast<char>('a' + i % 26));
    return i < 26 ? letter : letter + std::to_string(i / 26 + 1);
  }
  /// A formula without the brackets around all of it.
  static std::string Bare(const std::string& formula) {
    return formula.front() == '(' ? formula.substr(1, formula.size() - 2) : formula;
  }
  static std::string SignOf(const std::string& op) {
    return op == "plus" ? "+" : op == "minus" ? "-" : op == "mul" ? "*" : op == "div" ? "/" : "";
  }

  Use use_ = kReads;
  expr::detail::OperandId in_place_;
  const expr::detail::OperandMemory<cpu>* stages_ = nullptr;  // that know which operands are stages
  std::vector<std::string> named_;
  double temporaries_ = 0;
  std::string left_;
  std::string first_;  // the lines of what is computed first
  std::vector<Leaf> leaves_;
  std::vector<Computed> computed_;
};

}  // namespace detail

namespace expr {
namespace adl {

/// What `tensor = exp` would run, for a new tensor: the formula, what is computed first, the loop
/// with its shape, instruction set and threads, the tensors, and the bytes. Nodes are named by
/// their types. Nothing is computed. Throws Error where operands do not fit.
template <typename E, typename DType, int etype>
std::string describe(const Exp<E, DType, etype>& exp) {
  constexpr int kDim = ExpInfo<E>::kDim;
  static_assert(kDim > 0, "mshadow: describe takes expressions of one axis or more");
  using Dst = Tensor<detail::DeviceOf<E>, kDim, DType>;
  const Dst dst(nullptr, ShapeCheck<kDim, E>::Check(exp.self()));
  return mshadow::detail::Describer().Statement<sv::saveto>(dst, exp);
}

}  // namespace adl

/// The same of a statement: describe(lazy(y) += exp). Nothing runs.
template <typename Saver, typename R, typename Device, int dim, typename DType, typename E,
          int etype>
std::string describe(const LazyAssignment<Saver, R, Device, dim, DType, E, etype>& statement) {
  return mshadow::detail::Describer().Statement<Saver>(
      static_cast<const TRValue<R, Device, dim, DType>&>(statement.dst()),
      static_cast<const Exp<E, DType, etype>&>(statement.exp()));
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_DESCRIBE_H_
