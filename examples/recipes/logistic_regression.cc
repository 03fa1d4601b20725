// SPDX-License-Identifier: Apache-2.0
// Logistic regression: p = sigmoid(x w + b), by steps along the gradient of the mean log loss.
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

  const float rate = 0.5f, n = static_cast<float>(x.size(0));
  TensorContainer<Device, 1> w(Shape1(2), 0.0f), p(y.shape_);
  float b = 0;
  for (int step = 0; step < 200; ++step) {
    p = sigmoid(dot(x, w) + b);
    w -= rate / n * dot(p - y, x);
    b -= rate * mean(p - y);
  }

  std::cout << std::setprecision(3) << std::fixed << "weights " << w << ", bias " << b << "\n"
            << "p " << p << "\n"
            << "loss " << -mean(log(where(y, p, 1 - p))) << "\n"
            << "accuracy " << mean((p > 0.5f) == y) << "\n";
}
