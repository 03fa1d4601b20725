// SPDX-License-Identifier: Apache-2.0
// Sums the numbers of the ranks. Also compiled by mpicxx alone.
#include <mshadow/dist.h>

#include <cstdio>

int main() {
  auto world = mshadow::dist::Communicator<mshadow::cpu>::World();
  mshadow::TensorContainer<mshadow::cpu, 2> t(mshadow::Shape2(3, 5), world.rank() + 1.0f);
  world.AllReduce<mshadow::red::sum>(t).Wait();
  const float expected = static_cast<float>(world.size() * (world.size() + 1) / 2);
  if (t[2][4] != expected || std::string(world.provider()) != "mpi") return 1;
  std::printf("rank %d of %d has %g\n", world.rank(), world.size(), t[2][4]);
  return 0;
}
