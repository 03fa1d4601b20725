// SPDX-License-Identifier: Apache-2.0
// Image filters: a Gaussian blur, and edges by Sobel's two kernels.
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  // A bright square on a dark ground.
  TensorContainer<Device, 2> image(Shape2(8, 8), 0.0f);
  slice(image, Shape2(2, 2), Shape2(6, 6)) = 16.0f;

  // Each kernel is a column times a row: filter along y, then along x, with zeros around.
  TensorContainer<Device, 2> padded = pad(image, 1);
  const auto row = [&](index_t dy) { return slice<0>(padded, dy, dy + 8); };
  TensorContainer<Device, 2> smooth = row(0) + 2 * row(1) + row(2);  // (8, 10)
  TensorContainer<Device, 2> slope = row(2) - row(0);
  const auto at = [](const auto& t, index_t dx) { return slice<1>(t, dx, dx + 8); };

  TensorContainer<Device, 2> blur = (at(smooth, 0) + 2 * at(smooth, 1) + at(smooth, 2)) / 16;
  const auto gx = at(smooth, 2) - at(smooth, 0);
  const auto gy = at(slope, 0) + 2 * at(slope, 1) + at(slope, 2);
  TensorContainer<Device, 2> edges = sqrt(square(gx) + square(gy));

  std::cout << "blur\n" << blur << "\nedges\n" << round(edges) << "\n"
            << "pixels on an edge: " << sum(edges > 0.5f * max(edges)) << "\n";
}
