// SPDX-License-Identifier: Apache-2.0
// Derivative<OP, i>: the derivative of an op by its argument i, as an expression.
#ifndef MSHADOW_GRAD_DERIVATIVE_H_
#define MSHADOW_GRAD_DERIVATIVE_H_

#include <limits>
#include <type_traits>
#include <utility>

#include "../expression.h"
#include "../extension/clip.h"
#include "../extension/where.h"
#include "dual.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// What a derivative reads of its node.
enum Reads : unsigned { kNone = 0, kA = 1, kB = 2, kC = 4, kResult = 8 };

namespace detail {

/// g p, and 0 where g is 0: what the value does not depend on has no gradient, whatever p is.
struct ChainOp {
  static constexpr int kCost = 2;
  template <typename T>
  MSHADOW_XINLINE static T Map(T g, T p) {
    using N = Computed<T>;
    return N(g) == N(0) ? T(N(0)) : T(N(g) * N(p));
  }
};
/// g where a > 0, else 0.
struct IfPositiveOp {
  static constexpr int kCost = 1;
  template <typename T>
  MSHADOW_XINLINE static T Map(T g, T a) {
    return a > T(0) ? g : T(0);
  }
};
/// 1, 1/2 or 0 where a > b, a = b, a < b.
struct ShareOp {
  static constexpr int kCost = 2;
  template <typename T>
  MSHADOW_XINLINE static T Map(T a, T b) {
    return a > b ? T(1) : a == b ? T(0.5f) : T(0);
  }
};
/// 1 within [low, high], else 0.
struct WithinOp {
  static constexpr int kCost = 2;
  template <typename T>
  MSHADOW_XINLINE static T Map(T a, T low, T high) {
    return ((a >= low) & (a <= high)) ? T(1) : T(0);
  }
};
template <typename G, typename P>
inline auto Chain(const G& g, const P& p) {
  return MakeExp<ChainOp>(g, p);
}

template <typename OP, int i, typename T, typename = void>
struct SaysPartial : std::false_type {};
template <typename OP, int i, typename T>
struct SaysPartial<OP, i, T, std::void_t<decltype(OP::template Partial<i>(T()))>> : std::true_type {
};
template <typename OP, int i>
struct SaysPartial<OP, i, void, void> : std::false_type {};

/// The derivative of OP by argument i: what OP says, or by dual numbers.
template <typename OP, int i>
struct PartialOp {
  template <typename T, typename... Ts>
  MSHADOW_XINLINE static T Map(T a, Ts... rest) {
    return Of(a, std::make_integer_sequence<int, 1 + static_cast<int>(sizeof...(Ts))>(), a,
              rest...);
  }

 private:
  template <typename OP_, typename... Ts>
  static auto Says(int, Ts... x) -> decltype(OP_::template Partial<i>(x...), std::true_type());
  template <typename OP_, typename... Ts>
  static std::false_type Says(long, Ts...);
  template <typename T, int... k, typename... Ts>
  MSHADOW_XINLINE static T Of(T, std::integer_sequence<int, k...>, Ts... x) {
    if constexpr (decltype(Says<OP>(0, x...))::value) {
      return OP::template Partial<i>(x...);
    } else {
      return OP::Map(Dual<T>(x, T(k == i ? 1 : 0))...).derivative;
    }
  }
};
/// The same of a lambda.
template <typename Fn, int i>
struct PartialFn {
  Fn f;
  template <typename T, typename... Ts>
  MSHADOW_XINLINE T operator()(T a, Ts... rest) const {
    return Of(a, std::make_integer_sequence<int, 1 + static_cast<int>(sizeof...(Ts))>(), a,
              rest...);
  }

