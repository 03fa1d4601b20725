// SPDX-License-Identifier: Apache-2.0
// F(f, a[, b[, c]]): an element-wise node of an object, a lambda or a struct with operator().
#ifndef MSHADOW_EXPR_CALL_H_
#define MSHADOW_EXPR_CALL_H_

#include <type_traits>

#include "statement.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// The op of such a node: f(a...).
struct Call {
  static constexpr int kCost = 0;  // that of f is in FunctionPlan
#ifdef __CUDACC__
#pragma nv_exec_check_disable  // `f` may be of the host, or of the device, alone
#endif
  template <typename Fn, typename... DTypes>
  MSHADOW_INLINE_CALLS static auto Map(const Fn& f, DTypes... a) {
    return f(a...);
  }
};

template <typename Fn>
struct FunctionPack {
  struct Items {
    Fn function_;
    MSHADOW_XINLINE const Fn& operator[](int) const { return function_; }
  } item;
};
template <typename Fn>
struct FunctionCursor {
  static constexpr bool kPacks = true;
  Fn function_;
  MSHADOW_XINLINE const Fn& Eval(std::ptrdiff_t) const { return function_; }
  template <int W>
  MSHADOW_XINLINE bool PacksAligned(std::ptrdiff_t) const {
    return true;
  }
  template <int W>
  MSHADOW_XINLINE FunctionPack<Fn> EvalPack(std::ptrdiff_t) const {
    return {{function_}};
  }
};
/// A function as an operand of Call, and as its plan: every element is the function.
template <typename Fn>
struct FunctionPlan {
  static constexpr PlanFacts kFacts{kCostOf<Fn>, 0, Access::kSame, true};
  using Cursor = FunctionCursor<Fn>;
  Fn function_;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t) const { return Cursor{function_}; }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const { return {0}; }
};
template <typename Fn>
inline FunctionPlan<Fn> MakePlan(const FunctionPlan<Fn>& function) {
  return function;
}

/// out[i] = f(operand[i]...). Map is MakeExp<Call>(operands...), whose plan is not used.
template <typename Fn, typename Map, typename DType, int etype>
struct CallExp : public ElementWiseExp<CallExp<Fn, Map, DType, etype>, DType, etype, Map> {
  using Function = Fn;
  using Operands = typename Map::Operands;
  FunctionPlan<Fn> function_;
  Map src_;
  CallExp(const Fn& f, const Map& map) : function_{f}, src_(map) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return src_.template GetShape<dim>();
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    return src_.Overlaps(written, same_index);
  }
  template <typename F>
  MSHADOW_FORCE_INLINE decltype(auto) Apply(const F& f) const {
    return src_.Apply(f);
  }
  template <typename F>
  auto WithOperands(const F& f) const {
    return CallExp<Fn, decltype(src_.WithOperands(f)), DType, etype>(function_.function_,
                                                                     src_.WithOperands(f));
  }
  bool IsSame(const CallExp& other) const {
    return detail::IsSame(function_, other.function_) && detail::IsSame(src_, other.src_);
  }
};

template <typename Fn, typename Map, typename DType, int etype>
inline CallExp<Fn, Map, DType, etype> MakeCall(const Fn& f, const Exp<Map, DType, etype>& map) {
  return CallExp<Fn, Map, DType, etype>(f, map.self());
}

/// Its plan: that of Call with the function as the first operand.
template <typename Fn, typename Map, typename DType, int etype>
inline auto MakePlan(const CallExp<Fn, Map, DType, etype>& e) {
  return e.Apply([&e](const auto&... operands) {
    return MapPlan<Call, DType, FunctionPlan<Fn>, PlanOf<std::decay_t<decltype(operands)>>...>(
        e.function_, operands...);
  });
}

