// SPDX-License-Identifier: Apache-2.0
// expect: has a level for each axis
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement() {
#ifdef FIXED
  TensorContainer<cpu, 2> a({{1, 2, 3}});
#else
  TensorContainer<cpu, 2> a({1, 2, 3});
#endif
}
