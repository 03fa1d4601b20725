// SPDX-License-Identifier: Apache-2.0
// Logistic regression: p = sigmoid(x w + b), by steps along the gradient of the mean log loss,
// which a tape computes.
#include <mshadow/grad.h>
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  // Hours of study and of sleep; passed or not.
  TensorContainer<Device, 2> x({{1, 7}, {2, 5}, {2, 8}, {3, 6}, {4, 4}, {5, 6}, {6, 8}, {7, 5}});
  TensorContainer<Device, 1> y({0, 0, 0, 0, 1, 1, 1, 1});
  x = (x - mean<0>(x)) / stddev<0>(x);

  const float rate = 0.5f;
  Parameter<Device, 1> w(Shape1(2)), b(Shape1(1));
  for (int step = 0; step < 300; ++step) {
    Tape t;
    const auto z = t(dot(x, w) + broadcast_scalar(b, y.shape_));
    t.Backward(t(mean_all(softplus(z) - y * z)));  // -log p where y is 1, else -log(1 - p)
    w.value -= rate * w.grad();
    b.value -= rate * b.grad();
    w.ZeroGradient();
    b.ZeroGradient();
  }

  const TensorContainer<Device, 1> p =
      sigmoid(dot(x, w.value) + broadcast_scalar(b.value, y.shape_));
  std::cout << std::setprecision(2) << std::fixed << "weights " << w.value << ", bias " << b.value
            << "\np " << p << "\n"
            << "loss " << -mean(log(where(y, p, 1 - p))) << "\n"
            << "accuracy " << mean((p > 0.5f) == y) << "\n";
}
