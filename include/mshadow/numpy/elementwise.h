// SPDX-License-Identifier: Apache-2.0
// Functions of elements that tensor.h leaves out: hypot, fmod, floor_divide, bitwise_and, isclose,
// ..
#ifndef MSHADOW_NUMPY_ELEMENTWISE_H_
#define MSHADOW_NUMPY_ELEMENTWISE_H_

#include <cstdint>
#include <limits>
#include <type_traits>

#include "../tensor.h"

MSHADOW_NAMESPACE_BEGIN
namespace op {

/// Defines an op of two numbers a and b, rounded once to the element type.
#define MSHADOW_NUMPY_OP_(name, formula)                 \
  struct name {                                          \
    template <typename DType>                            \
    MSHADOW_XINLINE static DType Map(DType x, DType y) { \
      using T = math::Real<DType>;                       \
      const T a = math::ToReal(x), b = math::ToReal(y);  \
      return math::FromReal<DType>(formula);             \
    }                                                    \
  };
/// Defines an op of two integers.
#define MSHADOW_NUMPY_BITS_(name, formula)                                                    \
  struct name {                                                                               \
    template <typename DType>                                                                 \
    MSHADOW_XINLINE static DType Map(DType a, DType b) {                                      \
      static_assert(std::is_integral_v<DType>,                                                \
                    "mshadow: " #name " takes integers; tcast<int>(x) makes them of others"); \
      if constexpr (std::is_integral_v<DType>) {                                              \
        return static_cast<DType>(formula);                                                   \
      } else {                                                                                \
        return a;                                                                             \
      }                                                                                       \
    }                                                                                         \
  };

/// sqrt(a^2 + b^2) without overflow. As in C, inf where one is, else NaN where one is.
struct hypot {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType x, DType y) {
    using T = math::Real<DType>;
    const T a = math::Abs(math::ToReal(x)), b = math::Abs(math::ToReal(y));
    const T high = a < b ? b : a, low = a < b ? a : b, ratio = low / high;
    const T finite = high == 0 ? high + low : high * math::Sqrt(1 + ratio * ratio);
    constexpr T kInfinity = math::Ieee<T>::kInfinity;
    return math::FromReal<DType>(a == kInfinity || b == kInfinity ? kInfinity : finite);
  }
};
/// log(exp(a) + exp(b)) without overflow.
struct logaddexp {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType x, DType y) {
    using T = math::Real<DType>;
    const T a = math::ToReal(x), b = math::ToReal(y), high = a < b ? b : a;
    const T less = high == (a < b ? a : b) ? T(0) : -math::Abs(a - b);  // inf - inf is 0 here
    return math::FromReal<DType>(high + math::Log1p(math::Exp(less)));
  }
};
/// a - b trunc(a / b), of the sign of a: C's fmod. (x % y has the sign of y.)
MSHADOW_NUMPY_OP_(fmod, math::Remainder(a, b))
/// |a| with the sign of b, also of a zero or a NaN.
MSHADOW_NUMPY_OP_(copysign, math::WithSign(math::Abs(a), b))
/// 0 for a < 0, 1 for a > 0, b for a = 0; NaN stays NaN.
MSHADOW_NUMPY_OP_(heaviside, a<0 ? T(0) : a> 0 ? T(1) : a == 0 ? b : a)
/// The larger, and the smaller, one; of a NaN and a number the number.
MSHADOW_NUMPY_OP_(fmax, a >= b || b != b ? a : b)
MSHADOW_NUMPY_OP_(fmin, a <= b || b != b ? a : b)
/// Where a is NaN, b; else a.
MSHADOW_NUMPY_OP_(nan_or, a != a ? b : a)

MSHADOW_NUMPY_BITS_(bitwise_and, a& b)
MSHADOW_NUMPY_BITS_(bitwise_or, a | b)
MSHADOW_NUMPY_BITS_(bitwise_xor, a ^ b)
/// What is left of a that is moved down by all its places: copies of its sign.
template <typename DType>
MSHADOW_XINLINE DType Copies(DType a) {
  if constexpr (std::is_signed_v<DType>) {
    return static_cast<DType>(a < 0 ? -1 : 0);
  } else {
    return DType(0);
  }
}
/// The bits of a moved b places up, and down with copies of the sign. As in NumPy, of a b that is
/// negative or not less than their number nothing is left but the copies.
MSHADOW_NUMPY_BITS_(left_shift, static_cast<std::uint64_t>(b) < 64
                                    ? static_cast<std::uint64_t>(a) << b
                                    : std::uint64_t{0})
MSHADOW_NUMPY_BITS_(right_shift, static_cast<std::uint64_t>(b) < sizeof(DType) * 8
                                     ? static_cast<DType>(a >> b)
                                     : Copies(a))
#undef MSHADOW_NUMPY_OP_
#undef MSHADOW_NUMPY_BITS_

