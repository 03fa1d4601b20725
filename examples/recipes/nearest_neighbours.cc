// SPDX-License-Identifier: Apache-2.0
// Nearest neighbours: all pairwise distances, each point classified by the nearest other one.
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  TensorContainer<Device, 2> x({{1, 1}, {1, 2}, {2, 1.5}, {6, 6}, {7, 6}, {6, 7}, {3, 4}});
  TensorContainer<Device, 1, int> label({0, 0, 0, 1, 1, 1, 1});
  const index_t n = x.size(0);

  // |a - b|^2 = |a|^2 + |b|^2 - 2 a b; rounding may leave less than 0.
  const auto norm2 = eval(sum<1>(x * x));
  const Shape<2> square = Shape2(n, n);
  TensorContainer<Device, 2> distance =
      sqrt(maximum(broadcast<0>(norm2, square) + norm2 - 2 * dot(x, x.T()), 0));

  // The distance of a point to itself does not count.
  const auto i = range(0, n);
  const auto self = i == broadcast<0>(i, square);
  const float far = max(distance) + 1;
  TensorContainer<Device, 1, int64_t> neighbour = argmin<1>(where(self, far, distance));
  TensorContainer<Device, 2, int> found = take(neighbour, reshape(label, Shape2(n, 1)));

  std::cout << std::setprecision(3) << "distances\n" << distance << "\nneighbour " << neighbour
            << "\nclass " << reshape(found, Shape1(n))
            << "\nright " << sum(reshape(found, Shape1(n)) == label) << " of " << n << "\n";
}
