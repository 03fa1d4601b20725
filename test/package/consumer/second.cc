// SPDX-License-Identifier: Apache-2.0
// A second file with the library in it: everything in the headers must be inline.
#include <mshadow/tensor.h>

float SumOfSquares(float x, float y) {
  using namespace mshadow;
  TensorContainer<cpu, 1> values(Shape1(2)), squares(Shape1(2));
  values[0] = x;
  values[1] = y;
  squares = values * values;
  return squares[0] + squares[1];
}
