// SPDX-License-Identifier: Apache-2.0
// Gradients of real losses through complex values, beside central differences in both parts.
#include <mshadow/complex.h>
#include <mshadow/einsum.h>
#include <mshadow/grad.h>
#include <mshadow/numpy.h>

#include <complex>

#include "check_gradient.h"

namespace mshadow {
namespace complex_gradient_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using C = std::complex<double>;

/// Numbers whose parts lie in [low, high).
template <int dim, typename T>
void Fill(const Tensor<cpu, dim, T>& t, double low, double high, uint32_t seed) {
  uint32_t state = seed * 2654435761u + 12345u;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * static_cast<double>(state >> 8) / (1 << 24);
  };
  const auto rows = t.FlatTo2D();
  for (index_t y = 0; y < rows.size(0); ++y) {
    for (index_t x = 0; x < rows.size(1); ++x) {
      const double re = next();
      if constexpr (kIsComplex<T>) {
        rows(y, x) = T(re, next());
      } else {
        rows(y, x) = re;
      }
    }
  }
}
template <int dim, typename T = C>
struct Filled : Parameter<cpu, dim, T> {
  Filled(const Shape<dim>& shape, double low, double high, uint32_t seed = 1)
      : Parameter<cpu, dim, T>(shape) {
    Fill(this->value, low, high, seed);
  }
};

/// The real part of the sum of conj(w) y, y = f(tape, p...), with fixed weights w.
template <typename F, typename... P>
double LossOf(const F& f, bool backward, P&... p) {
  Tape tape;
  const auto y = f(tape, p...);
  using Y = std::decay_t<decltype(y)>;
  using T = expr::detail::ElementOfExp<Y>;
  TensorContainer<cpu, Y::kRank, T> w(y.value.shape_);
  Fill(Tensor<cpu, Y::kRank, T>(w), 0.5, 1.5, 99);
  if (backward) tape.Backward(y, w * T(1));
  double loss = 0;
  const auto values = y.value.FlatTo2D(), weights = w.FlatTo2D();
  for (index_t i = 0; i < values.size(0); ++i) {
    for (index_t k = 0; k < values.size(1); ++k) {
      loss += (std::conj(C(weights(i, k))) * C(values(i, k))).real();
    }
  }
  return loss;
}
template <typename F, typename... P>
void CheckGradient(const F& f, P&... p) {
  (p.ZeroGradient(), ...);
  LossOf(f, true, p...);
  const auto check = [&](auto& v) {
    const auto value = v.value.FlatTo2D(), gradient = v.grad().FlatTo2D();
    using T = std::decay_t<decltype(value(0, 0))>;
    constexpr double kStep = 1e-6;
    for (index_t y = 0; y < value.size(0); ++y) {
      for (index_t x = 0; x < value.size(1); ++x) {
        const T old = value(y, x);
        const auto slope = [&](T step) {
          value(y, x) = old + step;
          const double above = LossOf(f, false, p...);
          value(y, x) = old - step;
          const double below = LossOf(f, false, p...);
          value(y, x) = old;
          return (above - below) / (2 * kStep);
        };
        C expected = slope(T(kStep));
        if constexpr (kIsComplex<T>) expected += C(0, slope(T(0, kStep)));
        ASSERT_LE(std::abs(C(gradient(y, x)) - expected), 1e-7 * (1 + std::abs(expected)))
            << C(gradient(y, x)) << ", not " << expected << ", at " << C(old);
      }
    }
  };
  (check(p), ...);
}

TEST(ComplexGradient, Arithmetic) {
  Filled<2> z(Shape2(3, 4), 0.5, 2, 1), w(Shape2(3, 4), -2, -0.5, 2);
  Filled<1> row(Shape1(4), 0.5, 1, 3);
  CheckGradient([](auto& t, const auto& a, const auto& b) { return t(a + b * C(0, 2)); }, z, w);
  CheckGradient([](auto& t, const auto& a, const auto& b) { return t(a * b - a * C(1, 2)); }, z, w);
  CheckGradient([](auto& t, const auto& a, const auto& b) { return t(a / b + C(2, 1) / a); }, z, w);
  CheckGradient([](auto& t, const auto& a, const auto& b) { return t(-a * a * conj(b)); }, z, w);
  CheckGradient([](auto& t, const auto& a, const auto& v) { return t(a * v + v); }, z, row);
  CheckGradient([](auto& t, const auto& a, const auto& b) { return t(square(a) * pow(b, 3)); }, z,
                w);
  CheckGradient([](auto& t, const auto& a, const auto& b) { return t(pow(a, b)); }, z, w);
  CheckGradient([](auto& t, const auto& a, const auto& b) {
    return t(where(real(a.value) > 1, a * C(0, 1), b));
  }, z, w);
}

TEST(ComplexGradient, RealAndComplex) {
  Filled<2> z(Shape2(3, 4), 0.5, 2, 1);
  Filled<2, double> x(Shape2(3, 4), -2, -0.5, 2);
  Filled<1, double> v(Shape1(4), 0.5, 1, 3);
  CheckGradient([](auto& t, const auto& a) { return t(real(a) * imag(a)); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(abs(a) + square(abs(a))); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(arg(a) + angle(a * C(0, 1))); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(real(a * conj(a))); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(MakeComplex(imag(a), real(a))); }, z);
  CheckGradient([](auto& t, const auto& a, const auto& b) { return t(a * b); }, z, x);
  CheckGradient([](auto& t, const auto& a, const auto& b) { return t(b / a + b); }, z, v);
  CheckGradient([](auto& t, const auto& b) { return t(b * C(1, 2)); }, x);
  CheckGradient([](auto& t, const auto& b) { return t(tcast<C>(b) + exp(b * C(0, 1))); }, x);
  CheckGradient([](auto& t, const auto& a, const auto& b) { return t(polar(abs(a), b)); }, z, x);
  CheckGradient([](auto& t, const auto& a) { return t(round(a) + a * isfinite(a)); }, z);
}

