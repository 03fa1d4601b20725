// SPDX-License-Identifier: Apache-2.0
// expect: the expression has another number of axes than the tensor it is assigned
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> matrix, Tensor<cpu, 1> vector) {
#ifdef FIXED
  matrix[0] = vector + 1.0f;
#else
  matrix = vector + 1.0f;
#endif
}