 private:
  template <typename T, int... k, typename... Ts>
  MSHADOW_XINLINE T Of(T, std::integer_sequence<int, k...>, Ts... x) const {
    constexpr bool kGeneric =
        std::is_invocable_v<const Fn&, std::conditional_t<k >= 0, Dual<T>, T>...>;
    static_assert(
        kGeneric,
        "mshadow: the f of F(f, a...) cannot be differentiated: it takes no number type "
        "but its own; write [](auto a) in place of [](float a), or a struct with Partial");
    if constexpr (kGeneric)
      return Dual<T>(f(Dual<T>(x, T(k == i ? 1 : 0))...)).derivative;
    else
      return T(0);
  }
};

}  // namespace detail

/// The derivative of OP by argument i: kReads says what Of uses of (g, result, a, b, c), which are
/// expressions, g being the gradient of the result. kZero: there is none. kPass: it is g.
template <typename OP, int i>
struct Derivative {
  static constexpr unsigned kReads = kA | kB | kC;
  static constexpr bool kZero = false, kPass = false;
  template <typename G, typename Y, typename... X>
  static auto Of(const G& g, const Y&, const X&... x) {
    return detail::Chain(g, MakeExp<detail::PartialOp<OP, i>>(x...));
  }
};

#define MSHADOW_DERIVATIVE_(name, i, reads, ...)                                      \
  template <>                                                                         \
  struct Derivative<op::name, i> {                                                    \
    static constexpr unsigned kReads = reads;                                         \
    static constexpr bool kZero = false, kPass = false;                               \
    template <typename G, typename Y, typename A, typename B = int, typename C = int> \
    static auto Of([[maybe_unused]] const G& g, [[maybe_unused]] const Y& y,          \
                   [[maybe_unused]] const A& a, [[maybe_unused]] const B& b = B(),    \
                   [[maybe_unused]] const C& c = C()) {                               \
      using T = detail::ElementOfExp<G>;                                              \
      using detail::Chain;                                                            \
      (void)sizeof(T);                                                                \
      return __VA_ARGS__;                                                             \
    }                                                                                 \
  };
#define MSHADOW_DERIVATIVE_IS_(name, i, zero, pass)   \
  template <>                                         \
  struct Derivative<op::name, i> {                    \
    static constexpr unsigned kReads = 0;             \
    static constexpr bool kZero = zero, kPass = pass; \
    template <typename G, typename... Rest>           \
    static const G& Of(const G& g, const Rest&...) {  \
      return g;                                       \
    }                                                 \
  };

