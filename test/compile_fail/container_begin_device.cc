// SPDX-License-Identifier: Apache-2.0
// expect: begin\(\) and end\(\) are those of containers on the cpu
#include <mshadow/tensor.h>

#include <vector>

using namespace mshadow;

float First(const TensorContainer<gpu, 1>& a) {
#ifdef FIXED
  return ToVector(a)[0];
#else
  return *a.begin();
#endif
}
