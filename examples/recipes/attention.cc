// SPDX-License-Identifier: Apache-2.0
// Attention of one head, causal: softmax(q k' / sqrt(d)) v, where a query sees no later key.
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>
#include <cmath>
#include <limits>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  const index_t n = 4, d = 3;
  const Shape<2> shape = Shape2(n, d), square = Shape2(n, n);
  TensorContainer<Device, 2> q = sin(reshape(range<float>(0, n * d), shape));
  TensorContainer<Device, 2> k = cos(reshape(range<float>(0, n * d), shape));
  TensorContainer<Device, 2> v = reshape(range<float>(0, n * d), shape);

  const auto position = range(0, n);
  const auto later = position > broadcast<0>(position, square);
  TensorContainer<Device, 2> score = dot(q, k.T()) / std::sqrt(static_cast<float>(d));
  score = where(later, -std::numeric_limits<float>::infinity(), score);

  const auto e = exp(score - max<1>(score));
  TensorContainer<Device, 2> weight = e / sum<1>(e);
  TensorContainer<Device, 2> out = dot(weight, v);

  std::cout << std::setprecision(3) << "weights\n" << weight << "\nout\n" << out << "\n";
}
