// SPDX-License-Identifier: Apache-2.0
// A program of several ranks, the last of which does something wrong. The others print what they
// are told, each in one line: mpi_failures.sh compares.
//   mpi_failures kill|stop|throw|finish|shape|dtype|order
#include <mshadow/dist.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

namespace dist = mshadow::dist;
using Clock = std::chrono::steady_clock;

namespace {

/// What the last rank does in place of a step. Returns true if it goes on.
bool GoesWrong(const std::string& how, dist::Communicator<mshadow::cpu>* world) {
  mshadow::TensorContainer<mshadow::cpu, 1> other(mshadow::Shape1(7), 1.0f);
  mshadow::TensorContainer<mshadow::cpu, 1, int> integers(mshadow::Shape1(1000), 1);
  if (how == "kill") raise(SIGKILL);
  if (how == "stop") raise(SIGSTOP);
  if (how == "throw") throw std::runtime_error("out of digits");
  if (how == "shape") world->AllReduce(other).Wait();
  if (how == "dtype") world->AllReduce(integers).Wait();
  if (how == "order") world->Broadcast(other, 0).Wait();
  return how != "finish";
}

int Run(const std::string& how) {
  auto world = dist::Communicator<mshadow::cpu>::World();
  mshadow::TensorContainer<mshadow::cpu, 1> gradient(mshadow::Shape1(1000), 1.0f);
  const int wrong_step = 1 + static_cast<int>(Clock::now().time_since_epoch().count() % 50);
  Clock::time_point start = Clock::now();
  std::printf("rank %d begins\n", world.rank());
  std::fflush(stdout);
  try {
    for (int step = 0; step < 200; ++step) {
      if (step == wrong_step && world.rank() + 1 == world.size() && !GoesWrong(how, &world)) {
        return 0;
      }
      gradient = 1.0f;
      start = Clock::now();
      world.AllReduce(gradient, "gradient").Wait();
      if (gradient[999] != static_cast<float>(world.size())) std::abort();
    }
    std::printf("rank %d: nothing went wrong\n", world.rank());
  } catch (const dist::CollectiveError& error) {
    std::string text = error.what();
    for (char& c : text)
      if (c == '\n') c = ';';
    const std::chrono::duration<double> seconds = Clock::now() - start;
    std::string line = "rank " + std::to_string(world.rank());
    line += seconds.count() < 5 ? ", in time, ranks" : ", late, ranks";
    for (int r : error.ranks) line += " " + std::to_string(r);
    line += ": " + text + "\n";
    if (write(1, line.data(), line.size()) < 0) return 5;  // at once: lines must not mix
    // Who ends now ends all: let the others speak.
    std::this_thread::sleep_for(std::chrono::milliseconds(1000));
    return 3;
  }
  return 0;
}
}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc > 1 ? argv[1] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 4;
  }
}
