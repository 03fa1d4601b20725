// SPDX-License-Identifier: Apache-2.0
// expect: a TensorContainer is given a shape of another number of axes than its own
#include <mshadow/tensor.h>

using namespace mshadow;

void Statement() {
#ifdef FIXED
  TensorContainer<cpu, 3> a(Shape3(2, 3, 4), 1.0f);
#else
  TensorContainer<cpu, 2> a(Shape3(2, 3, 4), 1.0f);
#endif
}
