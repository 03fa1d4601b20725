// SPDX-License-Identifier: Apache-2.0
// What a program, or its environment, chooses about communicators.
#ifndef MSHADOW_DIST_OPTIONS_H_
#define MSHADOW_DIST_OPTIONS_H_

#include <cstdlib>
#include <cstring>
#include <string>

#include "../tensor.h"

/// 1: the providers of MPI and of NCCL are compiled in. The CMake components mpi and nccl set it.
#ifndef MSHADOW_DIST_USE_MPI
#define MSHADOW_DIST_USE_MPI 0
#endif
#ifndef MSHADOW_DIST_USE_NCCL
#define MSHADOW_DIST_USE_NCCL 0
#endif

MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// Who drives the calls that are under way.
enum class Progress {
  /// kThread if there are more cores than ranks of this host times their OpenMP threads, and the
  /// provider takes calls of any thread (not after plain MPI_Init); else kCaller.
  kAuto,
  /// A thread of the communicator, which sleeps while there is nothing to do.
  kThread,
  /// Wait, Test and the start of the next call. Faster where ranks fill the cores.
  kCaller
};

/// Defaults come from the environment variable named beside each.
struct Options {
  /// "local", "mpi" or "nccl"; empty: MSHADOW_DIST, else "mpi" if the program has it and runs under
  /// mpirun or srun, else "local", one rank.
  std::string provider;
  /// Seconds from when a call's turn has come; a rank that does not come is an error after them.
  double timeout = 60;  // MSHADOW_DIST_TIMEOUT
  /// True if ranks compare operation, element type and shape before each collective.
#ifdef NDEBUG
  bool check = false;  // MSHADOW_DIST_CHECK, 0 or 1
#else
  bool check = true;
#endif
  Progress progress = Progress::kAuto;  // MSHADOW_DIST_PROGRESS, "auto", "thread" or "caller"

  /// Throws Error for a variable that says something else.
  Options() {
    if (const char* const text = std::getenv("MSHADOW_DIST")) provider = text;
    if (const char* const text = std::getenv("MSHADOW_DIST_TIMEOUT")) {
      char* end = nullptr;
      timeout = std::strtod(text, &end);
      if (end == text || *end != '\0' || !(timeout > 0)) {
        Refuse("MSHADOW_DIST_TIMEOUT", text, "seconds, more than 0");
      }
    }
    if (const char* const text = std::getenv("MSHADOW_DIST_CHECK")) {
      check = std::strcmp(text, "1") == 0;
      if (!check && std::strcmp(text, "0") != 0) Refuse("MSHADOW_DIST_CHECK", text, "0 or 1");
    }
    if (const char* const text = std::getenv("MSHADOW_DIST_PROGRESS")) {
      if (std::strcmp(text, "thread") == 0) {
        progress = Progress::kThread;
      } else if (std::strcmp(text, "caller") == 0) {
        progress = Progress::kCaller;
      } else if (std::strcmp(text, "auto") != 0) {
        Refuse("MSHADOW_DIST_PROGRESS", text, "auto, thread or caller");
      }
    }
  }

 private:
  [[noreturn]] static void Refuse(const char* name, const char* value, const char* wanted) {
    throw Error(std::string(name) + "=" + value + ": wanted " + wanted);
  }
};

/// Number of this process among those of its host, as mpirun or srun says; else 0.
inline int LocalRank() {
  for (const char* const name :
       {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    if (const char* const text = std::getenv(name)) return std::atoi(text);
  }
  return 0;
}

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_OPTIONS_H_
