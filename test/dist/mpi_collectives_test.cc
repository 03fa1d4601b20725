// SPDX-License-Identifier: Apache-2.0
// The tests of collectives_threads_test.cc where ranks are processes: mpirun with up to 4 of them.
#include <gtest/gtest.h>
#include <mshadow/dist.h>

namespace mshadow {
namespace dist {

/// RunLocal of that file: the first ranks call f.
template <typename F>
void RunUnderMpi(int ranks, const F& f) {
  static auto world = Communicator<cpu>::World();
  if (ranks > world.size()) return;
  auto some = world.Split(world.rank() < ranks);
  if (world.rank() < ranks) f(some);
}

}  // namespace dist
}  // namespace mshadow

#define RunLocal RunUnderMpi
#include "collectives_threads_test.cc"
