// SPDX-License-Identifier: Apache-2.0
// Loops on all threads. Hand-written loops do not use the library and are compiled for the
// instruction set of this CPU; ../CMakeLists.txt has the flags.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_HAND_LOOPS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_HAND_LOOPS_H_

#include <cstddef>

#include "../peer.h"

namespace compare {
namespace {

using std::ptrdiff_t;

/// For fewer elements a parallel region costs more than it saves.
constexpr ptrdiff_t kSerial = 1 << 15;

/// Calls body(i) for each i, in vectors.
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

/// Calls body(y) for each y; it has loops of its own.
template <typename Body>
inline void ForRows(ptrdiff_t rows, Body body) {
#pragma omp parallel for schedule(static) firstprivate(body)
  for (ptrdiff_t y = 0; y < rows; ++y) body(y);
}

/// Calls body(from, count) for parts of n elements.
template <typename Body>
inline void ForParts(ptrdiff_t n, Body body) {
  constexpr ptrdiff_t kPart = 1 << 14;
  if (n < kSerial) return body(0, n);
#pragma omp parallel for schedule(static) firstprivate(body)
  for (ptrdiff_t i = 0; i < n; i += kPart) body(i, n - i < kPart ? n - i : kPart);
}

/// Sets to[x] = f(x) in a vector loop.
template <typename F>
inline void Set(float* to, ptrdiff_t n, F f) {
#pragma omp simd
  for (ptrdiff_t x = 0; x < n; ++x) to[x] = f(x);
}

}  // namespace
}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_HAND_LOOPS_H_
