// SPDX-License-Identifier: Apache-2.0
// The heat equation du/dt = d2u/dx2 + d2u/dy2 on a square plate, by explicit steps.
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  const index_t n = 6;
  TensorContainer<Device, 2> u(Shape2(n, n), 0.0f);
  u[0] = 100.0f;  // the upper side is hot, the others stay cold

  const auto shifted = [&](index_t y, index_t x) {
    return slice(u, Shape2(y, x), Shape2(y + n - 2, x + n - 2));
  };
  auto inner = shifted(1, 1);
  int steps = 0;
  for (float change = 1; change > 0.01f; ++steps) {
    // All of the right side is computed before the plate changes.
    auto flow = eval(shifted(0, 1) + shifted(2, 1) + shifted(1, 0) + shifted(1, 2) - 4 * inner);
    inner += 0.25f * flow;
    change = max(abs(flow));
  }

  std::cout << std::setprecision(2) << u << "\nsteady after " << steps << " steps\n";
}