template <typename Fn>
struct Described<FunctionPlan<Fn>> : DescribedValue<FunctionCursor<Fn>, kCostOf<Fn>> {
  static constexpr void Codes(signed char** to) { *(*to)++ = kFunctionCode; }
  MSHADOW_FORCE_INLINE static void Put(const FunctionPlan<Fn>& e, LeafRef* to) {
    Described::PutValue(&e.function_, to);
  }
  template <View view>
  static void Describe(const FunctionPlan<Fn>& e, OperandView* to) {
    Described::DescribeValue(&e.function_, to);
  }
};
template <typename Fn, typename DType, typename... Es>
struct DescribedCall : DescribedMap<Call, DType, FunctionPlan<Fn>, Es...> {
  static constexpr void Codes(signed char** to) {
    *(*to)++ = kFunctionCode;
    DescribedMap<Call, DType, Es...>::Codes(to);
  }
  template <typename E>
  MSHADOW_FORCE_INLINE static void Put(const E& e, LeafRef* to) {
    e.Apply([&](const Es&... operands) { DescribedCall::PutAll(to, e.function_, operands...); });
  }
  template <View view, typename E>
  static void Describe(const E& e, OperandView* to) {
    e.Apply([&](const Es&... operands) {
      DescribedCall::template DescribeAll<view>(to, e.function_, operands...);
    });
  }
};
template <typename Fn, typename DType, typename... Es>
DescribedCall<Fn, DType, Es...> DescribedCallOf(const TypeList<Es...>*);
template <typename... Es>
constexpr bool AreDescribed(const TypeList<Es...>*) {
  return kDescribed<Es...>;
}
template <typename Fn, typename Map, typename DType, int etype>
struct Described<CallExp<Fn, Map, DType, etype>,
                 std::enable_if_t<AreDescribed(static_cast<typename Map::Operands*>(nullptr))>>
    : decltype(DescribedCallOf<Fn, DType>(static_cast<typename Map::Operands*>(nullptr))) {};

template <typename DType, typename>
using FirstOf = DType;
/// Says in a sentence why Fn is no function of elements of type DType, one for each operand.
template <typename Fn, typename DType, typename... Operands>
constexpr void CheckFunction() {
  constexpr bool kCallable = std::is_invocable_v<const Fn&, FirstOf<DType, Operands>...>;
  static_assert(kCallable,
                "mshadow: the f of F(f, a...) cannot be called with one element of each operand; a "
                "lambda must not be mutable");
  if constexpr (kCallable) {
    using Result = std::invoke_result_t<const Fn&, FirstOf<DType, Operands>...>;
    static_assert(IsScalar<std::decay_t<Result>>::value,
                  "mshadow: the f of F(f, a...) does not return a number");
  }
}

}  // namespace detail

/// F(f, a[, b[, c]]): out[i] = f(a[i], ...). f is a lambda or another object with a const
/// operator(); the expression holds a copy. f returns a number of any type, converted as by tcast.
/// Scalars may stand for operands, as in F<OP>. For Tensor<gpu>, f is a __device__ lambda (compiled
/// by nvcc --extended-lambda) or a struct with an MSHADOW_XINLINE operator().
// (In F<OP>(a...) the first argument is a type, so that this is no candidate.)
template <int = 0, typename Fn, typename A, typename... Rest>
inline auto F(const Fn& f, const A& a, const Rest&... rest) {
  static_assert(sizeof...(Rest) <= 2, "mshadow: F(f, a...) takes one, two or three operands");
  using DType = detail::CommonElement<A, Rest...>;
#ifdef __CUDACC_EXTENDED_LAMBDA__
  // The host cannot ask what a lambda of the device takes and returns.
  if constexpr (!__nv_is_extended_device_lambda_closure_type(Fn))
#endif
  {
    detail::CheckFunction<Fn, DType, A, Rest...>();
  }
  return detail::MakeCall(
      f, MakeExp<detail::Call>(detail::AsExp<DType>(a), detail::AsExp<DType>(rest)...));
}
template <int = 0, typename Fn, typename... Args, typename = detail::EnableIfTemporary<Args...>>
inline auto F(const Fn& f, Args&&... args) {
  return F(f, detail::Owning<Args>(args)...);
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_CALL_H_
