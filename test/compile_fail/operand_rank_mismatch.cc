// SPDX-License-Identifier: Apache-2.0
// expect: its operands differ in the number of axes
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> matrix, Tensor<cpu, 1> vector) {
#ifdef FIXED
  matrix[0] = matrix[0] + vector;
#else
  matrix = matrix + vector;
#endif
}
