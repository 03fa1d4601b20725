// SPDX-License-Identifier: Apache-2.0
// jvp: derivatives in forward mode, computed beside the values; the Hessian times a vector.
#ifndef MSHADOW_GRAD_FORWARD_H_
#define MSHADOW_GRAD_FORWARD_H_

#include <cmath>
#include <limits>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tape.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {
template <typename Device, int dim, typename DType>
inline Tensor<Device, dim, DType> AsTensor(const Tensor<Device, dim, DType>& t) {
  return t;
}
}  // namespace detail
namespace expr::detail {

/// e of tensors in place of Variables.
template <typename E>
inline auto ValueOf(const E& e) {
  if constexpr (!kVaries<E>) {
    return e;
  } else if constexpr (IsVariable<E>::value) {
    return mshadow::detail::AsTensor(e.value);
  } else if constexpr (MapOf<E>::kIsMap) {
    return e.Apply([&](const auto&... x) { return MapOf<E>::With(e, ValueOf(x)...); });
  } else {
    return Gradient<E>::Apply(
        e, [&](const auto&... x) { return Gradient<E>::With(e, ValueOf(x)...); });
  }
}

template <typename E, typename Y>
inline auto TangentOf(const E& e, const Y& y);

/// The tangent of x, 0 of a constant.
template <typename E>
inline auto TangentOrZero(const E& x) {
  if constexpr (kVaries<E>) {
    return TangentOf(x, ValueOf(x));
  } else {
    return MakeExp<ConstantOp<0>>(x);
  }
}
/// The tangent of x, or its value.
template <bool tangent, typename E>
inline auto TangentIf(const E& x) {
  if constexpr (tangent) {
    return TangentOf(x, ValueOf(x));
  } else {
    return ValueOf(x);
  }
}
/// The part of the tangent of e = f(x...) that comes from operand k: a tuple of it, or of nothing.
template <int k, typename E, typename Y, int... i, typename... X>
inline auto TangentBy(const E& e, [[maybe_unused]] const Y& y, std::integer_sequence<int, i...>,
                      const X&... x) {
  [[maybe_unused]] const auto& operand = std::get<k>(std::tie(x...));
  using Operand = std::decay_t<decltype(operand)>;
  if constexpr (!kVaries<Operand>) {
    return std::tuple<>();
  } else if constexpr (MapOf<E>::kIsMap) {
    if constexpr (MapOf<E>::template At<k>::kZero) {
      return std::tuple<>();
    } else if constexpr (MapOf<E>::kIsCast) {
      return std::make_tuple(MapOf<E>::With(e, TangentIf<true>(operand)));
    } else {  // a slope for each element: what Vjp takes for g may as well be a tangent
      return std::make_tuple(
          MapOf<E>::template Vjp<k>(e, TangentIf<true>(operand), y, ValueOf(x)...));
    }
  } else {
    return std::make_tuple(Gradient<E>::With(e, TangentIf<i == k>(x)...));
  }
}
template <typename E, typename Y, int... i, typename... X>
inline auto SumOfTangents(const E& e, const Y& y, std::integer_sequence<int, i...> all,
                          const X&... x) {
  return std::apply([](const auto&... term) { return (term + ...); },
                    std::tuple_cat(TangentBy<i>(e, y, all, x...)...));
}

/// The derivative of e along the tangents of its Variables, which their gradients hold; y is the
/// value of e.
template <typename E, typename Y>
inline auto TangentOf(const E& e, const Y& y) {
  static_assert(!kIsComplex<ElementOfExp<E>>, "mshadow: jvp is of real numbers; Backward takes "
                                              "complex ones");
  const auto sum = [&](const auto&... x) {
    return SumOfTangents(e, y, std::make_integer_sequence<int, sizeof...(x)>(), x...);
  };
  if constexpr (IsVariable<E>::value) {
    if (!e.IsView()) {
      throw Error(
          "mshadow: jvp: f reads a Parameter, or a Variable of a tape, that is no operand of "
          "f: take .value");
    }
    return e.grad();
  } else if constexpr (MapOf<E>::kIsMap) {
    return e.Apply(sum);
  } else {
    using Rule = Gradient<E>;
    static_assert(Rule::kForward != Forward::kNone,
                  "mshadow: jvp: this node has no derivative in forward mode; its Gradient<Node> "
                  "needs kForward");
    if constexpr (Rule::kForward == Forward::kLinear) {
      return Rule::Apply(e, [&](const auto&... x) { return Rule::With(e, TangentOrZero(x)...); });
    } else if constexpr (Rule::kForward == Forward::kEachOperand) {
      return Rule::Apply(e, sum);
    } else {
      return Rule::Apply(
          e, [&](const auto& x) { return Rule::Jvp(e, TangentIf<true>(x), y, ValueOf(x)); });
    }
  }
}

}  // namespace expr::detail

