// SPDX-License-Identifier: Apache-2.0
// k-means: each point to the nearest centre, each centre to the mean of its points.
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  TensorContainer<Device, 2> x({{1, 1}, {1.5, 2}, {2, 1}, {8, 8}, {8, 9}, {9, 8}, {1, 9}, {2, 8}});
  const index_t k = 3;
  TensorContainer<Device, 2> centre = x.Slice(1, 1 + k), members(Shape2(x.size(0), k));
  TensorContainer<Device, 1, int64_t> nearest;

  for (int step = 0; step < 5; ++step) {
    // |x - c|^2 = |x|^2 - 2 x c + |c|^2, and |x|^2 plays no part in the choice.
    const auto c2 = eval(sum<1>(centre * centre));
    nearest = argmin<1>(c2 - 2 * dot(x, centre.T()));
    members = one_hot_encode(nearest, k);
    centre = dot(members.T(), x) / sum<1>(members.T());
  }

  std::cout << std::setprecision(3) << "centres\n" << centre << "\nnearest " << nearest
            << "\nsizes " << sum<0>(members) << "\n";
}
