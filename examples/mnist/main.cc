// SPDX-License-Identifier: Apache-2.0
// Trains a convolutional network on handwritten digits, by a tape of gradients. The network is
// network.h, one step of the training trainer.h; the rest reads, draws, shows, saves. It runs on
// one device or on several, each a rank with a share of every batch: run.h.
#include <cstdio>
#include <exception>

#include "options.h"
#include "run.h"

namespace mnist {

int Main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  if (options.help) {
    std::fputs(Usage(), stdout);
    return 0;
  }
#ifndef _OPENMP
  if (options.threads > 1) std::fputs("built without OpenMP: running on one thread\n", stderr);
#endif
  if (options.device == "cpu") return RunOnRanks<cpu>(options);
#if MSHADOW_USE_CUDA
  return RunOnGpu(options);
#else
  throw UsageError("--device gpu: this program was built without CUDA (CMake found no nvcc)");
#endif
}

}  // namespace mnist

int main(int argc, char** argv) {
  try {
    return mnist::Main(argc, argv);
  } catch (const mnist::UsageError& error) {
    std::fprintf(stderr, "mnist: %s\n\n%s", error.what(), mnist::Usage());
    return mnist::kExitUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mnist: %s\n", error.what());
    return mnist::kExitFailure;
  }
}
