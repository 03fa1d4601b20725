// SPDX-License-Identifier: Apache-2.0
// Dual: a number with a derivative, which differentiates functions of any number type.
#ifndef MSHADOW_GRAD_DUAL_H_
#define MSHADOW_GRAD_DUAL_H_

#include <type_traits>

#include "../tensor.h"

MSHADOW_NAMESPACE_BEGIN

/// A number and its derivative. Functions are found by the argument: exp(a), not std::exp(a).
template <typename T>
struct Dual {
  T value, derivative;
  MSHADOW_XINLINE Dual() : value(T(0)), derivative(T(0)) {}
  MSHADOW_XINLINE Dual(T v) : value(v), derivative(T(0)) {}  // NOLINT: implicit
  MSHADOW_XINLINE Dual(T v, T d) : value(v), derivative(d) {}
  template <typename S, typename = std::enable_if_t<std::is_arithmetic_v<S>>, typename = void>
  MSHADOW_XINLINE Dual(S v) : value(static_cast<T>(v)), derivative(T(0)) {}  // NOLINT: implicit

  MSHADOW_XINLINE friend Dual operator+(Dual a, Dual b) {
    return {T(a.value + b.value), T(a.derivative + b.derivative)};
  }
  MSHADOW_XINLINE friend Dual operator-(Dual a, Dual b) {
    return {T(a.value - b.value), T(a.derivative - b.derivative)};
  }
  MSHADOW_XINLINE friend Dual operator*(Dual a, Dual b) {
    return {T(a.value * b.value), T(a.derivative * b.value + a.value * b.derivative)};
  }
  MSHADOW_XINLINE friend Dual operator/(Dual a, Dual b) {
    const T quotient = a.value / b.value;
    return {quotient, T((a.derivative - quotient * b.derivative) / b.value)};
  }
  MSHADOW_XINLINE friend Dual operator-(Dual a) { return {T(-a.value), T(-a.derivative)}; }
  MSHADOW_XINLINE friend Dual operator+(Dual a) { return a; }
  MSHADOW_XINLINE Dual& operator+=(Dual b) { return *this = *this + b; }
  MSHADOW_XINLINE Dual& operator-=(Dual b) { return *this = *this - b; }
  MSHADOW_XINLINE Dual& operator*=(Dual b) { return *this = *this * b; }
  MSHADOW_XINLINE Dual& operator/=(Dual b) { return *this = *this / b; }
  MSHADOW_XINLINE friend bool operator<(Dual a, Dual b) { return a.value < b.value; }
  MSHADOW_XINLINE friend bool operator>(Dual a, Dual b) { return a.value > b.value; }
  MSHADOW_XINLINE friend bool operator<=(Dual a, Dual b) { return a.value <= b.value; }
  MSHADOW_XINLINE friend bool operator>=(Dual a, Dual b) { return a.value >= b.value; }
  MSHADOW_XINLINE friend bool operator==(Dual a, Dual b) { return a.value == b.value; }
  MSHADOW_XINLINE friend bool operator!=(Dual a, Dual b) { return a.value != b.value; }

  MSHADOW_XINLINE friend Dual exp(Dual a) {
    const T y = op::exp::Map(a.value);
    return {y, T(y * a.derivative)};
  }
  MSHADOW_XINLINE friend Dual log(Dual a) {
    return {op::log::Map(a.value), a.derivative == T(0) ? T(0) : T(a.derivative / a.value)};
  }
  MSHADOW_XINLINE friend Dual sqrt(Dual a) {
    const T y = op::sqrt::Map(a.value);
    return {y, a.derivative == T(0) ? T(0) : T(a.derivative / (2 * y))};
  }
  MSHADOW_XINLINE friend Dual sin(Dual a) {
    return {op::sin::Map(a.value), T(op::cos::Map(a.value) * a.derivative)};
  }
  MSHADOW_XINLINE friend Dual cos(Dual a) {
    return {op::cos::Map(a.value), T(-op::sin::Map(a.value) * a.derivative)};
  }
  MSHADOW_XINLINE friend Dual tanh(Dual a) {
    const T y = op::tanh::Map(a.value);
    return {y, T((1 - y * y) * a.derivative)};
  }
  MSHADOW_XINLINE friend Dual abs(Dual a) { return a.value < T(0) ? -a : a; }
  MSHADOW_XINLINE friend Dual pow(Dual a, Dual b) {
    const T y = op::pow::Map(a.value, b.value);
    T d = T(0);
    if (a.derivative != T(0)) {
      d += a.derivative * b.value * op::pow::Map(a.value, T(b.value - T(1)));
    }
    if (b.derivative != T(0)) d += b.derivative * y * op::log::Map(a.value);
    return {y, d};
  }
};
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_GRAD_DUAL_H_