// clang-format off
MSHADOW_DERIVATIVE_IS_(identity, 0, false, true)
MSHADOW_DERIVATIVE_IS_(plus, 0, false, true)
MSHADOW_DERIVATIVE_IS_(plus, 1, false, true)
MSHADOW_DERIVATIVE_IS_(minus, 0, false, true)
MSHADOW_DERIVATIVE_(minus, 1, kNone, -g)
MSHADOW_DERIVATIVE_(mul, 0, kB, g * b)
MSHADOW_DERIVATIVE_(mul, 1, kA, g * a)
MSHADOW_DERIVATIVE_(div, 0, kB, Chain(g, T(1) / b))
MSHADOW_DERIVATIVE_(div, 1, kB | kResult, Chain(g, -(y / b)))
MSHADOW_DERIVATIVE_IS_(mod, 0, false, true)
MSHADOW_DERIVATIVE_(mod, 1, kA | kB, -(g * floor(a / b)))
MSHADOW_DERIVATIVE_(pow, 0, kA | kB, Chain(g * b, pow(a, b - T(1))))
MSHADOW_DERIVATIVE_(pow, 1, kA | kResult, Chain(g * y, log(a)))
MSHADOW_DERIVATIVE_(atan2, 0, kA | kB, Chain(g, b / (a * a + b * b)))
MSHADOW_DERIVATIVE_(atan2, 1, kA | kB, Chain(g, -(a / (a * a + b * b))))
MSHADOW_DERIVATIVE_(max, 0, kA | kB, g * MakeExp<detail::ShareOp>(a, b))
MSHADOW_DERIVATIVE_(max, 1, kA | kB, g * MakeExp<detail::ShareOp>(b, a))
MSHADOW_DERIVATIVE_(min, 0, kA | kB, g * MakeExp<detail::ShareOp>(b, a))
MSHADOW_DERIVATIVE_(min, 1, kA | kB, g * MakeExp<detail::ShareOp>(a, b))
MSHADOW_DERIVATIVE_(clip, 0, kA | kB | kC, g * MakeExp<detail::WithinOp>(a, b, c))
MSHADOW_DERIVATIVE_(clip, 1, kA | kB, g * (a < b))
MSHADOW_DERIVATIVE_(clip, 2, kA | kC, g * (a > c))
MSHADOW_DERIVATIVE_IS_(where, 0, true, false)
MSHADOW_DERIVATIVE_(where, 1, kA, MakeExp<op::where>(a, g, ScalarExp<T>(T(0))))
MSHADOW_DERIVATIVE_(where, 2, kA, MakeExp<op::where>(a, ScalarExp<T>(T(0)), g))
MSHADOW_DERIVATIVE_(negate, 0, kNone, -g)
MSHADOW_DERIVATIVE_(abs, 0, kA, g * sign(a))
MSHADOW_DERIVATIVE_(square, 0, kA, T(2) * g * a)
MSHADOW_DERIVATIVE_(sqrt, 0, kResult, Chain(g, T(0.5f) / y))
MSHADOW_DERIVATIVE_(rsqrt, 0, kResult, Chain(g, T(-0.5f) * y * y * y))
MSHADOW_DERIVATIVE_(cbrt, 0, kResult, Chain(g, T(1.0 / 3) / (y * y)))
MSHADOW_DERIVATIVE_(reciprocal, 0, kResult, Chain(g, -(y * y)))
MSHADOW_DERIVATIVE_(exp, 0, kResult, Chain(g, y))
MSHADOW_DERIVATIVE_(exp2, 0, kResult, Chain(g, y * T(0.693147180559945309)))
MSHADOW_DERIVATIVE_(expm1, 0, kResult, Chain(g, y + T(1)))
MSHADOW_DERIVATIVE_(log, 0, kA, Chain(g, T(1) / a))
MSHADOW_DERIVATIVE_(log2, 0, kA, Chain(g, T(1.44269504088896341) / a))
MSHADOW_DERIVATIVE_(log10, 0, kA, Chain(g, T(0.434294481903251828) / a))
MSHADOW_DERIVATIVE_(log1p, 0, kA, Chain(g, T(1) / (a + T(1))))
MSHADOW_DERIVATIVE_(sin, 0, kA, g * cos(a))
MSHADOW_DERIVATIVE_(cos, 0, kA, -(g * sin(a)))
MSHADOW_DERIVATIVE_(tan, 0, kResult, g * (T(1) + y * y))
MSHADOW_DERIVATIVE_(asin, 0, kA, Chain(g, rsqrt(T(1) - a * a)))
MSHADOW_DERIVATIVE_(acos, 0, kA, Chain(g, -rsqrt(T(1) - a * a)))
MSHADOW_DERIVATIVE_(atan, 0, kA, g / (T(1) + a * a))
MSHADOW_DERIVATIVE_(sinh, 0, kA, Chain(g, cosh(a)))
MSHADOW_DERIVATIVE_(cosh, 0, kA, Chain(g, sinh(a)))
MSHADOW_DERIVATIVE_(tanh, 0, kResult, g * (T(1) - y * y))
MSHADOW_DERIVATIVE_(asinh, 0, kA, g * rsqrt(a * a + T(1)))
MSHADOW_DERIVATIVE_(acosh, 0, kA, Chain(g, rsqrt(a * a - T(1))))
MSHADOW_DERIVATIVE_(atanh, 0, kA, Chain(g, T(1) / (T(1) - a * a)))
MSHADOW_DERIVATIVE_(erf, 0, kA, g * (T(1.12837916709551257) * exp(-(a * a))))
MSHADOW_DERIVATIVE_(erfc, 0, kA, g * (T(-1.12837916709551257) * exp(-(a * a))))
MSHADOW_DERIVATIVE_(sigmoid, 0, kResult, g * (y * (T(1) - y)))
MSHADOW_DERIVATIVE_(softplus, 0, kA, g * sigmoid(a))
MSHADOW_DERIVATIVE_(silu, 0, kA, g * (sigmoid(a) * (T(1) + a * (T(1) - sigmoid(a)))))
MSHADOW_DERIVATIVE_(gelu, 0, kA,
                    g * (T(0.5f) * (T(1) + erf(a * T(0.707106781186547524))) +
                       a * T(0.398942280401432678) * exp(T(-0.5f) * a * a)))
