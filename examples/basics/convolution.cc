// SPDX-License-Identifier: Apache-2.0
// The pieces of a convolutional network, forwards and backwards.
#include "print.h"

using namespace mshadow;
using namespace mshadow::expr;

int main() {
  // One image of one channel, 5 x 5, with the values 0 to 24.
  TensorContainer<cpu, 3> image(Shape3(1, 5, 5));
  for (index_t y = 0; y < 5; ++y) {
    for (index_t x = 0; x < 5; ++x) image[0][y][x] = static_cast<float>(y * 5 + x);
  }

  // Every 2 x 2 patch becomes a column, and the convolution a matrix product.
  const index_t patch = 2, stride = 1, out_side = 4;
  TensorContainer<cpu, 2> columns(Shape2(patch * patch, out_side * out_side));
  columns = unpack_patch2col(image, patch, patch, stride);
  TensorContainer<cpu, 2> weight(Shape2(1, patch * patch), 0.25f);  // one filter: the mean
  TensorContainer<cpu, 2> product(Shape2(1, out_side * out_side));
  product = dot(weight, columns);
  TensorContainer<cpu, 3> mean(Shape3(1, out_side, out_side));
  mean = reshape(product, mean.shape_);
  Print("mean of each 2 x 2 patch", mean[0]);

  // Pooling keeps the largest element of each window.
  TensorContainer<cpu, 3> pooled(Shape3(1, 2, 2));
  pooled = pool<red::maximum>(mean, 2, 2, 2);
  Print("largest of each 2 x 2 window", pooled[0]);

  // Backwards: a gradient goes to the element that was the largest, ...
  TensorContainer<cpu, 3> grad_pooled(pooled.shape_, 1.0f), grad_mean(mean.shape_);
  grad_mean = unpool<red::maximum>(mean, pooled, grad_pooled, 2, 2, 2);
  Print("gradient before the pooling", grad_mean[0]);

  // ... and from the columns back to the pixels, summed where patches overlap.
  product = reshape(grad_mean, product.shape_);
  columns = dot(weight.T(), product);
  TensorContainer<cpu, 3> grad_image(image.shape_);
  grad_image = pack_col2patch(columns, image.shape_, patch, patch, stride);
  Print("gradient of the image", grad_image[0]);

  // Windows and orientation of an image.
  TensorContainer<cpu, 3> corner(Shape3(1, 2, 3));
  corner = mirror(crop(image, Shape2(2, 3), 3, 0));
  Print("the lower left corner, mirrored", corner[0]);
}
