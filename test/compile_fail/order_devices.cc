// SPDX-License-Identifier: Apache-2.0
// expect: take operands of one device, the cpu or a gpu
#include <mshadow/index.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<gpu, 2> x, Tensor<gpu, 1> values, Tensor<cpu, 1> on_host) {
#ifdef FIXED
  Copy(values, on_host);
  isin(x, values);
#else
  isin(x, on_host);
#endif
}
