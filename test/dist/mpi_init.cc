// SPDX-License-Identifier: Apache-2.0
// A program that initialises and finalises MPI itself, for one thread. Its communicator is destroyed
// after that.
#include <mshadow/dist.h>

#include <cstdio>
#include <string>

int main() {
  namespace dist = mshadow::dist;
  int level = 0;
  MPI_Init(nullptr, nullptr);
  MPI_Query_thread(&level);
  dist::Options options;
  options.provider = "mpi";
  if (level < MPI_THREAD_SERIALIZED) {
    options.progress = dist::Progress::kThread;
    try {
      dist::Communicator<mshadow::cpu>::World(options);
      return 1;
    } catch (const dist::CollectiveError& error) {
      const std::string text = error.what();
      if (text.find(", process ") == std::string::npos ||
          text.find("MPI_THREAD_SERIALIZED") == std::string::npos) {
        return 2;
      }
    }
  }
  options.progress = dist::Progress::kAuto;  // the caller's
  auto world = dist::Communicator<mshadow::cpu>::World(options);
  mshadow::TensorContainer<mshadow::cpu, 1> t(mshadow::Shape1(3), 1.0f);
  world.AllReduce(t).Wait();
  if (t[2] != world.size()) return 3;
  MPI_Finalize();
  std::printf("rank %d: fine\n", world.rank());
  return 0;
}
