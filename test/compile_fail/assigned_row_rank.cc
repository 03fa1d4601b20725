// SPDX-License-Identifier: Apache-2.0
// expect: the expression has another number of axes than the tensor it is assigned
#include <mshadow/tensor.h>

using namespace mshadow;

void Statement(Tensor<cpu, 2> matrix, Tensor<cpu, 3> cube) {
#ifdef FIXED
  matrix[0] = cube[0][1];
#else
  matrix[0] = cube[0];
#endif
}
