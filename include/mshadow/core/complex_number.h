// SPDX-License-Identifier: Apache-2.0
// Complex numbers inside kernels, without <complex>, which takes a quarter as long to compile as
// tensor.h. <mshadow/complex.h> has what works on tensors of them.
#ifndef MSHADOW_CORE_COMPLEX_NUMBER_H_
#define MSHADOW_CORE_COMPLEX_NUMBER_H_

#include <type_traits>
#include <utility>

#include "config.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {
template <typename T, typename = void>
struct IsComplex : std::false_type {};
template <typename T>
struct IsComplex<T, std::void_t<typename T::value_type, decltype(std::declval<const T&>().real()),
                                decltype(std::declval<const T&>().imag())>> : std::true_type {};
}  // namespace detail
/// True of std::complex, and of types that have its members.
template <typename T>
inline constexpr bool kIsComplex = detail::IsComplex<T>::value;

/// The parts of a C, a std::complex, whose memory it shares. The members of std::complex are no
/// functions for kernels: GCC leaves calls of them there. Its product looks for NaN, too, which
/// takes a loop its vectors.
template <typename C>
struct ComplexNumber {
  using T = typename C::value_type;
  T re, im;

  ComplexNumber() = default;
  MSHADOW_XINLINE ComplexNumber(T real, T imag) : re(real), im(imag) {}
  template <typename S, typename = std::enable_if_t<std::is_arithmetic_v<S>>>
  MSHADOW_XINLINE ComplexNumber(S real) : re(static_cast<T>(real)), im(T(0)) {}  // NOLINT: implicit
  // As the standard allows. GCC makes vectors of these loads and stores, of memcpy it does not.
  MSHADOW_XINLINE ComplexNumber(const C& z)  // NOLINT: implicit
      : re(reinterpret_cast<const T*>(&z)[0]), im(reinterpret_cast<const T*>(&z)[1]) {
    static_assert(sizeof(C) == 2 * sizeof(T), "two numbers");
  }
  template <typename Other>
  MSHADOW_XINLINE explicit ComplexNumber(const ComplexNumber<Other>& z)
      : re(static_cast<T>(z.re)), im(static_cast<T>(z.im)) {}
  MSHADOW_XINLINE operator C() const {  // NOLINT: implicit
    union Value {
      T parts[2];
      C z;
      MSHADOW_XINLINE explicit Value(const ComplexNumber& number) : parts{number.re, number.im} {}
    };
    return Value(*this).z;
  }

  friend MSHADOW_XINLINE ComplexNumber operator+(ComplexNumber a, ComplexNumber b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend MSHADOW_XINLINE ComplexNumber operator-(ComplexNumber a, ComplexNumber b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend MSHADOW_XINLINE ComplexNumber operator*(ComplexNumber a, ComplexNumber b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend MSHADOW_XINLINE bool operator==(ComplexNumber a, ComplexNumber b) {
    return int(a.re == b.re) & int(a.im == b.im);
  }
  friend MSHADOW_XINLINE bool operator!=(ComplexNumber a, ComplexNumber b) { return !(a == b); }
  MSHADOW_XINLINE ComplexNumber& operator+=(ComplexNumber b) { return *this = *this + b; }
  MSHADOW_XINLINE ComplexNumber& operator*=(ComplexNumber b) { return *this = *this * b; }
};

namespace detail {
template <typename C, typename T>
struct ComplexOfType;
template <template <typename> class C, typename U, typename T>
struct ComplexOfType<C<U>, T> {
  using Type = C<T>;
};
template <typename To, typename From, bool is_complex>
struct IsPartOf : std::false_type {};
template <typename To, typename From>
struct IsPartOf<To, From, true> : std::is_same<typename To::value_type, From> {};
}  // namespace detail
/// True if To is complex and From the type of its parts, of which it is made without a cast.
template <typename To, typename From>
inline constexpr bool kIsPartOf = detail::IsPartOf<To, From, kIsComplex<To>>::value;

namespace detail {
template <typename T, bool is_complex>
struct ComputedType {
  using Type = T;
};
template <typename T>
struct ComputedType<T, true> {
  using Type = ComplexNumber<T>;
};
}  // namespace detail
/// The type of the parts of T; of real numbers, T.
template <typename T, typename = void>
struct PartOf {
  using Type = T;
};
template <typename T>
struct PartOf<T, std::enable_if_t<kIsComplex<T>>> {
  using Type = typename T::value_type;
};

/// What computes in the place of T: ComplexNumber of complex numbers, else T.
template <typename T>
using Computed = typename detail::ComputedType<T, kIsComplex<T>>::Type;

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_COMPLEX_NUMBER_H_
