// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of images (N, C, H, W): forwards, and its gradient.
// https://arxiv.org/abs/1502.03167
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  const Shape<4> shape = Shape4(2, 3, 2, 2);
  const float epsilon = 1e-5f, momentum = 0.9f;
  TensorContainer<Device, 4> x = sin(reshape(range<float>(0, shape.Size()), shape)) * 3 + 5;
  TensorContainer<Device, 1> gamma({1, 2, 3}), beta({0, 0.5, 1});
  TensorContainer<Device, 1> running_mean(Shape1(3), 0.0f), running_var(Shape1(3), 1.0f);

  const auto centred = x - mean<0, 2, 3>(x);
  TensorContainer<Device, 4> normal = centred / sqrt(var<0, 2, 3>(x) + epsilon);
  TensorContainer<Device, 4> y = broadcast<1>(gamma, shape) * normal + broadcast<1>(beta, shape);
  running_mean = momentum * running_mean + (1 - momentum) * mean<0, 2, 3>(x);
  running_var = momentum * running_var + (1 - momentum) * var<0, 2, 3>(x);

  // The gradients, of a loss whose gradient by y is dy.
  TensorContainer<Device, 4> dy = cos(reshape(range<float>(0, shape.Size()), shape));
  TensorContainer<Device, 1> dgamma = sum<0, 2, 3>(dy * normal), dbeta = sum<0, 2, 3>(dy);
  TensorContainer<Device, 4> dx =
      broadcast<1>(gamma, shape) / sqrt(var<0, 2, 3>(x) + epsilon) *
      (dy - mean<0, 2, 3>(dy) - normal * mean<0, 2, 3>(dy * normal));

  std::cout << std::setprecision(3) << "y of the first image\n" << y[0] << "\n"
            << "running mean " << running_mean << ", var " << running_var << "\n"
            << "dgamma " << dgamma << ", dbeta " << dbeta << "\n"
            << "dx of the first channel " << reshape(dx[0][0], Shape1(4)) << "\n";
}