/// The bits of an integer the other way round; of a bool, not.
struct invert {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    static_assert(std::is_integral_v<DType>,
                  "mshadow: invert takes integers; !x is 1 where x is 0, of any type");
    if constexpr (std::is_same_v<DType, bool>) {
      return !a;
    } else {
      return static_cast<DType>(~a);
    }
  }
};
/// floor(a / b); 0 for an integer b = 0.
struct floor_divide {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a, DType b) {
    if constexpr (std::is_integral_v<DType>) {
      if constexpr (std::is_same_v<DType, bool>) {
        return a && b;
      } else {
        const DType divisor = math::SafeDivisor(a, b), quotient = math::IntegerQuotient(a, divisor);
        const DType rest = static_cast<DType>(a - quotient * divisor);
        const bool below = int(rest != 0) & int((rest ^ divisor) < 0);
        return b == 0 ? DType(0) : static_cast<DType>(quotient - DType(below));
      }
    } else {
      return math::FromReal<DType>(math::Floor(math::ToReal(a) / math::ToReal(b)));
    }
  }
};
/// sin(pi a) / (pi a); 1 for a = 0.
struct sinc {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    using T = math::Real<DType>;
    const T angle = math::ToReal(a) * T(3.14159265358979323846);
    return math::FromReal<DType>(angle == 0 ? T(1) : math::Sin(angle) / angle);
  }
};

}  // namespace op

