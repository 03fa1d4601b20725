// SPDX-License-Identifier: Apache-2.0
// expect: a reduction of an expression that has more axes than the operand beside it
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> matrix, Tensor<cpu, 3> cube) {
#ifdef FIXED
  matrix = matrix + sum<0, 1>(cube) - sum<0>(matrix);
  matrix = sum<2>(cube) - sum<1, 2>(cube);
#else
  matrix = matrix + sum<1, 2>(cube);
#endif
}
