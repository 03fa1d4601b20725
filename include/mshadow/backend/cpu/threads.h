// SPDX-License-Identifier: Apache-2.0
// The CPU threads of the library: OpenMP where the program is compiled with it, else one thread.
//
// Translation units with and without -fopenmp may meet in one program. What runs threads, and every
// function template that calls it, therefore lives in an inline namespace named after the choice,
// so that the linker never merges the two forms.
#ifndef MSHADOW_BACKEND_CPU_THREADS_H_
#define MSHADOW_BACKEND_CPU_THREADS_H_

#include <cstddef>

#ifdef _OPENMP
#include <omp.h>
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include <exception>
#define MSHADOW_THREADS_NAMESPACE with_openmp
#else
#define MSHADOW_THREADS_NAMESPACE without_openmp
#endif

#include "../../core/config.h"

MSHADOW_NAMESPACE_BEGIN

/// How a file runs threads. Functions that are compiled once, for files with OpenMP and without,
/// get it from their callers.
struct ThreadTeam {
  int (*max_threads)();  ///< null: one
  void (*run)(std::ptrdiff_t n, int threads,
              void (*task)(const void* f, std::ptrdiff_t begin, std::ptrdiff_t end), const void* f);

  int ThreadsFor(std::ptrdiff_t items, std::ptrdiff_t grain) const {
    const std::ptrdiff_t worth = items / (grain > 0 ? grain : 1);
    if (max_threads == nullptr || worth < 2) return 1;
    const int most = max_threads();
    return worth < most ? static_cast<int>(worth) : most;
  }
  template <typename F>
  void ParallelRanges(std::ptrdiff_t n, std::ptrdiff_t grain, const F& f) const {
    if (n <= 0) return;
    const int threads = ThreadsFor(n, grain);
    // One function, whether it is called or run: f is compiled once.
    const auto task = [](const void* g, std::ptrdiff_t begin, std::ptrdiff_t end) {
      (*static_cast<const F*>(g))(begin, end);
    };
    threads == 1 ? task(&f, std::ptrdiff_t{0}, n) : run(n, threads, task, &f);
  }
};

inline namespace MSHADOW_THREADS_NAMESPACE {

/// Do statements of this file know of threads?
#ifdef _OPENMP
constexpr bool kHasThreads = true;
#else
constexpr bool kHasThreads = false;
#endif

/// Threads that a statement started here may use: 1 inside a parallel region and without OpenMP.
inline int MaxThreads() {
#ifdef _OPENMP
  return omp_in_parallel() ? 1 : omp_get_max_threads();
#else
  return 1;
#endif
}

/// Statements started by this thread use `threads` threads from now on; without OpenMP still one.
inline void SetThreads([[maybe_unused]] int threads) {
#ifdef _OPENMP
  omp_set_num_threads(threads);
#endif
}

/// Lets a child process go on after fork(), on one thread. GCC's OpenMP waits forever for threads
/// that the child does not have. Runs before anything here, or a BLAS, starts threads.
inline void PrepareForFork() {
#if defined(_OPENMP) && (defined(__unix__) || defined(__APPLE__))
  static const int failed = pthread_atfork(nullptr, nullptr, [] { omp_set_num_threads(1); });
  static_cast<void>(failed);  // for want of memory: then only a child has cause to complain
#endif
}

#ifdef _OPENMP
/// task(f, begin, end) for the parts of [0, n), one a thread. One function for all statements: a
/// parallel region in each would be compiled for each.
inline void RunTeam(std::ptrdiff_t n, int threads,
                    void (*task)(const void* f, std::ptrdiff_t begin, std::ptrdiff_t end),
                    const void* f) {
  PrepareForFork();
  if (threads > n) threads = static_cast<int>(n);
  std::exception_ptr error;
#pragma omp parallel num_threads(threads)
  {
    // The team may be smaller than asked for (thread limits, omp_set_dynamic).
    const std::ptrdiff_t team = omp_get_num_threads();
    const std::ptrdiff_t rank = omp_get_thread_num();
    try {
      task(f, n / team * rank + (n % team) * rank / team,
           n / team * (rank + 1) + (n % team) * (rank + 1) / team);
    } catch (...) {
#pragma omp critical(mshadow_run_team)
      error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}
#endif

/// Calls f(i) once for every i in [0, n), on at most `threads` threads, each taking a contiguous
/// part. An exception of f ends the part of its thread and is rethrown here; of several, one is.
///
/// One thread, or one item, runs as a plain loop: entering an OpenMP region costs 0.4 us even with
/// if(false). threads <= MaxThreads() is the caller's duty: regions do not nest.
template <typename F>
inline void ParallelFor(std::ptrdiff_t n, int threads, const F& f) {
#ifdef _OPENMP
  if (threads > 1 && n > 1) {
    return RunTeam(
        n, threads,
        [](const void* g, std::ptrdiff_t begin, std::ptrdiff_t end) {
          for (std::ptrdiff_t i = begin; i < end; ++i) (*static_cast<const F*>(g))(i);
        },
        &f);
  }
#else
  static_cast<void>(threads);
#endif
  for (std::ptrdiff_t i = 0; i < n; ++i) f(i);
}

/// How statements of this file run threads.
#ifdef _OPENMP
constexpr ThreadTeam kThreadTeam{MaxThreads, RunTeam};
#else
constexpr ThreadTeam kThreadTeam{nullptr, nullptr};
#endif

/// The number of threads worth their start for `items` items, at least `grain` of them a thread.
inline int ThreadsFor(std::ptrdiff_t items, std::ptrdiff_t grain) {
  return kThreadTeam.ThreadsFor(items, grain);
}

/// Splits [0, n) into contiguous ranges of about equal length, at least `grain` items each, and
/// calls f(begin, end) once for every range, each on its own thread; f(0, n) where n < 2 * grain.
/// Nothing is called for n <= 0. Exceptions as in ParallelFor.
template <typename F>
inline void ParallelRanges(std::ptrdiff_t n, std::ptrdiff_t grain, const F& f) {
  kThreadTeam.ParallelRanges(n, grain, f);
}

}  // namespace MSHADOW_THREADS_NAMESPACE
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_THREADS_H_
