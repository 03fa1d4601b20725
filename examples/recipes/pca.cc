// SPDX-License-Identifier: Apache-2.0
// Principal components by power iteration: v <- C v / |C v|, then C without what v explains.
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  TensorContainer<Device, 2> x({{2.5, 2.4, 0.1}, {0.5, 0.7, 0.3}, {2.2, 2.9, 0.2},
                                {1.9, 2.2, 0.9}, {3.1, 3.0, 0.4}, {2.3, 2.7, 0.8},
                                {2.0, 1.6, 0.5}, {1.0, 1.1, 0.7}});
  const float n1 = static_cast<float>(x.size(0) - 1);
  x -= mean<0>(x);
  TensorContainer<Device, 2> covariance = dot(x.T(), x) / n1;
  const float total = sum(square(x)) / n1;

  std::cout << std::setprecision(3);
  for (int component = 0; component < 2; ++component) {
    TensorContainer<Device, 1> v(Shape1(3), 1.0f);
    float variance = 0;
    for (int step = 0; step < 50; ++step) {
      v = dot(covariance, v);
      variance = norm(v);
      v /= variance;
    }
    covariance -= variance * dot(v.T(), v);
    std::cout << "component " << v << " explains " << variance / total << "\n"
              << "scores " << dot(x, v) << "\n";
  }
}
