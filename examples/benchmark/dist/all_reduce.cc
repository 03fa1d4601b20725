// SPDX-License-Identifier: Apache-2.0
// AllReduce of the library beside the bare MPI_Allreduce, and beside ranks that are threads of one
// process: the least time of many, and how many times as fast as MPI.
//   mpirun -n 2 benchmark_all_reduce
#include <mshadow/dist.h>  // brings mpi.h

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <vector>

namespace dist = mshadow::dist;
using World = dist::Communicator<mshadow::cpu>;

namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Least seconds of f() over the repetitions of a size; before each one the ranks meet.
template <typename Meet, typename F>
double Least(std::size_t bytes, mshadow::Tensor<mshadow::cpu, 1> t, const Meet& meet, const F& f) {
  double least = 1e9;
  for (std::size_t i = 0, n = std::min<std::size_t>(300, 10 + (std::size_t{1} << 28) / (bytes + 1));
       i < n; ++i) {
    t = 1.0f;  // sums do not overflow
    meet();
    const double start = Now();
    f();
    least = std::min(least, Now() - start);
  }
  return least;
}

/// The same between threads of this process: the slowest rank's least time.
double LeastOfThreads(int ranks, std::size_t bytes) {
  double slowest = 0;
  std::mutex mutex;
  dist::RunLocal(ranks, [&](World& world) {
    mshadow::TensorContainer<mshadow::cpu, 1> t(mshadow::Shape1(bytes / sizeof(float)));
    const double least = Least(bytes, t, [&] { world.Barrier(); },
                               [&] { world.AllReduce(t).Wait(); });
    std::lock_guard<std::mutex> lock(mutex);
    slowest = std::max(slowest, least);
  });
  return slowest;
}
}  // namespace

int main() {
  World world = World::World();
  if (world.rank() == 0) {
    std::printf("%d ranks; microseconds, and times as fast as MPI\n%10s %12s %12s %20s\n",
                world.size(), "bytes", "MPI", "mshadow", "threads");
  }
  for (std::size_t bytes = 4; bytes <= std::size_t{64} << 20; bytes *= 4) {
    const int count = static_cast<int>(bytes / sizeof(float));
    mshadow::TensorContainer<mshadow::cpu, 1> t(mshadow::Shape1(count));
    const auto meet = [] { MPI_Barrier(MPI_COMM_WORLD); };
    const double mpi = Least(bytes, t, meet, [&] {
      MPI_Allreduce(MPI_IN_PLACE, t.dptr_, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    });
    const double own = Least(bytes, t, meet, [&] { world.AllReduce(t).Wait(); });
    double threads = 0;
    if (world.rank() == 0) {
      threads = LeastOfThreads(world.size(), bytes);
      std::printf("%10zu %12.1f %12.1f %4.2f %15.1f %4.2f\n", bytes, mpi * 1e6, own * 1e6,
                  mpi / own, threads * 1e6, mpi / threads);
      std::fflush(stdout);
    }
    world.Barrier();  // the others leave the cores to the threads
  }
  return 0;
}
