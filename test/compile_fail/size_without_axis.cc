// SPDX-License-Identifier: Apache-2.0
// expect: t.size.axis. is an extent; the number of elements is t.shape_.Size..
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

index_t Elements(Tensor<cpu, 2> a) {
#ifdef FIXED
  return a.shape_.Size();
#else
  return a.size();
#endif
}
