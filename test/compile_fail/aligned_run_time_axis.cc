// SPDX-License-Identifier: Apache-2.0
// expect: which axis an operand lost in a reduction is known at run time only
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

void Statement(Tensor<cpu, 2> x) {
#ifdef FIXED
  x = x - broadcast_with_axis(reduce_with_axis<red::maximum, false>(x, 1), 0, x.size(1));
#else
  x = x - reduce_with_axis<red::maximum, false>(x, 1);
#endif
}
