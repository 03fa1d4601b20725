// SPDX-License-Identifier: Apache-2.0
// Gradient<Node>: the rule of a node that is no map; which expressions vary with a Variable.
#ifndef MSHADOW_GRAD_RULE_H_
#define MSHADOW_GRAD_RULE_H_

#include <tuple>
#include <type_traits>
#include <utility>

#include "complex.h"
#include "derivative.h"
#include "variable.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// The gradient of a node that is no map. A specialisation derives from GradientBase and has
///
///     using Operands = detail::TypeList<...>;
///     Apply(e, f)                returns f(operand...)
///     With(e, v...)              the node of the values v..., or what has its value
///     Reads(i)                   what Vjp of operand i reads: kA, kB, kC, kResult
///     Vjp<i>(e, g, y, v...)      the gradient by operand i, an expression of its shape; g is that
///                                of the result, y the result, v... the operands, as values
///
/// or, where that would be zero in most places, kAdds = true and
///
///     AddTo<i>(e, g, &gradient, v...)    which adds it to a tensor
template <typename E>
struct Gradient;

/// What jvp makes of a node. kLinear: With of the tangents, for operands it is linear in together;
/// kEachOperand: the sum over i of With of tangent i and the values of the others; kJvp: what
/// Jvp(e, dx, y, x) says, of one operand.
enum class Forward { kNone, kLinear, kEachOperand, kJvp };

struct GradientBase {
  static constexpr Forward kForward = Forward::kNone;
  /// Vjp takes each element of g once: g need not lie in memory.
  static constexpr bool kReadsOnce = false;
  /// The operands are best in memory.
  static constexpr bool kInMemory = false;
  /// The node costs next to nothing: its value is computed again.
  static constexpr bool kCheap = false;
  static constexpr bool kAdds = false;
  static constexpr unsigned Reads(int) { return kNone; }
};

