// SPDX-License-Identifier: Apache-2.0
// describe: what a statement would run, as a few lines of text.
#ifndef MSHADOW_TENSOR_DESCRIBE_H_
#define MSHADOW_TENSOR_DESCRIBE_H_

#include <string>

#include "formulas.h"
#include "../expr/fuse.h"
#include "../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Reads a statement and writes its description, a line at a time.
class Describer : private Formulas {
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
    if constexpr (Device::kDevCPU) {
      if (has_product_ && Blas<Device>::Replaces()) {
        text += "  products by " + Blas<Device>::Name() + "\n";
      }
    }
    if (ReadsTarget<kDirect>(e, dst, !kIsWhole<E, etype>)) {
      temporaries_ += static_cast<double>(shape.Size()) * sizeof(DType);
      text += "  through a copy of " + left_ + ", which is read at other indices\n";
    }
    return text + MemoryText();
  }

  /// True if E computes all of `dst = e` in its own way: products, reductions to one axis.
  template <typename E, int etype>
  static constexpr bool kIsWhole =
      (etype == expr::type::kComplex && expr::detail::kIsMaterialised<E>) ||
      expr::detail::ComputesItself<E>::value;

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

  std::string left_;
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
