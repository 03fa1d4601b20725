// SPDX-License-Identifier: Apache-2.0
// expect: a tensor of rank 0 converts to its element on the cpu alone; t.item.. waits for a device
#include <mshadow/rank0.h>

using namespace mshadow;

float Statement(Tensor<gpu, 0> s) {
#ifdef FIXED
  return s.item();
#else
  return s;
#endif
}
