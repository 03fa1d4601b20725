// SPDX-License-Identifier: Apache-2.0
// expect: the functions of <mshadow/index.h> run on the host: Copy the tensor there
#include <mshadow/index.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<gpu, 2> x, Tensor<cpu, 2> on_host) {
#ifdef FIXED
  Copy(on_host, x);
  sort(on_host);
#else
  sort(x);
#endif
}
