// SPDX-License-Identifier: Apache-2.0
// The constants of a differential equation from measurements: x'' = -k x - c x', a damped
// oscillator. Gauss-Newton steps take the derivatives of all measurements by k and by c, which
// forward mode carries through the integration.
#include <mshadow/grad.h>
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;

using Vector = TensorContainer<cpu, 1, double>;
constexpr index_t kRuns = 8;

/// Where oscillators that start from cos(i) with the velocity sin(i) are after 4 seconds, by the
/// midpoint rule. k, c (1) -> (kRuns)
template <typename T, typename K, typename C>
auto Places(T& t, const K& stiffness, const C& damping) {
  constexpr double kTime = 0.1;
  const auto k = t(broadcast_scalar(stiffness, Shape1(kRuns)));
  const auto c = t(broadcast_scalar(damping, Shape1(kRuns)));
  auto x = t(cos(range<double>(0, kRuns))), v = t(sin(range<double>(0, kRuns)));
  for (int step = 0; step < 40; ++step) {
    const auto x_half = t(x + kTime / 2 * v);
    const auto v_half = t(v - kTime / 2 * (k * x + c * v));
    x = t(x + kTime * v_half);
    v = t(v - kTime * (k * x_half + c * v_half));
  }
  return x;
}

int main() {
  const auto places = [](auto& t, const auto& k, const auto& c) { return Places(t, k, c); };
  const Vector one({1}), zero({0});
  const Vector measured = jvp(places, std::tuple(Vector({2}), Vector({0.3})),  // k = 2, c = 0.3
                              std::tie(zero, zero))
                              .first;

  Vector k({1}), c({0});
  std::cout << std::fixed << std::setprecision(4);
  for (int step = 0; step < 8; ++step) {
    const auto [x, by_k] = jvp(places, std::tie(k, c), std::tie(one, zero));
    const Vector by_c = jvp(places, std::tie(k, c), std::tie(zero, one)).second;
    const Vector error = measured - x;
    std::cout << "k = " << k[0] << ", c = " << c[0] << ", error " << norm(error) << "\n";

    // Normal equations of two unknowns.
    const double kk = sum(by_k * by_k), kc = sum(by_k * by_c), cc = sum(by_c * by_c);
    const double k_error = sum(by_k * error), c_error = sum(by_c * error);
    const double determinant = kk * cc - kc * kc;
    k += (cc * k_error - kc * c_error) / determinant;
    c += (kk * c_error - kc * k_error) / determinant;
  }
}
