// SPDX-License-Identifier: Apache-2.0
// RunLocal: ranks as threads of one process, for tests and for several devices.
#ifndef MSHADOW_DIST_RUN_LOCAL_H_
#define MSHADOW_DIST_RUN_LOCAL_H_

#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "communicator.h"
#include "local_provider.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// Calls f(world) on `ranks` threads at once, each with its Communicator<xpu>, and returns when all
/// have ended. A rank that throws makes the calls of the others throw; then the first exception is
/// thrown here. With gpu, rank r is on device r, or r modulo the number of devices; the provider
/// "nccl" connects them, else copies of the host.
template <typename xpu = cpu, typename F>
void RunLocal(int ranks, const F& f, const Options& options = Options()) {
  MSHADOW_CHECK(ranks > 0) << "dist: RunLocal: " << ranks << " ranks";
  std::vector<std::unique_ptr<Provider>> providers = MakeLocalProviders(ranks);
  std::mutex mutex;
  std::exception_ptr first;
  const auto keep = [&] {
    std::lock_guard<std::mutex> lock(mutex);
    if (!first) first = std::current_exception();
  };
  const auto run = [&](int rank) {
    std::unique_ptr<Provider>& provider = providers[std::size_t(rank)];
    try {
      detail::ChooseDevice(xpu(), rank);
#if MSHADOW_DIST_USE_NCCL
      if (!xpu::kDevCPU && options.provider == "nccl") {
        provider = MakeNcclProvider(std::move(provider), options);
      }
#endif
      Communicator<xpu> world(std::move(provider), options);
      const std::string who = "dist: rank " + std::to_string(rank) + " ended with an error: ";
      try {
        f(world);
      } catch (const std::exception& error) {
        keep();
        world.Abort(who + error.what());
      } catch (...) {
        keep();
        world.Abort(who + "not a std::exception");
      }
    } catch (...) {
      keep();
    }
    provider.reset();
  };
  std::vector<std::thread> threads;
  for (int rank = 1; rank < ranks; ++rank) {
    try {
      threads.emplace_back(run, rank);
    } catch (...) {
      keep();
      for (int r = rank; r < ranks; ++r) providers[std::size_t(r)].reset();
      break;
    }
  }
  std::thread(run, 0).join();
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_RUN_LOCAL_H_
