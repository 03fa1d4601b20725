// SPDX-License-Identifier: Apache-2.0
// A loop on all threads and in vectors, or in vectors alone where a parallel region costs more.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_HAND_PARALLEL_H_
#define MSHADOW_EXAMPLES_BENCHMARK_HAND_PARALLEL_H_

#include <cstddef>

namespace hand {
namespace {

constexpr std::ptrdiff_t kSerial = 1 << 15;

template <typename Body>
inline void For(std::ptrdiff_t n, Body body) {
  if (n < kSerial) {
#pragma omp simd
    for (std::ptrdiff_t i = 0; i < n; ++i) body(i);
    return;
  }
  // firstprivate: the compiler then knows that no store changes what the body holds.
#pragma omp parallel for simd schedule(static) firstprivate(body)
  for (std::ptrdiff_t i = 0; i < n; ++i) body(i);
}

}  // namespace
}  // namespace hand
#endif  // MSHADOW_EXAMPLES_BENCHMARK_HAND_PARALLEL_H_