namespace detail {

template <typename E, typename = void>
struct HasGradient : std::false_type {};
template <typename E>
struct HasGradient<E, std::void_t<typename Gradient<E>::Operands>> : std::true_type {};

template <typename List, int i>
struct TypeAt;
template <typename First, typename... Rest, int i>
struct TypeAt<TypeList<First, Rest...>, i> : TypeAt<TypeList<Rest...>, i - 1> {};
template <typename First, typename... Rest>
struct TypeAt<TypeList<First, Rest...>, 0> {
  using Type = First;
};
template <typename List>
struct LengthOf;
template <typename... Types>
struct LengthOf<TypeList<Types...>> {
  static constexpr int value = sizeof...(Types);
};

template <typename E, typename DType, int etype>
std::integral_constant<int, etype> KindOf(const Exp<E, DType, etype>&);
template <typename E>
inline constexpr int kKindOf = decltype(detail::KindOf(std::declval<const E&>()))::value;

template <typename E>
struct IsTensor : std::false_type {};
template <typename Device, int dim, typename DType>
struct IsTensor<Tensor<Device, dim, DType>> : std::true_type {};
template <typename E>
struct IsVariable : std::false_type {};
template <typename Device, int dim, typename DType>
struct IsVariable<Variable<Device, dim, DType>> : std::true_type {};

/// Maps: their operands' derivatives, and how they are made again of other operands.
template <typename E>
struct MapOf {
  static constexpr bool kIsMap = false;
};
/// The map by OP of these operands, of elements of DType: real ones, say, of complex operands.
template <typename OP, typename DType, typename... V>
inline auto MapTo(const V&... v) {
  if constexpr ((... && std::is_same_v<DType, ElementOfExp<V>>)) {
    return MakeExp<OP>(v...);
  } else if constexpr (sizeof...(V) == 1) {
    return UnaryMapExp<OP, V..., DType, (kKindOf<V> | ... | type::kMapper)>(v...);
  } else {
    return BinaryMapExp<OP, V..., DType, (kKindOf<V> | ... | type::kMapper)>(v...);
  }
}
template <typename OP>
struct MapOfOp {
  static constexpr bool kIsMap = true, kIsCast = false, kTakesComplex = kHasComplexRule<OP>;
  static constexpr int kCost = kCostOf<OP>;
  template <int i>
  using At = Derivative<OP, i>;
  template <int i, typename E, typename G, typename Y, typename... X>
  static decltype(auto) Vjp(const E&, const G& g, const Y& y, const X&... x) {
    return Derivative<OP, i>::Of(g, y, x...);
  }
  template <typename E, typename... V>
  static auto With(const E&, const V&... v) {
    return MapTo<OP, ElementOfExp<E>>(v...);
  }
};
template <typename OP, typename A, typename DType, int etype>
struct MapOf<UnaryMapExp<OP, A, DType, etype>> : MapOfOp<OP> {};
template <typename OP, typename A, typename B, typename DType, int etype>
struct MapOf<BinaryMapExp<OP, A, B, DType, etype>> : MapOfOp<OP> {};
template <typename OP, typename A, typename B, typename C, typename DType, int etype>
struct MapOf<TernaryMapExp<OP, A, B, C, DType, etype>> : MapOfOp<OP> {};
template <typename Fn, typename Map, typename DType, int etype>
struct MapOf<CallExp<Fn, Map, DType, etype>> {
  static constexpr bool kIsMap = true, kIsCast = false, kTakesComplex = false;
  static constexpr int kCost = 0;  // it is computed again
  template <int i>
  using At = Derivative<void, i>;  // reads all
  template <int i, typename E, typename G, typename Y, typename... X>
  static auto Vjp(const E& e, const G& g, const Y&, const X&... x) {
    return Chain(g, F(PartialFn<Fn, i>{e.function_.function_}, x...));
  }
  template <typename E, typename... V>
  static auto With(const E& e, const V&... v) {
    return MakeCall(e.function_.function_, MakeExp<Call>(v...));
  }
};
template <typename Dst, typename Src, typename A, int etype>
struct MapOf<TypecastExp<Dst, Src, A, etype>> {
  static constexpr bool kIsMap = true, kIsCast = true, kTakesComplex = true;
  static constexpr int kCost = 0;  // it is computed again
  struct Cast {
    static constexpr unsigned kReads = 0;
    static constexpr bool kZero =
        !std::is_floating_point_v<Src> && !mshadow::float16::kIsFloat16<Src> && !kIsComplex<Src>;
    static constexpr bool kPass = false;
  };
  template <int i>
  using At = Cast;
  template <int i, typename E, typename G, typename Y, typename X>
  static auto Vjp(const E&, const G& g, const Y&, const X&) {
    if constexpr (kIsComplex<Dst> && !kIsComplex<Src>) {
      return tcast<Src>(real(g));
    } else {
      return tcast<Src>(g);
    }
  }
  template <typename E, typename V>
  static auto With(const E&, const V& v) {
    return tcast<Dst>(v);
  }
};

/// Does the value of E depend on a Variable, smoothly?
template <typename E>
constexpr bool Varies();
template <typename E, int... i>
constexpr bool MapVaries(std::integer_sequence<int, i...>) {
  return (... || (!MapOf<E>::template At<i>::kZero &&
                  Varies<typename TypeAt<typename E::Operands, i>::Type>()));
}
template <typename... Es>
constexpr bool AnyComplex(TypeList<Es...>) {
  return (... || kIsComplex<ElementOfExp<Es>>);
}
template <typename... Es>
constexpr bool AnyVaries(TypeList<Es...>) {
  return (... || Varies<Es>());
}
template <typename E>
constexpr bool Varies() {
  if constexpr (IsVariable<E>::value) {
    return true;
  } else if constexpr (MapOf<E>::kIsMap) {
    constexpr bool kAny =
        MapVaries<E>(std::make_integer_sequence<int, LengthOf<typename E::Operands>::value>());
    constexpr bool kHasRule = !kAny || MapOf<E>::kTakesComplex ||
                              !(kIsComplex<ElementOfExp<E>> || AnyComplex(typename E::Operands()));
    static_assert(kHasRule,
                  "mshadow: this function of complex Variables has no gradient here: take .value");
    return kAny;
  } else if constexpr (HasGradient<E>::value) {
    return AnyVaries(typename Gradient<E>::Operands());
  } else if constexpr (IsTensor<E>::value || ExpInfo<E>::kDim == 0) {
    return false;
  } else {
    constexpr bool kNames = NamesVariable<E>();
    static_assert(
        !kNames,
        "mshadow: node E holds a Variable and has no gradient: take .value, or specialise "
        "Gradient<Node>, as guide/gradients.md says");
    return false;
  }
}
template <typename E>
inline constexpr bool kVaries = Varies<E>();

/// `e` repeated along the axes of `mask` to `shape`.
template <unsigned mask, typename E, int rank>
inline auto Repeat(const E& e, const Shape<rank>& shape) {
  return AlignedExp<E, ElementOfExp<E>, rank, static_cast<int>(mask)>(e, shape);
}
/// The sums of `e` over the axes of `mask`.
template <unsigned mask, typename E>
inline auto SumOver(const E& e) {
  return ReductionExp<statistic::Sum, E, ElementOfExp<E>, ExpInfo<E>::kDim, mask>(e);
}
template <bool ltrans, bool rtrans, typename A, typename B, typename DType>
inline auto Product(const A& a, const B& b, DType scale) {
  return DotExp<A, B, ltrans, rtrans, DType>(a, b, scale);
}
template <typename E>
inline auto ShapeOf(const E& e) {
  return ShapeCheck<ExpInfo<E>::kDim, E>::Check(e);
}
template <int n>
struct ConstantOp {
  template <typename T>
  MSHADOW_XINLINE static T Map(T) {
    return T(static_cast<float>(n));
  }
};

/// The sum of the `copies` of each axis, g being of the shape (copies[0] shape[0], ..).
template <typename G, int dim>
inline auto SumOfCopies(const G& g, const Shape<dim>& copies, const Shape<dim>& shape) {
  Shape<2 * dim> split;
  for (int k = 0; k < dim; ++k) {
    split[2 * k] = copies[k];
    split[2 * k + 1] = shape[k];
  }
  return SumOver<0x55555555u & ((1u << 2 * dim) - 1)>(reshape(g, split));
}
}  // namespace detail

