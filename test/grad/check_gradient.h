// SPDX-License-Identifier: Apache-2.0
// Gradients beside central differences, in double.
#ifndef MSHADOW_TEST_GRAD_CHECK_GRADIENT_H_
#define MSHADOW_TEST_GRAD_CHECK_GRADIENT_H_

#include <gtest/gtest.h>
#include <mshadow/grad.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace mshadow {
namespace testing {

/// Numbers in [low, high), the same ones for the same seed.
template <int dim>
void FillBetween(const Tensor<cpu, dim, double>& t, double low, double high, uint32_t seed = 1) {
  uint32_t state = seed * 2654435761u + 12345u;
  const auto rows = t.FlatTo2D();
  for (index_t y = 0; y < rows.size(0); ++y) {
    for (index_t x = 0; x < rows.size(1); ++x) {
      state = state * 1664525u + 1013904223u;
      rows(y, x) = low + (high - low) * static_cast<double>(state >> 8) / (1 << 24);
    }
  }
}

/// A Parameter of numbers in [low, high).
template <int dim>
struct Filled : Parameter<cpu, dim, double> {
  Filled(const Shape<dim>& shape, double low, double high, uint32_t seed = 1)
      : Parameter<cpu, dim, double>(shape) {
    FillBetween(this->value, low, high, seed);
  }
};

/// The sum of y = f(tape, p...) times fixed weights, and its gradients if asked for.
template <typename F, typename... P>
double LossOf(const F& f, bool backward, P&... p) {
  Tape tape;
  const auto y = f(tape, p...);
  TensorContainer<cpu, std::decay_t<decltype(y)>::kRank, double> weights(y.value.shape_);
  FillBetween(weights, 0.5, 1.5, 99);
  if (backward) tape.Backward(y, weights * 1.0);
  return sum(y.value * weights);
}

/// f(tape, p...) is a Variable: its gradient by each element of each p is what central differences
/// say.
template <typename F, typename... P>
void CheckGradient(const F& f, P&... p) {
  (p.ZeroGradient(), ...);
  LossOf(f, true, p...);
  int k = 0;
  const auto check = [&](auto& v) {
    const auto value = v.value.FlatTo2D(), gradient = v.grad().FlatTo2D();
    for (index_t y = 0; y < value.size(0); ++y) {
      for (index_t x = 0; x < value.size(1); ++x) {
        constexpr double kStep = 1e-5;
        const double old = value(y, x);
        value(y, x) = old + kStep;
        const double above = LossOf(f, false, p...);
        value(y, x) = old - kStep;
        const double below = LossOf(f, false, p...);
        value(y, x) = old;
        const double expected = (above - below) / (2 * kStep);
        ASSERT_NEAR(gradient(y, x), expected, 1e-6 * (1 + std::fabs(expected)))
            << "operand " << k << ", element (" << y << ", " << x << ")";
      }
    }
    ++k;
  };
  (check(p), ...);
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_GRAD_CHECK_GRADIENT_H_
