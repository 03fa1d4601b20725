// SPDX-License-Identifier: Apache-2.0
// The tests of collectives_threads_test.cc where ranks are processes: mpirun with up to 4 of them.
#include <gtest/gtest.h>
#include <mshadow/dist.h>

#include <thread>
#include <vector>

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

// Each thread has a communicator of its own, of one engine or of two, and makes groups of it. Ranks
// come to them in different orders.
TEST(Split, OnTwoThreadsAtOnce) {
  static auto world = Communicator<cpu>::World();
  for (const bool one_engine : {true, false}) {
    std::vector<Communicator<cpu>> own;
    for (int i = 0; i < 2; ++i) {
      own.push_back(one_engine ? world.Split(0) : Communicator<cpu>::World());
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&, mine = (i + world.rank()) % 2] {
        for (int round = 0; round < 20; ++round) {
          auto some = own[std::size_t(mine)].Split(world.rank() % 2);
          TensorContainer<cpu, 1> x(Shape1(3), static_cast<float>(mine + 1));
          some.AllReduce(x).Wait();
          EXPECT_EQ(x[2], static_cast<float>((mine + 1) * some.size()));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace dist
}  // namespace mshadow

#define RunLocal RunUnderMpi
#include "collectives_threads_test.cc"
