// SPDX-License-Identifier: Apache-2.0
// Formulas: the expressions of a statement as text, for describe.h.
#ifndef MSHADOW_TENSOR_FORMULAS_H_
#define MSHADOW_TENSOR_FORMULAS_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../core/has_member.h"
#include "../expr/aligned.h"
#include "../expr/call.h"
#include "../expr/dot.h"
#include "../expr/traits.h"
#include "../simd/isa.h"
#include "type_name.h"
#include "view.h"

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
MSHADOW_MEMBER_TYPE_OR_(NamedType, Function, T)
/// Leaves that are no Tensor: memory of any strides, and the name of a value, which has a gradient.
MSHADOW_HAS_MEMBER_(HasName, Name())
MSHADOW_HAS_MEMBER_(HasStrides, stride_[0])
MSHADOW_HAS_MEMBER_(HasValue, value.dptr_)

template <typename E>
struct IsProduct : std::false_type {};
template <typename TA, typename TB, bool ltrans, bool rtrans, typename DType>
struct IsProduct<expr::DotExp<TA, TB, ltrans, rtrans, DType>> : std::true_type {};

/// Writes formulas, and keeps what occurs in them: tensors, and operands that are computed first.
class Formulas {
 protected:
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

  /// The formula of a node. Tensors get letters; what is computed first gets a name of its own.
  template <typename Device, int dim, typename DType>
  std::string Formula(const Tensor<Device, dim, DType>& t) {
    const void* const data = t.dptr_;
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(data);
    if (address >= kNames) return named_[(address - kNames) / 64];
    return Memory(data, t.shape_, DataType<std::remove_const_t<DType>>(),
                  t.CheckContiguous() ? "contiguous"
                                      : "rows padded to " + std::to_string(t.stride_));
  }
  /// The letter of memory.
  template <int dim, typename Traits>
  std::string Memory(const void* data, const Shape<dim>& shape, Traits, const std::string& layout) {
    const std::string text =
        LogText(shape) + " " + dtype_string(Traits::kFlag) + ", " + layout;
    std::size_t i = 0;
    while (i < leaves_.size() && (leaves_[i].data != data || leaves_[i].text != text)) ++i;
    const double bytes = static_cast<double>(shape.Size() * mshadow_sizeof(Traits::kFlag));
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
    } else if constexpr (HasValue<E>::value) {
      const Tensor<expr::detail::DeviceOf<E>, expr::ExpInfo<E>::kDim, DType>& value =
          e.self().value;
      return Formula(value);
    } else if constexpr (HasStrides<E>::value) {
      std::string strides;
      for (const std::ptrdiff_t stride : e.self().stride_) {
        strides += (strides.empty() ? "strides (" : ", ") + std::to_string(stride);
      }
      return Memory(e.self().dptr_, e.self().shape_, DataType<DType>(), strides + ")");
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
  std::string NodeText(const E& e) {
    if constexpr (HasName<E>::value) return NodeText(e, e.Name());
    if constexpr (!HasName<E>::value) return NodeText(e, TypeName<typename NamedType<E>::Type>());
  }
  template <typename E>
  std::string NodeText(const E& e, const std::string& name) {
    std::string text;
    has_product_ = has_product_ || IsProduct<E>::value;
    const auto add = [&](const auto& source) {
      text += (text.empty() ? "(" : ", ") + Bare(Formula(source.self()));
    };
    expr::detail::ForEachOperandOf(e, add);
    constexpr int kDim = expr::ExpInfo<E>::kDim;
    if (!text.empty()) return name + text + ")";
    if constexpr (kDim > 0) return name + LogText(expr::ShapeCheck<kDim, E>::Check(e));
    return name;
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
  expr::detail::OperandId in_place_ = {nullptr, nullptr};
  const expr::detail::OperandMemory<cpu>* stages_ = nullptr;  // that know which operands are stages
  std::vector<std::string> named_;
  bool has_product_ = false;
  double temporaries_ = 0;
  std::string first_;  // the lines of what is computed first
  std::vector<Leaf> leaves_;
  std::vector<Computed> computed_;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_FORMULAS_H_
