// SPDX-License-Identifier: Apache-2.0
// A multilayer perceptron that learns exclusive or: softmax, cross entropy, gradient steps.
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  TensorContainer<Device, 2> x({{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  TensorContainer<Device, 1, int> label({0, 1, 1, 0});
  const index_t hidden = 8, classes = 2;
  const float n = static_cast<float>(x.size(0)), rate = 0.5f;

  TensorContainer<Device, 2> w1 = sin(reshape(range<float>(1, 1 + 2 * hidden), Shape2(2, hidden)));
  const Shape<2> shape2 = Shape2(hidden, classes);
  TensorContainer<Device, 2> w2 = cos(reshape(range<float>(0, shape2.Size()), shape2));
  TensorContainer<Device, 1> b1(Shape1(hidden), 0.0f), b2(Shape1(classes), 0.0f);
  TensorContainer<Device, 2> target = one_hot_encode(label, classes), h, z, dz, dh;

  for (int step = 0; step <= 200; ++step) {
    h = relu(dot(x, w1) + b1);
    z = dot(h, w2) + b2;
    z -= logsumexp<1>(z);  // log p
    dz = (exp(z) - target) / n;
    dh = dot(dz, w2.T()) * (h > 0);
    w2 -= rate * dot(h.T(), dz);
    b2 -= rate * sum<0>(dz);
    w1 -= rate * dot(x.T(), dh);
    b1 -= rate * sum<0>(dh);
    if (step % 100 == 0) {
      std::cout << std::setprecision(3) << "step " << step << ", loss " << -sum(target * z) / n
                << "\n";
    }
  }
  std::cout << "p\n" << exp(z) << "\n"
            << "right: " << sum(argmax<1>(z) == tcast<int64_t>(label)) << " of 4\n";
}
