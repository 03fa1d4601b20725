// SPDX-License-Identifier: Apache-2.0
// jvp beside central differences, in double.
#ifndef MSHADOW_TEST_GRAD_CHECK_JVP_H_
#define MSHADOW_TEST_GRAD_CHECK_JVP_H_

#include "check_gradient.h"

namespace mshadow {
namespace testing {

/// The value of f at x + step dx.
template <typename F, typename... X>
auto ValueAt(const F& f, double step, const X&... x) {
  Tape t;
  const auto y = f(t, Parameter<cpu, X::kRank, double>(x.value + step * x.grad())...);
  return TensorContainer<cpu, std::decay_t<decltype(y)>::kRank, double>(y.value * 1.0);
}
/// jvp of f is what central differences say. Tangents are the gradients of x.
template <typename F, typename... X>
void CheckJvp(const F& f, const X&... x) {
  uint32_t seed = 50;
  (FillBetween(x.grad(), -1, 1, ++seed), ...);
  const auto [y, dy] = jvp(f, std::make_tuple(x.value...), std::make_tuple(x.grad()...));
  constexpr double kStep = 1e-5;
  const auto here = ValueAt(f, 0, x...), above = ValueAt(f, kStep, x...),
             below = ValueAt(f, -kStep, x...);
  EXPECT_EQ(sum(y != here), 0.0);
  const auto difference = eval((above - below) * (0.5 / kStep) - dy);
  EXPECT_LT(max(abs(difference)), 1e-6 * (1 + max(abs(dy))));
  EXPECT_GT(max(abs(dy)), 0.0);
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_GRAD_CHECK_JVP_H_
