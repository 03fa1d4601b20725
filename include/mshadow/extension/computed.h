// SPDX-License-Identifier: Apache-2.0
// ComputedExp: a node whose value a function computes as a whole, from operands in memory.
#ifndef MSHADOW_EXTENSION_COMPUTED_H_
#define MSHADOW_EXTENSION_COMPUTED_H_

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "../expr/engine.h"
#include "../expr/materialised.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// What `function_` makes of the operands:
///   const char* name() const    in what describe prints
///   Shape<rank> shape() const   of the result
///   void Run(const Tensor<Device, rank, DType>& result, const Tensor<Device, .., ..>&... operands)
/// where all of these lie in memory without padding, apart from each other.
template <typename Function, typename DType, int rank, typename... Operands>
struct ComputedExp
    : public Exp<ComputedExp<Function, DType, rank, Operands...>, DType, type::kComplex> {
  static constexpr int kRank = rank;
  static constexpr int kDevices = (ExpInfo<Operands>::kDevMask & ...);
  Function function_;
  std::tuple<Operands...> operands_;
  explicit ComputedExp(const Function& function, const Operands&... operands)
      : function_(function), operands_(operands...) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return function_.shape();
  }
  const char* Name() const { return function_.name(); }
  template <typename F>
  void ForEachOperand(const F& f) const {
    std::apply([&f](const auto&... e) { (f(e), ...); }, operands_);
  }
  bool Overlaps(const WrittenView& written, bool) const {
    bool overlaps = false;
    ForEachOperand([&](const auto& e) {
      overlaps = overlaps || (written.first && expr::Overlaps(e, written, false));
    });
    return overlaps;
  }
};

template <typename Function, typename DType, int rank, typename... Operands>
class Plan<ComputedExp<Function, DType, rank, Operands...>, DType>
    : public detail::MaterialisedPlan<ComputedExp<Function, DType, rank, Operands...>, DType> {
 public:
  explicit Plan(const ComputedExp<Function, DType, rank, Operands...>& e)
      : Plan::MaterialisedPlan(e) {}
};

template <typename Saver, typename R, typename Function, typename DType, int rank,
          typename... Operands>
struct ExpComplexEngine<Saver, R, ComputedExp<Function, DType, rank, Operands...>, DType> {
  using E = ComputedExp<Function, DType, rank, Operands...>;
  template <typename Device>
  static void EvalOn(TRValue<R, Device, rank, DType>* dst, const E& e) {
    static_assert((E::kDevices & Device::kDevMask) != 0,
                  "mshadow: an expression and the tensor it is assigned to live on different "
                  "devices; use Copy(dst, src)");
    using Target = Tensor<Device, rank, DType>;
    const Shape<rank> eshape = e.template GetShape<rank>();
    const Shape<rank> dshape = ShapeCheck<rank, R>::Check(dst->self());
    if (!MSHADOW_LIKELY(eshape == dshape)) mshadow::detail::ThrowAssignMismatch(eshape, dshape);
    Stream<Device>* const stream = StreamInfo<Device, R>::Get(dst->self());
    if constexpr (std::is_same_v<Saver, sv::saveto> && std::is_same_v<R, Target>) {
      if (dst->self().CheckContiguous() &&
          !mshadow::detail::ReadsTarget<true>(e, dst->self(), false)) {
        return Run<Device>(e, dst->self(), stream);
      }
    }
    mshadow::detail::Temporary<Device, rank, DType> result(dshape, stream);
    Run<Device>(e, result.tensor(), stream);
    ExpEngine<Saver, R, DType>::Eval(dst->ptrself(), result.tensor());
  }
  static void Eval(R* dst, const E& e) {
    static_assert(ExpInfo<R>::kDim == rank,
                  "mshadow: an expression is assigned to a tensor of another number of axes");
    if constexpr (ExpInfo<R>::kDim == rank) EvalOn(dst, e);
  }

 private:
  /// `ready` are the first operands, in memory.
  template <typename Device, typename... Ready>
  static void Run(const E& e, const Tensor<Device, rank, DType>& dst, Stream<Device>* stream,
                  const Ready&... ready) {
    constexpr std::size_t kNext = sizeof...(Ready);
    if constexpr (kNext == sizeof...(Operands)) {
      e.function_.Run(dst, ready...);
    } else {
      using Operand = std::tuple_element_t<kNext, std::tuple<Operands...>>;
      using Element = detail::ElementOfExp<Operand>;
      using Target = Tensor<Device, ExpInfo<Operand>::kDim, Element>;
      const Operand& operand = std::get<kNext>(e.operands_);
      if constexpr (std::is_same_v<Operand, Target>) {
        if (operand.CheckContiguous()) return Run<Device>(e, dst, stream, ready..., operand);
      }
      mshadow::detail::Temporary<Device, Target::kSubdim + 1, Element> value(
          ShapeCheck<ExpInfo<Operand>::kDim, Operand>::Check(operand), stream);
      ExpEngine<sv::saveto, Target, Element>::Eval(&value.tensor(), operand);
      Run<Device>(e, dst, stream, ready..., value.tensor());
    }
  }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_COMPUTED_H_
