// SPDX-License-Identifier: Apache-2.0
// expect: a tensor of rank 0 has no axis to index; t.. is its element
#include <mshadow/rank0.h>

using namespace mshadow;

float Statement(Tensor<cpu, 0> s) {
#ifdef FIXED
  return s();
#else
  return s[0];
#endif
}