MSHADOW_DERIVATIVE_(relu, 0, kResult, MakeExp<detail::IfPositiveOp>(g, y))
MSHADOW_DERIVATIVE_(hardswish, 0, kA,
                    g * ((T(2) * a + T(3)) * T(1.0 / 6) *
                           MakeExp<detail::WithinOp>(a, ScalarExp<T>(T(-3)), ScalarExp<T>(T(3))) +
                       (a > T(3))))
MSHADOW_DERIVATIVE_IS_(sign, 0, true, false)
MSHADOW_DERIVATIVE_IS_(floor, 0, true, false)
MSHADOW_DERIVATIVE_IS_(ceil, 0, true, false)
MSHADOW_DERIVATIVE_IS_(round, 0, true, false)
MSHADOW_DERIVATIVE_IS_(trunc, 0, true, false)
MSHADOW_DERIVATIVE_IS_(logical_not, 0, true, false)
// clang-format on
#define MSHADOW_NO_DERIVATIVE_(name)           \
  MSHADOW_DERIVATIVE_IS_(name, 0, true, false) \
  MSHADOW_DERIVATIVE_IS_(name, 1, true, false)
MSHADOW_NO_DERIVATIVE_(eq)
MSHADOW_NO_DERIVATIVE_(ne)
MSHADOW_NO_DERIVATIVE_(lt)
MSHADOW_NO_DERIVATIVE_(le)
MSHADOW_NO_DERIVATIVE_(gt)
MSHADOW_NO_DERIVATIVE_(ge)
MSHADOW_NO_DERIVATIVE_(logical_and)
MSHADOW_NO_DERIVATIVE_(logical_or)
MSHADOW_NO_DERIVATIVE_(logical_xor)
#undef MSHADOW_NO_DERIVATIVE_
#undef MSHADOW_DERIVATIVE_
#undef MSHADOW_DERIVATIVE_IS_
/// leaky_relu has one argument, and the slope 0.01, or two.
template <>
struct Derivative<op::leaky_relu, 0> {
  static constexpr unsigned kReads = kA | kB;
  static constexpr bool kZero = false, kPass = false;
  template <typename G, typename Y, typename A>
  static auto Of(const G& g, const Y&, const A& a) {
    using T = detail::ElementOfExp<G>;
    return g * MakeExp<op::where>(a > T(0), ScalarExp<T>(T(1)), ScalarExp<T>(T(0.01)));
  }
  template <typename G, typename Y, typename A, typename B>
  static auto Of(const G& g, const Y&, const A& a, const B& b) {
    using T = detail::ElementOfExp<G>;
    return g * MakeExp<op::where>(a > T(0), ScalarExp<T>(T(1)), b);
  }
};
template <>
struct Derivative<op::leaky_relu, 1> {
  static constexpr unsigned kReads = kA;
  static constexpr bool kZero = false, kPass = false;
  template <typename G, typename Y, typename A, typename B>
  static auto Of(const G& g, const Y&, const A& a, const B&) {
    using T = detail::ElementOfExp<G>;
    return g * clip(a, -std::numeric_limits<T>::infinity(), T(0));
  }
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_DERIVATIVE_H_
