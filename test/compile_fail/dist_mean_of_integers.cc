// SPDX-License-Identifier: Apache-2.0
// expect: the mean over ranks is one of floating-point elements
#include <mshadow/dist.h>

using namespace mshadow;

void Statement(dist::Communicator<cpu>& world, Tensor<cpu, 2, int> counts) {
#ifdef FIXED
  world.AllReduce<red::sum>(counts);
#else
  world.AllReduce<dist::mean>(counts);
#endif
}