TEST(ComplexGradient, Functions) {
  Filled<2> z(Shape2(2, 3), 0.25, 0.75, 1);
#define MSHADOW_CHECK_NAME_(name) \
  CheckGradient([](auto& t, const auto& a) { return t(name(a) * C(1, 2)); }, z);
  MSHADOW_CHECK_NAME_(exp)
  MSHADOW_CHECK_NAME_(exp2)
  MSHADOW_CHECK_NAME_(expm1)
  MSHADOW_CHECK_NAME_(log)
  MSHADOW_CHECK_NAME_(log2)
  MSHADOW_CHECK_NAME_(log10)
  MSHADOW_CHECK_NAME_(log1p)
  MSHADOW_CHECK_NAME_(sqrt)
  MSHADOW_CHECK_NAME_(rsqrt)
  MSHADOW_CHECK_NAME_(reciprocal)
  MSHADOW_CHECK_NAME_(sin)
  MSHADOW_CHECK_NAME_(cos)
  MSHADOW_CHECK_NAME_(tan)
  MSHADOW_CHECK_NAME_(asin)
  MSHADOW_CHECK_NAME_(acos)
  MSHADOW_CHECK_NAME_(atan)
  MSHADOW_CHECK_NAME_(sinh)
  MSHADOW_CHECK_NAME_(cosh)
  MSHADOW_CHECK_NAME_(tanh)
  MSHADOW_CHECK_NAME_(asinh)
  MSHADOW_CHECK_NAME_(acosh)
  MSHADOW_CHECK_NAME_(atanh)
#undef MSHADOW_CHECK_NAME_
  Filled<1> left(Shape1(4), -2, -0.5, 3);
  CheckGradient([](auto& t, const auto& a) { return t(acosh(a) * asin(a) * sqrt(a)); }, left);
  CheckGradient([](auto& t, const auto& a) { return t(exp(sin(a) * C(0, 1)) / log(a)); }, z);
}

TEST(ComplexGradient, ReductionsAndViews) {
  Filled<2> z(Shape2(3, 4), 0.5, 2, 1);
  CheckGradient([](auto& t, const auto& a) { return t(sum<1>(a * a)); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(a - mean<0>(a) * C(0, 1)); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(prod<1>(a)); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(norm<1>(a)); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(var<0>(a)); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(sum_all(a * conj(a) * a)); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(mean_all(abs(a))); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(sum_rows(a * C(0, 1))); }, z);
  CheckGradient([](auto& t, const auto& a) { return t(a.T() * C(1, 1)); }, z);
  CheckGradient([](auto& t, const auto& a) {
    return t(flip(a, 0) * slice<1>(concat<1>(a, a), 2, 6));
  }, z);
}

TEST(ComplexGradient, Products) {
  Filled<2> a(Shape2(3, 4), 0.5, 2, 1), b(Shape2(4, 2), -1, 1, 2);
  Filled<1> v(Shape1(4), -1, 1, 3);
  Filled<2, double> x(Shape2(4, 2), -1, 1, 4);
  CheckGradient([](auto& t, const auto& p, const auto& q) { return t(dot(p, q)); }, a, b);
  CheckGradient([](auto& t, const auto& p, const auto& q) { return t(dot(p, q) * C(1, 2)); }, a, b);
  CheckGradient([](auto& t, const auto& p) { return t(dot(conj(p).T(), p)); }, a);
  CheckGradient([](auto& t, const auto& p) { return t(dot(p, p.T())); }, a);
  CheckGradient([](auto& t, const auto& p, const auto& q) { return t(dot(p, q)); }, a, v);
  CheckGradient([](auto& t, const auto& p, const auto& q) { return t(dot(p, q)); }, v, b);
  CheckGradient([](auto& t, const auto& p, const auto& q) { return t(dot(p, q)); }, a, x);
  CheckGradient([](auto& t, const auto& p, const auto& q) { return t(abs(dot(exp(p), q))); }, a, b);
  CheckGradient([](auto& t, const auto& p, const auto& q) {
    return t(MSHADOW_EINSUM("ij,jk->ki", p, q));
  }, a, b);
}

TEST(ComplexGradient, RealGradientOfAComplexResult) {
  using Complex = std::complex<float>;
  Parameter<cpu, 1, Complex> z(Shape1(3), Complex(1, 2));
  const TensorContainer<cpu, 1> dy({1, 2, 3});
  Tape tape;
  tape.Backward(tape(z * Complex(0, 2)), dy);
  for (index_t i = 0; i < 3; ++i) EXPECT_EQ(z.grad()[i], Complex(0, -2) * dy[i]);
}

TEST(ComplexGradient, DescentFindsACircle) {
  // Statements of several kinds, one after another, as PyTorch's convention promises: z -= rate g.
  Parameter<cpu, 1, std::complex<float>> z(Shape1(3));
  z.value = std::complex<float>(2, 1);
  for (int step = 0; step < 200; ++step) {
    z.ZeroGradient();
    Tape tape;
    const auto size = tape(abs(z));
    const auto loss = tape(sum_all(square(size - 1)));
    tape.Backward(loss);
    z.value -= z.grad() * 0.1f;
  }
  EXPECT_NEAR(std::abs(z.value[1]), 1, 1e-4);
  EXPECT_NEAR(std::arg(z.value[1]), std::arg(std::complex<float>(2, 1)), 1e-4);
}

}  // namespace
}  // namespace complex_gradient_test
}  // namespace mshadow
