// SPDX-License-Identifier: Apache-2.0
// A multilayer perceptron that learns exclusive or: layers, cross entropy, gradients by a tape.
#include <mshadow/grad.h>
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

// One step of gradient descent.
template <int dim>
void Descend(Parameter<Device, dim>* p, float rate) {
  p->value -= rate * p->grad();
  p->ZeroGradient();
}

int main() {
  const TensorContainer<Device, 2> x({{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  const TensorContainer<Device, 1, int> label({0, 1, 1, 0});
  const index_t hidden = 8, classes = 2;
  const float rate = 0.5f;

  const Shape<2> shape1 = Shape2(2, hidden), shape2 = Shape2(hidden, classes);
  Parameter<Device, 2> w1(sin(reshape(range<float>(1, 1 + shape1.Size()), shape1)));
  Parameter<Device, 2> w2(cos(reshape(range<float>(0, shape2.Size()), shape2)));
  Parameter<Device, 1> b1(Shape1(hidden)), b2(Shape1(classes));
  const auto network = [&](Tape& t) {
    const auto h = t(relu(dot(x, w1) + b1));
    return t(dot(h, w2) + b2);
  };

  for (int step = 0; step <= 200; ++step) {
    Tape t;
    const auto loss = t(mean_all(cross_entropy(network(t), label)));
    t.Backward(loss);
    Descend(&w1, rate);
    Descend(&b1, rate);
    Descend(&w2, rate);
    Descend(&b2, rate);
    if (step % 100 == 0) {
      std::cout << std::setprecision(3) << "step " << step << ", loss " << sum(loss.value) << "\n";
    }
  }
  Tape t;
  const auto z = network(t);
  std::cout << "p\n"
            << softmax<1>(z.value) << "\n"
            << "right: " << sum(argmax<1>(z.value) == tcast<int64_t>(label)) << " of 4\n";
}
