// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_PARALLEL_H_
#define MSHADOW_EXAMPLES_MNIST_PARALLEL_H_

#include <cstddef>
#include <exception>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace mnist {

/// Threads for OnAllThreads and for the library's statements in the calling thread; 0: as it is.
inline void UseThreads([[maybe_unused]] int threads) {
#ifdef _OPENMP
  if (threads > 0) omp_set_num_threads(threads);
#endif
}

/// Calls f(i) once for every i in [0, n), on all threads where there is OpenMP. The library's own
/// statements inside f run serially. Every i is tried; the exception of the lowest is rethrown.
template <typename F>
void OnAllThreads(int n, const F& f) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(n));
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) if (n > 1)
#endif
  for (int i = 0; i < n; ++i) {
    try {  // an exception must not leave the loop of a thread
      f(i);
    } catch (...) {
      failures[static_cast<std::size_t>(i)] = std::current_exception();
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_PARALLEL_H_
