// SPDX-License-Identifier: Apache-2.0
// An LSTM cell run over a sequence. https://doi.org/10.1162/neco.1997.9.8.1735
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  const index_t steps = 5, batch = 2, in = 3, m = 2;
  const Shape<3> sequence = Shape3(steps, batch, in);
  TensorContainer<Device, 3> x = sin(reshape(range<float>(0, sequence.Size()), sequence));
  const auto weights = reshape(range<float>(0, (in + m) * 4 * m), Shape2(in + m, 4 * m));
  TensorContainer<Device, 2> w = 0.5f * sin(weights);
  const auto wx = w.Slice(0, in), wh = w.Slice(in, in + m);
  TensorContainer<Device, 1> b(Shape1(4 * m), 0.1f);
  TensorContainer<Device, 2> h(Shape2(batch, m), 0.0f), c(h.shape_, 0.0f), z(Shape2(batch, 4 * m));

  // The columns of the four gates: views, which follow z.
  const auto input = slice<1>(z, 0, m), forget = slice<1>(z, m, 2 * m);
  const auto update = slice<1>(z, 2 * m, 3 * m), output = slice<1>(z, 3 * m, 4 * m);
  for (index_t t = 0; t < steps; ++t) {
    z = dot(x[t], wx) + dot(h, wh) + b;
    c = sigmoid(forget) * c + sigmoid(input) * tanh(update);
    h = sigmoid(output) * tanh(c);
  }

  std::cout << std::setprecision(3) << "h\n" << h << "\nc\n" << c << "\n";
}
