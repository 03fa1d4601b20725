// SPDX-License-Identifier: Apache-2.0
// expect: MSHADOW_USE_CUSOLVER=1, and takes
#include <mshadow/linalg.h>
using namespace mshadow;
using namespace mshadow::expr;

#ifdef FIXED
void Statement(Tensor<cpu, 2> a) {
#else
void Statement(Tensor<gpu, 2> a) {
#endif
  inv(a);
}