/// Statements in forward mode: each is computed at once, and its tangent beside it. What a function
/// of jvp takes in place of a Tape: write `[](auto& t, const auto& x) { return t(..); }`.
class ForwardTape {
 public:
  ForwardTape() = default;
  ForwardTape(const ForwardTape&) = delete;
  ForwardTape& operator=(const ForwardTape&) = delete;
  /// The value of e; its gradient, .grad(), is the derivative along those of the Variables in e.
  template <typename E, typename DType, int etype>
  auto operator()(const expr::Exp<E, DType, etype>& exp) {
    using Device = expr::detail::DeviceOf<E>;
    constexpr int kDim = expr::ExpInfo<E>::kDim;
    const E& e = exp.self();
    auto node = std::make_unique<Statement<Device, kDim, DType>>(
        expr::ShapeCheck<kDim, E>::Check(e), expr::detail::StreamOf<Device>(e));
    auto& value = node->value.tensor();
    auto& tangent = node->tangent.tensor();
    value.__assign(expr::detail::ValueOf(e));
    if constexpr (expr::detail::kVaries<E>) {
      tangent.__assign(expr::detail::TangentOf(e, value));
    } else {
      tangent.__assign(expr::ScalarExp<DType>(DType(0.0f)));
    }
    nodes_.push_back(std::move(node));
    return Variable<Device, kDim, DType>(value, tangent);
  }
  /// f(tape, x...), as of a Tape: nothing runs again here.
  template <typename F, typename... V>
  auto Again(const F& f, const V&... x) {
    return f(*this, detail::AsVariable(x)...);
  }

 private:
  struct Node {
    virtual ~Node() = default;
  };
  template <typename Device, int dim, typename DType>
  struct Statement : Node {
    detail::Temporary<Device, dim, DType> value, tangent;
    Statement(const Shape<dim>& shape, Stream<Device>* stream)
        : value(shape, stream), tangent(shape, stream) {}
  };
  std::vector<std::unique_ptr<Node>> nodes_;
};

namespace detail {
template <typename Device, int dim, typename DType>
inline auto CopyOf(const Tensor<Device, dim, DType>& t) {
  TensorContainer<Device, dim, DType> copy;
  copy = t * DType(1.0f);
  return copy;
}
template <typename F, typename X, typename V, std::size_t... i>
inline auto Jvp(const F& f, const X& x, const V& v, std::index_sequence<i...>) {
  ForwardTape tape;
  const auto y = f(tape, Variable(AsTensor(std::get<i>(x)), AsTensor(std::get<i>(v)))...);
  return std::make_pair(CopyOf(AsTensor(y.value)), CopyOf(y.grad()));
}
}  // namespace detail

/// (y, dy): y = f(tape, x...), a Variable, and its derivative along the tangents:
///   auto [y, dy] = jvp(f, std::tie(x, w), std::tie(dx, dw))
/// The cost is that of f twice or thrice, whatever the number of results: take it where f has few
/// operands, and Backward where it has few results. f takes any tape, as [](auto& t, ..) does.
/// Throws Error where a tangent has not the shape of its value.
template <typename F, typename... X, typename... V>
inline auto jvp(const F& f, const std::tuple<X...>& x, const std::tuple<V...>& tangents) {
  static_assert(sizeof...(X) == sizeof...(V), "mshadow: jvp takes a tangent for each value");
  return detail::Jvp(f, x, tangents, std::make_index_sequence<sizeof...(X)>());
}

/// The Hessian at x of the sum of f(tape, x), times v: the central difference of two gradients. Off
/// by 1e-9 of its largest element, 1e-4 for float, where third derivatives are no larger than the
/// second; exact for quadratic functions but for rounding. Throws Error where x and v differ in
/// shape.
template <typename F, typename Device, int dim, typename DType>
inline auto hessian_times(const F& f, const Tensor<Device, dim, DType>& x,
                          const Tensor<Device, dim, DType>& v) {
  static_assert(!kIsComplex<DType>, "mshadow: hessian_times is of real numbers");
  const double of_x = x.shape_.Size() > 0 ? static_cast<double>((expr::adl::max)(abs(x))) : 0;
  const double of_v = v.shape_.Size() > 0 ? static_cast<double>((expr::adl::max)(abs(v))) : 0;
  const double eps = static_cast<double>(std::numeric_limits<DType>::epsilon());
  const DType step = static_cast<DType>(of_v > 0 ? std::cbrt(eps) * (1 + of_x) / of_v : 1);
  TensorContainer<Device, dim, DType> at;
  at = x + step * v;
  auto result = std::get<1>(value_and_gradient(f, detail::AsTensor(at)));
  at = x - step * v;
  result -= std::get<1>(value_and_gradient(f, detail::AsTensor(at)));
  result *= DType(0.5f) / step;
  return result;
}
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_FORWARD_H_
