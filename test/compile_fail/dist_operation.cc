// SPDX-License-Identifier: Apache-2.0
// expect: the operation is one of red::sum, red::maximum, red::minimum, dist::product, dist::mean
#include <mshadow/dist.h>

using namespace mshadow;

void Statement(dist::Communicator<cpu>& world, Tensor<cpu, 2> values) {
#ifdef FIXED
  world.Reduce<dist::product>(values, 0);
#else
  world.Reduce<op::mul>(values, 0);
#endif
}
