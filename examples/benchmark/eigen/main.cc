// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tensors.h"

namespace compare {
namespace {

struct Threads {
  explicit Threads(int count) : pool(count), device(&pool, count) {}
  Eigen::ThreadPool pool;
  Eigen::ThreadPoolDevice device;
};
std::unique_ptr<Threads> the_threads;

}  // namespace

const Eigen::ThreadPoolDevice& Pool() { return the_threads->device; }

}  // namespace compare

int main() {
  const std::string version = std::to_string(EIGEN_WORLD_VERSION) + "." +
                              std::to_string(EIGEN_MAJOR_VERSION) + "." +
                              std::to_string(EIGEN_MINOR_VERSION) + " with " + COMPARE_FLAGS;
  return compare::RunPeer(compare::AllParts(), version, [](int threads) {
    Eigen::setNbThreads(threads);
    if (threads > 1) compare::the_threads = std::make_unique<compare::Threads>(threads);
  });
}