/// The opposite of broadcast_to(y, shape of x): x summed over the axes in front that `shape` lacks,
/// and over those where `shape` has 1. x (.., s0, .., sk), shape (s0 or 1, .., sk or 1) -> shape.
/// Throws Error where an extent of `shape` is neither. Takes two to four times as long as sum<0>(x)
/// or sum<1>(x), which know their axes when they are compiled. Sums of integers have 64 bits.
template <typename E, typename DType, int etype, int dim>
inline auto sum_to(const Exp<E, DType, etype>& x, const Shape<dim>& shape) {
  constexpr int kDim = ExpInfo<E>::kDim;
  static_assert(dim <= kDim, "mshadow: sum_to: the result has more axes than the operand");
  const Shape<kDim> full = detail::ShapeOf(x.self());
  Shape<kDim> copies, left;
  for (int k = 0; k < kDim; ++k) {
    left[k] = k < kDim - dim ? 1 : shape[k - (kDim - dim)];
    MSHADOW_CHECK(left[k] == full[k] || left[k] == 1)
        << "sum_to: shape " << full << " cannot become " << shape << ": axis " << k
        << " of the operand is neither kept nor summed to 1";
    copies[k] = left[k] == full[k] ? 1 : full[k];
  }
  return reshape(detail::SumOfCopies(x.self(), copies, left), shape);
}
MSHADOW_OWNS_TEMPORARIES_(sum_to)

namespace detail {
/// The rule of a node of one operand src_.
template <typename SrcExp>
struct OfSource : GradientBase {
  static constexpr Forward kForward = Forward::kLinear;
  using Operands = TypeList<SrcExp>;
  template <typename E, typename F>
  static decltype(auto) Apply(const E& e, const F& f) {
    return f(e.src_);
  }
};
/// The same of a node that moves elements.
template <typename SrcExp>
struct OfMoved : OfSource<SrcExp> {
  static constexpr bool kReadsOnce = true, kCheap = true;
};
/// With and Vjp of a node of one operand: expressions of e, v, the operand's value, g
/// and y; Jvp that of its tangent dx.
#define MSHADOW_GRADIENT_WITH_(...)                           \
  template <typename E, typename V>                           \
  static auto With([[maybe_unused]] const E& e, const V& v) { \
    return __VA_ARGS__;                                       \
  }
#define MSHADOW_GRADIENT_JVP_(...)                                                       \
  static constexpr Forward kForward = Forward::kJvp;                                     \
  template <typename E, typename X, typename Y, typename V>                              \
  static auto Jvp([[maybe_unused]] const E& e, const X& dx, [[maybe_unused]] const Y& y, \
                  [[maybe_unused]] const V& v) {                                         \
    return __VA_ARGS__;                                                                  \
  }
#define MSHADOW_GRADIENT_VJP_(...)                                            \
  template <int i, typename E, typename G, typename Y, typename V>            \
  static auto Vjp([[maybe_unused]] const E& e, [[maybe_unused]] const G& g,   \
                  [[maybe_unused]] const Y& y, [[maybe_unused]] const V& v) { \
    return __VA_ARGS__;                                                       \
  }
}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_RULE_H_
