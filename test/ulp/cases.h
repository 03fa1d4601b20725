// SPDX-License-Identifier: Apache-2.0
// The ops whose error is measured, each with its definition in terms of the C library.
#ifndef MSHADOW_TEST_ULP_CASES_H_
#define MSHADOW_TEST_ULP_CASES_H_

#include <cmath>
#include <cstddef>
#include <vector>

namespace ulp {

/// One op over arrays; b is null for ops of one argument. `run` uses the active instruction set.
template <typename T, typename Wide>
struct Case {
  const char* name;
  int arguments;
  void (*run)(const T* a, const T* b, T* out, std::ptrdiff_t count);
  void (*reference)(const T* a, const T* b, Wide* out, std::ptrdiff_t count);
};

using FloatCase = Case<float, double>;
using DoubleCase = Case<double, long double>;
std::vector<FloatCase> FloatCases();
std::vector<DoubleCase> DoubleCases();

// The definitions. T is wider than the type under test.
namespace reference {

template <typename T>
T rsqrt(T a) {
  return 1 / std::sqrt(a);
}
template <typename T>
T reciprocal(T a) {
  return 1 / a;
}
template <typename T>
T square(T a) {
  return a * a;
}
template <typename T>
T round(T a) {
  return std::nearbyint(a);
}
template <typename T>
T sigmoid(T a) {
  return 1 / (1 + std::exp(-a));
}
template <typename T>
T softplus(T a) {
  return (a > 0 ? a : 0) + std::log1p(std::exp(-std::fabs(a)));
}
// Values are computed before they are chosen, so that the loops over double are vectorised.
template <typename T>
T silu(T a) {
  const T value = a / (1 + std::exp(-a));
  return a < T(-20000) ? -T(0) : value;  // -inf / inf
}
/// erfc magnifies the rounding of its argument t by 2 t^2: with long double, which must serve for
/// double, that is corrected to first order.
template <typename T>
T gelu(T a) {
  constexpr T scale = T(0.70710678118654752440084436210484903928L);
  const T t = -a * scale;
  T phi = std::erfc(t);
  if constexpr (sizeof(T) > sizeof(double)) {
    const T lost = std::fma(-a, scale, -t);
    const T slope = T(1.12837916709551257389615890312154517169L) * std::exp(-t * t);
    phi -= std::isfinite(a) ? slope * lost : 0;
  }
  const T value = a / 2 * phi;
  return a < T(-200) ? -T(0) : value;  // -inf 0
}
template <typename T>
T relu(T a) {
  return a > 0 || a != a ? a : 0;
}
template <typename T>
T hardswish(T a) {
  const T value = a * (a + 3) / 6;
  return a < -3 ? 0 : a > 3 ? a : value;
}
template <typename T>
T mod(T a, T b) {
  const T rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
template <typename T>
T div(T a, T b) {
  return a / b;
}

using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atan2;
using std::atanh;
using std::cbrt;
using std::ceil;
using std::cos;
using std::cosh;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::floor;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::pow;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;
using std::trunc;

}  // namespace reference
}  // namespace ulp

// X(name) for every op of one argument and of two. Exact ones (negate, max, comparisons, ...) are
// not here: their tests compare for equality.
#define MSHADOW_ULP_UNARY(X)                                                                   \
  X(square) X(sqrt) X(rsqrt) X(cbrt) X(reciprocal) X(floor) X(ceil) X(round) X(trunc)          \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p)                                     \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan)                                                 \
  X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)                                           \
  X(erf) X(erfc) X(sigmoid) X(softplus) X(relu) X(hardswish) X(gelu) X(silu)
#define MSHADOW_ULP_BINARY(X) X(div) X(mod) X(pow) X(atan2)

#endif  // MSHADOW_TEST_ULP_CASES_H_