namespace expr {
namespace detail {
/// T in double: std::complex<double> of a std::complex.
template <typename T>
struct DoubleOf {
  using Type = double;
};
template <template <typename> class C, typename T>
struct DoubleOf<C<T>> {
  using Type = C<double>;
};

template <typename E>
std::true_type IsNode(const adl::AdlTag<E>*);
std::false_type IsNode(const void*);
/// True if one of the arguments is an expression.
template <typename... Args>
using EnableIfNode = std::enable_if_t<(
    ... || decltype(detail::IsNode(static_cast<std::decay_t<Args>*>(nullptr)))::value)>;

/// An argument as an operand: an expression as what it is, a number as it is.
template <typename E>
inline const E& ArgumentOf(const adl::AdlTag<E>& e) {
  return static_cast<const E&>(e);
}
template <typename S, typename = std::enable_if_t<IsScalar<S>::value>>
inline S ArgumentOf(const S& number) {
  return number;
}
template <typename Device, int dim, typename DType>
inline auto ArgumentOf(TensorContainer<Device, dim, DType>&& t) {
  return static_cast<TensorContainer<Device, dim, DType>&&>(t).Owned();
}

/// f(a, b), where f is true if it is for all rows. Of tensors on the host that differ early it does
/// not read the rest: it takes parts of rows, each eight times as long as the one before.
template <typename A, typename B, typename Function>
inline bool AllOf(const A& a, const B& b, const Function& f) {
  return f(a, b);
}
template <int dim, typename T, typename U, typename Function>
inline bool AllOf(const Tensor<cpu, dim, T>& a, const Tensor<cpu, dim, U>& b, const Function& f) {
  const std::size_t rows = static_cast<std::size_t>(a.shape_[0]);
  if (a.shape_ != b.shape_ || rows < 2) return f(a, b);
  const std::size_t each = static_cast<std::size_t>(a.shape_.CheckedSize()) / rows;
  std::size_t begin = 0, count = 4096 / (each + 1) + 1;
  while (begin < rows) {
    const std::size_t end = count < rows - begin ? begin + count : rows;
    const auto from = static_cast<index_t>(begin), to = static_cast<index_t>(end);
    if (!f(a.Slice(from, to), b.Slice(from, to))) return false;
    begin = end;
    count *= 8;
  }
  return true;
}

}  // namespace detail

namespace adl {

// name(a, b), element by element; a or b may be a number.
#define MSHADOW_NUMPY_BINARY_(name)                                        \
  template <typename A, typename B, typename = detail::EnableIfNode<A, B>> \
  inline auto name(A&& a, B&& b) {                                         \
    return F<op::name>(detail::ArgumentOf(static_cast<A&&>(a)),            \
                       detail::ArgumentOf(static_cast<B&&>(b)));           \
  }
MSHADOW_NUMPY_BINARY_(hypot)
MSHADOW_NUMPY_BINARY_(logaddexp)
MSHADOW_NUMPY_BINARY_(fmod)
MSHADOW_NUMPY_BINARY_(copysign)
MSHADOW_NUMPY_BINARY_(heaviside)
MSHADOW_NUMPY_BINARY_(fmax)
MSHADOW_NUMPY_BINARY_(fmin)
MSHADOW_NUMPY_BINARY_(floor_divide)
MSHADOW_NUMPY_BINARY_(bitwise_and)
MSHADOW_NUMPY_BINARY_(bitwise_or)
MSHADOW_NUMPY_BINARY_(bitwise_xor)
MSHADOW_NUMPY_BINARY_(left_shift)
MSHADOW_NUMPY_BINARY_(right_shift)
#undef MSHADOW_NUMPY_BINARY_

#define MSHADOW_NUMPY_UNARY_(name)                               \
  template <typename A, typename = detail::EnableIfNode<A>>      \
  inline auto name(A&& a) {                                      \
    return F<op::name>(detail::ArgumentOf(static_cast<A&&>(a))); \
  }
MSHADOW_NUMPY_UNARY_(invert)
MSHADOW_NUMPY_UNARY_(sinc)
#undef MSHADOW_NUMPY_UNARY_

/// Degrees as radians, and back.
template <typename A, typename = detail::EnableIfNode<A>>
inline auto deg2rad(A&& a) {
  return detail::ArgumentOf(static_cast<A&&>(a)) * 0.017453292519943295769;
}
template <typename A, typename = detail::EnableIfNode<A>>
inline auto rad2deg(A&& a) {
  return detail::ArgumentOf(static_cast<A&&>(a)) * 57.295779513082320877;
}

/// x, with these numbers for NaN and the infinities; by default 0, the largest and the least finite
/// number of the type. Of complex numbers, each part.
template <typename E, typename DType, int etype, typename T = typename PartOf<DType>::Type>
inline auto nan_to_num(const Exp<E, DType, etype>& x, double nan = 0,
                       double posinf = static_cast<double>((std::numeric_limits<T>::max)()),
                       double neginf = static_cast<double>(std::numeric_limits<T>::lowest())) {
  static_assert(float16::kIsFloat<T>,
                "mshadow: nan_to_num takes floating-point numbers; integers have no NaN");
  if constexpr (kIsComplex<DType>) {
    return MakeComplex(nan_to_num(real(x.self()), nan, posinf, neginf),
                       nan_to_num(imag(x.self()), nan, posinf, neginf));
  } else {
    const auto limited = where(x == std::numeric_limits<DType>::infinity(), DType(posinf), x);
    return F<op::nan_or>(
        where(x == -std::numeric_limits<DType>::infinity(), DType(neginf), limited), DType(nan));
  }
}

/// 1 where |a - b| <= atol + rtol |b|, or a and b are the same infinity; with equal_nan, or both
/// are NaN; of a's type, of complex ones their real type. Element types may differ: all compute in
/// double. https://numpy.org/doc/stable/reference/generated/numpy.isclose.html
template <typename A, typename B, typename DA, typename DB, int e1, int e2>
inline auto isclose(const Exp<A, DA, e1>& a, const Exp<B, DB, e2>& b, double rtol = 1e-5,
                    double atol = 1e-8, bool equal_nan = false) {
  using Wide = typename detail::DoubleOf<std::conditional_t<kIsComplex<DA>, DA, DB>>::Type;
  const auto x = tcast<Wide>(a.self());
  const auto y = tcast<Wide>(b.self());
  const auto distance = abs(x - y);
  const auto size = abs(y);
  if constexpr (kIsComplex<Wide>) {  // whose comparisons are complex, too
    return tcast<typename PartOf<DA>::Type>(
        real(x == y) || (distance <= size * rtol + atol && isfinite(size)) ||
        (real(x != x) && real(y != y) && equal_nan));
  } else {
    return tcast<DA>(x == y || (distance <= size * rtol + atol && isfinite(y)) ||
                        (x != x && y != y && equal_nan));
  }
}
MSHADOW_OWNS_TEMPORARIES_(nan_to_num)
MSHADOW_OWNS_TEMPORARIES_(isclose)
/// all(isclose(a, b)), a bool.
template <typename A, typename B, typename DA, typename DB, int e1, int e2>
inline bool allclose(const Exp<A, DA, e1>& a, const Exp<B, DB, e2>& b, double rtol = 1e-5,
                     double atol = 1e-8, bool equal_nan = false) {
  return detail::AllOf(a.self(), b.self(), [=](const auto& x, const auto& y) {
    return all(isclose(x, y, rtol, atol, equal_nan));
  });
}
/// Have a and b one shape and equal elements? NaN equals nothing.
template <typename A, typename B, typename DA, typename DB, int e1, int e2>
inline bool array_equal(const Exp<A, DA, e1>& a, const Exp<B, DB, e2>& b) {
  static_assert(ExpInfo<A>::kDim == ExpInfo<B>::kDim,
                "mshadow: array_equal compares tensors of one rank");
  constexpr int kDim = ExpInfo<A>::kDim;
  if (ShapeCheck<kDim, A>::Check(a.self()) != ShapeCheck<kDim, B>::Check(b.self())) return false;
  return detail::AllOf(a.self(), b.self(),
                       [](const auto& x, const auto& y) { return all(x == y); });
}

}  // namespace adl

using adl::allclose;
using adl::array_equal;

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_NUMPY_ELEMENTWISE_H_
