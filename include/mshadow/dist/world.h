// SPDX-License-Identifier: Apache-2.0
// The group of all ranks of a program: its provider, and threads for its ranks.
#ifndef MSHADOW_DIST_WORLD_H_
#define MSHADOW_DIST_WORLD_H_

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "channel.h"
#include "local_provider.h"
#include "options.h"
#include "provider.h"
#if MSHADOW_DIST_USE_MPI
#include "mpi_provider.h"
#endif
#if MSHADOW_DIST_USE_NCCL
#include "nccl_provider.h"
#endif

MSHADOW_NAMESPACE_BEGIN
namespace dist {
namespace detail {

/// True if mpirun, mpiexec or srun started this process.
inline bool UnderLauncher() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

/// Throws Error if the launcher of this process has started others. It must be the only rank.
inline void CheckAlone() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* const text = std::getenv(name);
    if (text == nullptr || std::atoi(text) <= 1) continue;
    throw Error(std::string("dist: ") + name + "=" + text + ": a launcher has started " + text +
                " processes, but each would be rank 0 of 1: " +
                (MSHADOW_DIST_USE_MPI ? "the program's MPI is not the launcher's"
                                      : "compile the program with MSHADOW_DIST_USE_MPI=1") +
                ". If each process works alone, set MSHADOW_DIST=local");
  }
}

inline int Cores() { return (std::max)(1, static_cast<int>(std::thread::hardware_concurrency())); }

/// Gives the calling thread's statements their share of the cores, unless OMP_NUM_THREADS says how
/// many. Says so once, where there are several ranks.
inline void ShareCores(const Provider& provider) {
  if (!kHasThreads || provider.local_size() < 2 || std::getenv("OMP_NUM_THREADS") != nullptr) {
    return;
  }
  const int threads = (std::max)(1, Cores() / provider.local_size());
  SetThreads(threads);
  static std::atomic<bool> said{false};
  if (provider.rank() == 0 && !said.exchange(true)) {
    std::fprintf(stderr, "mshadow: %d ranks of %d on this host, %d of %d cores each\n",
                 provider.local_size(), provider.size(), threads, Cores());
  }
}

inline bool WantsThread(const Provider& provider, const Options& options) {
  if (options.progress != Progress::kAuto) return options.progress == Progress::kThread;
  return provider.size() > 1 && provider.TakesThreads() &&
         Cores() > provider.local_size() * MaxThreads();
}

inline std::shared_ptr<Channel> MakeChannel(std::unique_ptr<Provider> provider,
                                            const Options& options) {
  ShareCores(*provider);
  const auto engine = std::make_shared<Engine>(WantsThread(*provider, options));
  return std::make_shared<Channel>(std::move(provider), engine, options);
}

#if MSHADOW_DIST_USE_NCCL
/// The number in the first of the environment variables `names` that is set, else Error.
inline int NumberFrom(const std::vector<const char*>& names) {
  for (const char* const name : names) {
    if (const char* const text = std::getenv(name)) return std::atoi(text);
  }
  throw Error(std::string("dist: MSHADOW_DIST_NCCL_FILE is set, but neither ") + names[0] +
              " nor " + names[1]);
}
#endif

}  // namespace detail

#if MSHADOW_DIST_USE_NCCL
/// The ranks of the program: those of `companion`, unless that is null. Then those that share the
/// file MSHADOW_DIST_NCCL_FILE, with the numbers that MSHADOW_DIST_RANK and MSHADOW_DIST_SIZE, or
/// SLURM_PROCID and SLURM_NTASKS, give; else this one.
inline std::unique_ptr<Provider> MakeNcclProvider(std::unique_ptr<Provider> companion,
                                                  const Options& options) {
  const char* const file = std::getenv("MSHADOW_DIST_NCCL_FILE");
  if (companion == nullptr && file != nullptr) {
    return NcclProvider::WithFile(file, detail::NumberFrom({"MSHADOW_DIST_RANK", "SLURM_PROCID"}),
                                  detail::NumberFrom({"MSHADOW_DIST_SIZE", "SLURM_NTASKS"}),
                                  options.timeout);
  }
  if (companion == nullptr) {
    detail::CheckAlone();
    companion = std::move(MakeLocalProviders(1)[0]);
  }
  return NcclProvider::WithCompanion(std::move(companion), options.timeout);
}
#endif

/// The ranks of the program, by Options.provider. Throws Error where the program has no such
/// provider, and where a launcher has started several processes that do not find each other.
inline std::unique_ptr<Provider> MakeProvider(const Options& options) {
  std::string name = options.provider;
  if (name.empty()) name = MSHADOW_DIST_USE_MPI && detail::UnderLauncher() ? "mpi" : "local";
  if (name == "local") {
    if (options.provider.empty()) detail::CheckAlone();
    return std::move(MakeLocalProviders(1)[0]);
  }
#if MSHADOW_DIST_USE_MPI
  const auto world = [&] {
    std::unique_ptr<Provider> all = MpiProvider::World(options);
    if (all->size() == 1) detail::CheckAlone();
    return all;
  };
  if (name == "mpi") return world();
#endif
#if MSHADOW_DIST_USE_NCCL
  if (name == "nccl") {
    std::unique_ptr<Provider> companion;
#if MSHADOW_DIST_USE_MPI
    if (detail::UnderLauncher()) companion = world();
#endif
    return MakeNcclProvider(std::move(companion), options);
  }
#endif
  if (name == "mpi" || name == "nccl") {
    throw Error("dist: this program has no provider \"" + name + "\": compile it with " +
                (name == "mpi" ? "MSHADOW_DIST_USE_MPI=1" : "MSHADOW_DIST_USE_NCCL=1"));
  }
  throw Error("dist: unknown provider \"" + name + "\": local, mpi or nccl");
}

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_WORLD_H_
