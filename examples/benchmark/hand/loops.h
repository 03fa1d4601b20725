// SPDX-License-Identifier: Apache-2.0
// Hand-written loops know nothing of the library and are compiled for this very machine;
// ../CMakeLists.txt has the flags. Here: loops on all threads.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_HAND_LOOPS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_HAND_LOOPS_H_

#include <cstddef>

#include "../peer.h"

namespace compare {
namespace {

using std::ptrdiff_t;

/// Below, a parallel region costs more than it brings.
constexpr ptrdiff_t kSerial = 1 << 15;

/// body(i) for each i, in vectors.
template <typename Body>
inline void For(ptrdiff_t n, Body body) {
  if (n < kSerial) {
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; ++i) body(i);
    return;
  }
  // firstprivate: the compiler then knows that no store changes what the body holds.
#pragma omp parallel for simd schedule(static) firstprivate(body)
  for (ptrdiff_t i = 0; i < n; ++i) body(i);
}

/// body(y) for each y, which has loops of its own.
template <typename Body>
inline void ForRows(ptrdiff_t rows, Body body) {
#pragma omp parallel for schedule(static) firstprivate(body)
  for (ptrdiff_t y = 0; y < rows; ++y) body(y);
}

/// body(from, count) for parts of n elements.
template <typename Body>
inline void ForParts(ptrdiff_t n, Body body) {
  constexpr ptrdiff_t kPart = 1 << 14;
  if (n < kSerial) return body(0, n);
#pragma omp parallel for schedule(static) firstprivate(body)
  for (ptrdiff_t i = 0; i < n; i += kPart) body(i, n - i < kPart ? n - i : kPart);
}

/// to[x] = f(x) in a vector loop.
template <typename F>
inline void Set(float* to, ptrdiff_t n, F f) {
#pragma omp simd
  for (ptrdiff_t x = 0; x < n; ++x) to[x] = f(x);
}

}  // namespace
}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_HAND_LOOPS_H_
