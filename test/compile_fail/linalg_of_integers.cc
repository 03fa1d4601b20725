// SPDX-License-Identifier: Apache-2.0
// expect: computes in float, double and std::complex of them
#include <mshadow/linalg.h>
using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2, int> z) {
#ifdef FIXED
  inv(tcast<double>(z));
#else
  inv(z);
#endif
}
